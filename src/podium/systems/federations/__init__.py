"""Ratings by the rules of those who publish them: FIDE, US Chess, DWZ, European go, AtCoder."""
