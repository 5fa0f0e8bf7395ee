"""Tournaments of ladders: what happened in them, kept and reported to the ladder."""
