"""Rows of a table as events, checked cell by cell."""
