"""Who plays whom at a tick: pairs, teams, free-for-alls and running matches that are filled up."""
