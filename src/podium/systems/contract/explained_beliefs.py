"""What several systems tell players about their beliefs (`RatingSystem.explained`)."""

from __future__ import annotations

SURE = """
Beside the rating there is a deviation: how sure the system is. It shrinks with every result, so that
newcomers move fast and those who have played a lot move little.
"""

PERFORMANCES = """
After every event the system works out your performance: the rating of somebody for whom this rank, against
these opponents, would have been just what was to be expected. Your rating is an average of your
performances, in which recent ones count more.
"""

SINGLE_DAYS = {
    "logistic": "A single very good or very bad day counts less.",
    "hyperbolic-secant": "A single very good or very bad day counts less.",
    "gumbel-min": """
        A single very bad day counts less than others, and a very good one counts more: anybody can have a
        bad day, and only a strong player has such a good one.
    """,
}
"""What a day far from the rating does, by how performances are distributed; not known of one's own."""
