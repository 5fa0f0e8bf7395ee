"""The log of a ladder: what is reported, appended, read, saved, verified and rebuilt."""
