"""Correcting what was reported: amendments of the log, and the generations of ratings that they make."""
