"""Two players of a side in two columns, as the cell of one team."""

from __future__ import annotations

import polars as pl

PARTNER_SIGN = "\u241f"
"""What stands between partners inside podium: no cell has it. People see `SHOWN_SIGN`."""
SHOWN_SIGN = " / "
_WRITTEN = ("/", " / ", "&", " & ", "+", " + ", ", ")
"""How the column of the winner may join the two players of a side."""


def shown_team(name: str) -> str:
    """The name of a team of two columns as people see it."""
    return name.replace(PARTNER_SIGN, SHOWN_SIGN)


def with_partners(frame: pl.DataFrame, sign: str) -> pl.DataFrame:
    """The frame with both players of a side in one cell; where neither side has a partner, singles."""
    if "player_a" in frame.columns:
        sides = [("player_a", "partner_a"), ("player_b", "partner_b")]
    elif "winner" in frame.columns:
        sides = [("winner", "partner_a"), ("loser", "partner_b")]
    else:
        sides = [("player", "partner_a")]
    sides = [(player, partner) for player, partner in sides if partner in frame.columns]
    text = frame.with_columns(
        pl.col(name).cast(pl.String).str.strip_chars().replace("", None) for pair in sides for name in pair
    )
    doubles = pl.any_horizontal(pl.col(partner).is_not_null() for _, partner in sides)
    joined = text.with_columns(
        pl.when(doubles)
        .then(pl.col(player) + pl.lit(sign) + pl.col(partner).fill_null(""))
        .otherwise(player)
        .alias(player)
        for player, partner in sides
    )
    if "player_a" in frame.columns and len(sides) == 2:
        joined = joined.with_columns(
            _side_named(text, joined, name) for name in ("winner", "home") if name in frame.columns
        )
    return joined.drop(partner for _, partner in sides)


def _side_named(text: pl.DataFrame, joined: pl.DataFrame, column: str) -> pl.Series:
    """A column that names one of the two sides by a player or by both, as the cell of that side."""
    cell = text[column].cast(pl.String).str.strip_chars()
    for player, partner in (("player_a", "partner_a"), ("player_b", "partner_b")):
        one, other = text[player], text[partner]
        named = (cell == one) | (cell == other)
        for sign in _WRITTEN:
            named |= (cell == one + sign + other) | (cell == other + sign + one)
        cell = cell.zip_with(~named.fill_null(value=False), joined[player])
    return cell.alias(column)
