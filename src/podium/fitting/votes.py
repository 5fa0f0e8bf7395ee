"""Votes: two sides as they were shown, and which of them was better."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from podium.arrays import NO_TIME, Floats, Ints, Longs
from podium.errors import InputError
from podium.history import History
from podium.text import counted

FIRST_WON, TIED, SECOND_WON = 0, 1, 2
"""The outcomes of a vote, as numbers."""


@dataclass(frozen=True, eq=False)
class Votes:
    """Votes by column, with whatever may explain them.

    Attributes:
        players: The compared names, in order of first appearance.
        first: The number of the side that was shown first, one for each vote.
        second: The number of the other side.
        outcome: 0 if the first side won, 1 for a tie, 2 if the second side won.
        weight: How much each vote counts; None if each counts 1.
        covariates: A row for each vote and a column for each number that may explain it, such as the
            difference in length; positive values are expected to favour the first side.
        covariate_names: The names of those columns.
        judge: The number of the judge of each vote; None if judges are not modelled.
        judges: The names of the judges.
        cluster: The number of the voter, prompt or other group of each vote; votes of one group may depend
            on each other. None if all votes are independent.
        clusters: The names of the groups.
        time: Microseconds since 1970 UTC, one for each vote; None if the votes have no times.
        notes: What was understood of the table, a sentence each.
    """

    players: tuple[str, ...]
    first: Ints
    second: Ints
    outcome: Ints
    weight: Floats | None = None
    covariates: Floats | None = None
    covariate_names: tuple[str, ...] = ()
    judge: Ints | None = None
    judges: tuple[str, ...] = ()
    cluster: Ints | None = None
    clusters: tuple[str, ...] = ()
    time: Longs | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.first)

    @property
    def weights(self) -> Floats:
        """How much each vote counts."""
        return np.ones(len(self)) if self.weight is None else self.weight

    def taking(self, chosen: Longs) -> Votes:
        """The votes of these numbers; all players keep theirs."""
        return replace(
            self,
            first=self.first[chosen],
            second=self.second[chosen],
            outcome=self.outcome[chosen],
            weight=None if self.weight is None else self.weight[chosen],
            covariates=None if self.covariates is None else self.covariates[chosen],
            judge=None if self.judge is None else self.judge[chosen],
            cluster=None if self.cluster is None else self.cluster[chosen],
            time=None if self.time is None else self.time[chosen],
        )


@dataclass(frozen=True, eq=False)
class Rankings:
    """Rankings of two or more, by row: those of ranking `e` are `offsets[e]:offsets[e + 1]`.

    Attributes:
        players: The names of what is ranked.
        offsets: Where each ranking's rows begin, and the number of all rows at the end.
        player: The number of each row's player.
        rank: The rank of each row; 1 is best and equal ranks are ties.
        weight: How much each ranking counts.
        cluster: The number of the judge or other group of each ranking; None if all are independent.
        clusters: The names of the groups.
        time: Microseconds since 1970 UTC, one for each ranking; None if they have no times.
        notes: What was understood of the table, a sentence each.
    """

    players: tuple[str, ...]
    offsets: Longs
    player: Ints
    rank: Ints
    weight: Floats
    cluster: Ints | None = None
    clusters: tuple[str, ...] = ()
    time: Longs | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.offsets) - 1


def votes_of_history(history: History) -> Votes | Rankings:
    """The events of a history: as votes if each has two players, otherwise as rankings.

    The home side, where there is one, counts as shown first. Events that were rated for none of their players
    are left out, with a note.
    """
    notes: tuple[str, ...] = ()
    if history.unrated is not None and len(history):
        counted_events = ~np.logical_and.reduceat(history.unrated, history.offsets[:-1])
        if left_out := int((~counted_events).sum()):
            notes = (f"Left out: {counted(left_out, 'event')} without a rated player.",)
            history = history.filter(counted_events)
    if history.side is not None and np.any(history.sides_per_event < history.sizes):
        raise InputError(
            "podium fit compares single players, and some events have teams",
            hint="read_history(…, teams='players') makes each team one player",
        )
    players = tuple(history.players)
    time = None if len(history) == 0 or np.all(history.time == NO_TIME) else history.time
    weight = np.ones(len(history)) if history.weight is None else history.weight
    if len(history) and np.all(history.sizes == 2):
        player, rank = history.player.reshape(-1, 2), history.rank.reshape(-1, 2)
        swapped = np.zeros(len(history), bool) if history.home is None else history.home == player[:, 1]
        first = np.where(swapped, player[:, 1], player[:, 0])
        second = np.where(swapped, player[:, 0], player[:, 1])
        won = np.sign(rank[:, 0] - rank[:, 1]) * np.where(swapped, -1, 1)
        return Votes(players, first, second, (won + 1).astype(np.int32), weight, time=time, notes=notes)
    if not np.all(history.sizes >= 2):
        alone = int(np.flatnonzero(history.sizes < 2)[0])
        raise InputError(f"event {history.event_name(alone)!r} ranks fewer than two players")
    return Rankings(players, history.offsets, history.player, history.rank, weight, time=time, notes=notes)
