"""A rated history as one HTML page: the best, how ratings are spread, how they got there, and why."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING, Unpack

from podium import charts
from podium.files.atomic import replacing
from podium.ladder.bulk import Run
from podium.ladder.rating_tables import LeaderboardFilters, nobody_words
from podium.presets import whole_label
from podium.tables.given_frames import takes_any_frame

if TYPE_CHECKING:
    from podium.charts.picture_files import Section

LISTED_PLAYERS, FOLLOWED_PLAYERS = 30, 5
"""Number of the best players who are listed, and of those whose history is drawn."""


def write_season(
    run: Run, path: str | os.PathLike[str], *, title: str, about: str, **filters: Unpack[LeaderboardFilters]
) -> None:
    """Write a rated history as one HTML page that loads nothing. The file is written whole or not at all.

    The run needs its trace. `about` says what was rated. `filters` are those of `Run.leaderboard`: who may be
    among the best.
    """
    text = season_page(run, title=title, about=about, **filters)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


@takes_any_frame
def season_page(run: Run, *, title: str, about: str, **filters: Unpack[LeaderboardFilters]) -> str:
    """The page of `write_season` as HTML text."""
    run._check_unchanged()
    ladder = run.ladder
    board = run.leaderboard(top=LISTED_PLAYERS, **filters)
    sections: list[Section] = [("The results", f"{about}\n\nRated by {whole_label(ladder.system)}.", None)]
    if not board.height:
        return charts.page(title, [*sections, ("", nobody_words(**filters), None)])
    sure = "Each bar shows mu ± 2 sigma. The true skill is in this range about 95% of the time."
    sections += [
        ("The best", sure if ladder.system.has_sigma else "", charts.leaderboard(board, top=LISTED_PLAYERS)),
        (
            "Everybody",
            "The number of players at each rating.",
            charts.ratings_spread(run.ratings, min_events=filters.get("min_events", 1)),
        ),
    ]
    # A ladder that goes on from a saved one knows people of whom the new results say nothing.
    seen = (player for player in board["player"] if run.history(player)["rated"].any())
    if best := list(islice(seen, FOLLOWED_PLAYERS)):
        history = charts.rating_history(run, best)
        sections.append(
            ("The best players over time", "Each line is one player's rating after each event.", history)
        )
        why = charts.explanation(run.explain(best[0]))
        sections.append((f"Why {best[0]} has this rating", "", why))
    return charts.page(title, sections)
