"""Policies: who may meet whom, what it costs, and the win rates that players should return to."""
