"""Simulated seasons: people whose true skill is known, and the results of their contests and matches.

>>> people = People(players=200, skills="student(3)", churn=0.02)
>>> print(simulate_contests(people, Contests(contests=5, participants=50)).history().summary())
5 events, 161 players, 250 rows (50.0 an event, at most 50), 0.0% tied, 2020-01-06 to 2020-02-03
"""

from podium.simulation.contest_season import Contests
from podium.simulation.match_season import Matches
from podium.simulation.people import People
from podium.simulation.scatter import Scatter
from podium.simulation.simulation import (
    Piece,
    Simulation,
    simulate_contests,
    simulate_matches,
    simulate_teams,
)
from podium.simulation.team_season import Teams

__all__ = [
    "Contests",
    "Matches",
    "People",
    "Piece",
    "Scatter",
    "Simulation",
    "Teams",
    "simulate_contests",
    "simulate_matches",
    "simulate_teams",
]
