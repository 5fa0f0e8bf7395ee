"""Who plays whom: the opponent a player should meet next, and pairings of everybody who waits."""
