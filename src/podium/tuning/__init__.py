"""Parameters that predict best: where to search, the search, and how the result is judged."""
