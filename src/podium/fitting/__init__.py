"""Strengths that do not change: models, images or players compared by votes, fitted all at once."""
