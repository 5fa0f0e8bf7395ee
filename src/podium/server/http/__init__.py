"""What answers requests: addresses, bodies, answers, descriptions."""
