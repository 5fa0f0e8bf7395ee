"""The waiting pool: what it holds, how tickets come and go, what becomes of matches, its files."""
