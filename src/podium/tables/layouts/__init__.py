"""Tables of other layouts, such as cross tables, written again with a row for each match or player."""
