"""Compiled scalars and solvers that rating systems share."""
