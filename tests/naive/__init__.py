"""Naive twins: slow, obvious, pure-Python rating systems that judge the fast ones."""
