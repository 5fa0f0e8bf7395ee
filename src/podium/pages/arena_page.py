"""An arena as one HTML page that loads nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from podium import charts
from podium.charts.arena_charts import MOST_IN_MATRIX
from podium.errors import InputError, ParameterError
from podium.files.atomic import replacing
from podium.fitting.fit_result import Fit
from podium.fitting.votes import Votes
from podium.pages.page_words import ABOUT_STRENGTHS

if TYPE_CHECKING:
    import polars as pl

    from podium.charts.picture_files import Section

NEXT_PAIRS = 10
"""Votes that a page plans."""
SUSPECTS = 5
"""Voters that a page names."""


def write_arena(fit: Fit, path: str | os.PathLike[str], *, title: str) -> None:
    """Write the leaderboard, pictures and checks of an arena as one page; whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(arena_page(fit, title), encoding="utf-8")


def arena_page(fit: Fit, title: str) -> str:
    """The page of an arena."""
    import polars as pl

    level = (
        "The true strength is in its interval, and the true rank in its range, with a chance of "
        f"{fit.level:.0%}."
    )
    about = "\n\n".join([f"{fit.summary}.", f"{ABOUT_STRENGTHS} {level}", *fit.notes])
    sections: list[Section] = [
        ("Leaderboard", about, charts.arena_strengths(fit.strengths)),
        ("", "", shown_strengths(fit)),
    ]
    if isinstance(fit.votes, Votes):
        players = fit.strengths["player"].to_list()[:MOST_IN_MATRIX]
        if fit.effects.height:
            text = "The value of one unit for the first side, in points."
            rounded = fit.effects.with_columns(pl.col("points", "error", "low", "high").round(1))
            sections.append(
                ("Other effects on votes", text, rounded.with_columns(pl.col("p").round_sig_figs(2)))
            )
        if fit.judges.height:
            text = (
                "The slope is how strongly a judge's votes follow differences of strength. A bias above 0 "
                "favours the side shown first."
            )
            rounded = fit.judges.with_columns(pl.col("^slope.*$").round(2), pl.col("^bias.*$").round(1))
            sections.append(("Judges", text, rounded))
        if len(players) > 1:
            sections.append(("Who beats whom", "", charts.arena_matrix(fit.matches, players)))
            missed = charts.arena_matrix(fit.matches, players, surprise=True)
            sections.append(("Largest deviations from the fit", fit.misfit, missed))
            text = "Votes about these pairs would clarify the order most."
            asked = fit.next_votes(NEXT_PAIRS).with_columns(pl.col("gain").round(3))
            sections.append(("Next pairs to ask", text, asked))
        sections.append(("Checks", "\n\n".join(checks(fit)), None))
    return charts.page(title, sections)


def shown_strengths(fit: Fit) -> pl.DataFrame:
    """The leaderboard as people read it."""
    import polars as pl

    counts = fit.strengths.select("votes", "wins", "ties", "losses")
    whole = all((counts[name] == counts[name].round()).all() for name in counts.columns)
    return fit.strengths.select(
        "rank",
        "player",
        *(["component"] if len(np.unique(fit.solution.component)) > 1 else []),
        pl.col("strength", "low", "high").round(1),
        pl.format("{}–{}", "rank_low", "rank_high").alias("ranks"),
        pl.Series("best", [shown_chance(chance) for chance in fit.best[fit.order].tolist()]),
    ).hstack(counts.cast(pl.Int64) if whole else counts.select(pl.all().round(1)))


def shown_chance(chance: float) -> str:
    """A chance in percent, where none that is possible is shown as 0 or 100."""
    if 0.0 < chance < 0.005:
        return "<1%"
    return ">99%" if 0.995 < chance < 1.0 else f"{chance:.0%}"


def checks(fit: Fit) -> list[str]:
    """What may be wrong with an arena, a sentence each."""
    asked: list[Callable[[], object]] = [lambda: fit.settled(1), lambda: fit.fragility, lambda: fit.drift]
    said = []
    for ask in asked:
        with suppress(InputError, ParameterError):  # such as no other player, or a single time
            said.append(str(ask()))
    if fit.votes.cluster is not None or getattr(fit.votes, "judge", None) is not None:
        found = fit.suspects().head(SUSPECTS).select("voter", "looks_like", "votes").rows()
        said += [
            f"Voter {voter} votes like coin flips ({votes:,} votes)."
            if kind == "noise"
            else f"Voter {voter} votes {kind} more than others do ({votes:,} votes)."
            for voter, kind, votes in found
        ]
        said += [] if found else ["No voter seems to vote at random or for a campaign."]
    return said
