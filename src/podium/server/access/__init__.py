"""Who may do what: keys of programs, links and sessions of people, limits, and a trail of what they did."""
