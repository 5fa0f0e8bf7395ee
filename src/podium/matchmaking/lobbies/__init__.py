"""Matches of many, on plain arrays: who is in a lobby together, and how a lobby makes two teams."""
