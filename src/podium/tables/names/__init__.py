"""Who is meant by a name in a table: tidied, near to another, an alias, or nobody."""
