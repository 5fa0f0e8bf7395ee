"""The service: a log of events for each ladder in a database, ratings behind HTTP.

The log is the truth. Ratings, changes and boards are a cache of it that can be built anew, bit for bit on
the same kind of machine. `app` has the HTTP side, `appending` what becomes of a report, `followed_ladder`
what a worker holds in memory.
"""
