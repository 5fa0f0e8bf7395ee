"""Which column of a table means what, by its name and by what it holds."""
