"""How each rating system works, in words that a player understands."""

from __future__ import annotations

from podium.presets import PRESETS
from podium.systems import RatingSystem
from podium.text import paragraphs

_SURE = """
Beside the rating there is a deviation: how sure the system is. It shrinks with every result, so that
newcomers move fast and those who have played a lot move little.
"""

_PERFORMANCES = """
After every event the system works out your performance: the rating of somebody for whom this rank, against
these opponents, would have been just what was to be expected. Your rating is an average of your
performances, in which recent ones count more and a single very good or very bad day counts less.
"""

_WORDS = {
    "auto": """
        Many rating systems rate everybody side by side, and each says before every event what it expects.
        Those that were right so far count more. Your rating says the same about meeting an average player as
        all of them together, in proportion to how much each is believed.

        In contests it is a score that is learned from all these systems, from how much you have played and
        from how long you were away. Nobody's rating moves because others played.
    """,
    "elo": """
        Everybody has one number. The difference of two numbers says who will probably win. Who wins takes
        points from who loses: many if the win was a surprise, few if it was expected. So the rating rises
        as long as you do better than it says, and stays where it says the truth.
    """,
    "glicko": f"""
        The difference of two ratings says who will probably win, and a result moves a rating by how much it
        was a surprise. {_SURE}

        Who stays away for long becomes less certain again, and moves faster after coming back.
    """,
    "glicko2": f"""
        The difference of two ratings says who will probably win, and a result moves a rating by how much it
        was a surprise. {_SURE}

        A third number follows how steady somebody is: after surprising results a rating moves faster for a
        while.
    """,
    "elo-mmr": f"""
        {_PERFORMANCES} Nobody gains by finishing worse.

        {_SURE}
    """,
    "elo-mmx": f"""
        After every event the system works out how well you must have played to come in at your rank against
        these opponents, and moves your rating towards that. {_SURE}
    """,
    "elo-r": f"""
        {_PERFORMANCES}

        {_SURE}
    """,
    "codeforces": """
        Before a contest the ratings say which rank to expect of everybody. Afterwards the system takes the
        middle between the expected rank and yours, finds the rating that would expect just this, and moves
        you half of the way to it. Better than expected goes up, worse goes down.
    """,
    "topcoder": """
        Before a contest the ratings say which rank to expect of everybody. Your performance is the rating
        that your actual rank would belong to, and your rating moves towards it: far in your first contests,
        less with each further one, and less for those at the top. A volatility says how much your results
        vary.
    """,
    "trueskill": f"""
        The system believes that everybody has a skill, and that on the day one plays a little better or
        worse than that. A team plays as well as its members together. After an event it shifts its beliefs
        to what makes the result most likely. {_SURE}
""",
    "weng-lin": f"""
        Every pair of sides in an event is compared: who was ahead, and who should have been. Doing better
        than the ratings say raises them, doing worse lowers them, and a team's members share what it wins
        or loses. {_SURE}
    """,
    "luck": """
        In this game luck decides a part of the results, and the system knows it: a win by somebody weaker
        is sometimes just luck and moves the ratings little. For every player it keeps how probable each
        possible rating is, and every result makes some of them more probable and others less.
    """,
    "yuksel": f"""
        The difference of two ratings says who will probably win. A result moves a rating by how much it was
        a surprise, and faster if results have been surprising lately. {_SURE}
    """,
}
"""By the name of the system."""

_SHOWN_CAREFULLY = """
The rating shown is lower than the system's best guess as long as it is unsure of a player: it rises as
certainty grows.
"""
_CALIBRATED = """
The chances that pages show are corrected by how earlier ones have turned out. Ratings are not changed by
that.
"""


def system_words(system: RatingSystem) -> list[str]:
    """How a system works, in paragraphs; of a system of somebody's own, its summary.

    >>> from podium import Elo
    >>> len(system_words(Elo()))
    1
    """
    summary = system.summary[:1].upper() + system.summary[1:]
    words = paragraphs(_WORDS.get(system.name, f"{summary.rstrip('.')}."))
    if getattr(system, "display_k", 0.0) > 0.0:
        words += paragraphs(_SHOWN_CAREFULLY)
    if system.preset is not None:
        words.append(f"The preset {system.preset} is {PRESETS[system.preset].meaning}.")
    return words + (paragraphs(_CALIBRATED) if system.is_calibrated else [])
