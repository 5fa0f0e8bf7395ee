"""Weng–Lin, and the comparisons that its kernel makes."""
