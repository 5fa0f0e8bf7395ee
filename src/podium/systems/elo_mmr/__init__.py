"""Elo-MMR, Elo-MMχ and Elo-R: ratings from performances in contests, with their kernels."""
