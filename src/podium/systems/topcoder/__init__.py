"""Topcoder's system, with its kernels."""
