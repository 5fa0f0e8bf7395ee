"""A simulated game: people who come, wait, are paired by a matcher, play and are rated."""
