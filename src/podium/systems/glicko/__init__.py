"""Glicko and Glicko-2, with their kernels."""
