"""`auto`: many systems at once, weighted by how well each has predicted so far."""
