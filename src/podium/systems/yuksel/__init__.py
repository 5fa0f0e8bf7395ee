"""Yuksel's system, its win curves and its kernels."""
