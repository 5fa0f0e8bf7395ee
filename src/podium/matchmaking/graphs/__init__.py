"""Graphs of meetings: who might meet whom, and the pairs of the greatest weight among them."""
