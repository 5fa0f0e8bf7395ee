"""Codeforces' system, with its kernels."""
