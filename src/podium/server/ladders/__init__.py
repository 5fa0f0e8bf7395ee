"""Ladders in the memory of a worker: their ratings, the order of their players."""
