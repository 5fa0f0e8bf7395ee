"""How a service runs: one process or several, from the start to the end."""
