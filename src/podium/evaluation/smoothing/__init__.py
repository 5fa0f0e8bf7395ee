"""Skills of the past, given all results, later ones included."""
