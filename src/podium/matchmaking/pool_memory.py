"""What a pool remembers of players from ticket to ticket: who blocked whom, last opponents, recent scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools, Floats, Longs
from podium.errors import InputError
from podium.matchmaking.lineups import LineUps
from podium.matchmaking.player_lists import PlayerLists
from podium.matchmaking.pool_changes import PutBack
from podium.matchmaking.targets import RecentScores
from podium.numerics.jit import kernel
from podium.text import shorten

LETTER_SCORES = {"W": 1.0, "D": 0.5, "L": 0.0}
"""Results as one writes them, and their scores."""


def parse_recent(recent: str | Sequence[float] | None) -> list[float]:
    """The scores of recent games, newest last: from letters or from numbers.

    >>> parse_recent("WLDW")
    [1.0, 0.0, 0.5, 1.0]
    """
    if recent is None:
        return []
    if isinstance(recent, str):
        for letter in recent.strip():
            if letter.upper() not in LETTER_SCORES:
                raise InputError(
                    f"{letter!r} in recent games {shorten(recent)!r} is no result",
                    hint="W won, D drawn, L lost, the newest last",
                )
        return [LETTER_SCORES[letter.upper()] for letter in recent.strip()]
    try:
        scores = [float(score) for score in recent]
    except (TypeError, ValueError):
        scores = [np.nan]
    if not all(0.0 <= score <= 1.0 for score in scores):
        raise InputError(
            f"recent games are {shorten(repr(recent))}", hint='a text such as "WLDWW", or scores from 0 to 1'
        )
    return scores


class Opponents:
    """The opponents of each player's last games."""

    def __init__(self, games: int) -> None:
        self.games = games
        self.met: NDArray[np.int32] = np.zeros((0, games, 1), np.int32)
        """For each player, the opponents in each of the last games; −1 is nobody."""
        self.played = np.zeros(0, np.int64)

    def reserve(self, players: int, width: int = 1) -> None:
        """Make room for this number of players, and for `width` opponents in a game."""
        room, _, wide = self.met.shape
        if players <= room and width <= wide:
            return
        grown = np.full(
            (max(players, room if players <= room else 2 * room), self.games, max(width, wide)), -1
        )
        grown[:room, :, :wide] = self.met
        met = grown.astype(np.int32)
        played = np.concatenate([self.played, np.zeros(len(grown) - room, np.int64)])
        self.met, self.played = met, played

    def keep(self, players: Longs) -> PutBack:
        """Keep the games of these players."""
        met, played = self.met, self.played
        there = players[players < len(met)]
        kept = met[there], played[there]

        def put_back() -> None:
            met[there], played[there] = kept
            self.met, self.played = met, played

        return put_back

    def last(self, games: int) -> NDArray[np.int32]:
        """`met` for the last `games` games only, at most all that are remembered."""
        if games >= self.games:
            return self.met
        place = (self.played[: len(self.met), None] - 1 - np.arange(games)) % self.games
        return np.take_along_axis(self.met, place[:, :, None], axis=1)

    def remember(self, players: Longs, others: NDArray[np.integer]) -> None:
        """Add a game for each of these different players; `others` has a row of opponents for each."""
        if self.games == 0 or not len(players):
            return
        self.reserve(int(players.max()) + 1, others.shape[1])
        place = self.played[players] % self.games
        self.met[players, place] = -1
        self.met[players, place, : others.shape[1]] = others
        self.played[players] += 1

    def add(self, players: Longs, others: NDArray[np.integer]) -> None:
        """Add opponents to the last game of each of these players; −1 is nobody."""
        if self.games == 0 or not len(players):
            return
        place = (self.played[players] - 1) % self.games
        row = np.concatenate([self.met[players, place], others], axis=1)
        row = -np.sort(-row, axis=1)  # nobody last
        width = int((row >= 0).sum(axis=1).max())
        self.reserve(0, width)
        self.met[players, place, :width] = row[:, :width]


MOST_CHANGES = 16_384
"""Blocks that wait to be listed until the next tick; more are listed when they come."""


class PoolMemory:
    """What a pool remembers between tickets: opponents, blocks and recent scores."""

    def __init__(self, opponents: int, scores: int) -> None:
        self.opponents = Opponents(opponents)
        self.scores = RecentScores(0, scores) if scores else None
        self._blocks: dict[tuple[int, int], None] = {}
        self._blocked: PlayerLists | None = None
        """The blocks as lists, without the changes since; None lists all of them anew."""
        self._changes: list[tuple[int, int, bool]] = []
        """Blocks since then: who, whom, and whether it was made or undone."""

    def block(self, player: int, other: int) -> None:
        """Keep two players apart, whichever of them asked for it."""
        if (player, other) not in self._blocks:
            self._changes.append((player, other, True))
            self._blocks[player, other] = None
            if len(self._changes) >= MOST_CHANGES:
                self.blocked(1 + max(player, other))

    def unblock(self, player: int, other: int) -> None:
        """Undo a block; a block by the other player stays."""
        if (player, other) not in self._blocks:
            raise InputError("there is no such block to take back")
        self._changes.append((player, other, False))
        del self._blocks[player, other]

    def keep(self, players: Longs) -> Iterator[PutBack]:
        """Keep the games of these players."""
        yield self.opponents.keep(players)
        if self.scores is not None:
            yield self.scores.keep(players)

    @property
    def has_blocks(self) -> bool:
        """Whether there is any block."""
        return bool(self._blocks)

    def blocked(self, players: int) -> PlayerLists:
        """Who is kept apart from each player, whichever of the two asked; for `players` players or more."""
        changes = np.array(self._changes, np.int64).reshape(-1, 3)
        added, removed = (changes[changes[:, 2] == made, :2] for made in (1, 0))
        listed = self._blocked
        # An interrupt may have come between a change and its note; then the numbers differ.
        if listed is None or len(listed.other) // 2 + len(added) - len(removed) != len(self._blocks):
            pairs = np.fromiter(chain.from_iterable(self._blocks), np.int64, 2 * len(self._blocks))
            known = max(players, 1 + int(pairs.max(initial=-1)))
            listed = PlayerLists.of(known, pairs[0::2], pairs[1::2])
        elif len(changes):
            known = max(players, 1 + int(changes[:, :2].max()))
            listed = listed.changed(known, added, removed)
        self._blocked = listed = listed.grown(players)
        self._changes = []
        return listed

    def remember_matches(self, matches: LineUps, filled: Bools) -> None:
        """Who met whom: everybody in a match who is not on the same side.

        `filled` are players whose match was running before others came: it is no other game for them.
        """
        if not self.opponents.games:
            return
        player, first, members = matches.player, matches.first, matches.members
        if len(player) == 2 * (len(first) - 1) and np.all(np.diff(matches.sides) == 2):  # one against one
            self.opponents.remember(player, player.reshape(-1, 2)[:, ::-1].reshape(-1, 1))
            return
        side = np.repeat(np.arange(len(members) - 1), np.diff(members))
        for a, b in pairwise(first.tolist()):
            others = np.tile(player[a:b], (b - a, 1))
            others[side[a:b, None] == side[None, a:b]] = -1
            there = filled[a:b]
            self.opponents.remember(player[a:b][~there], others[~there])
            others[:, there] = -1
            self.opponents.add(player[a:b][there], others[there])

    def record_scores(self, players: Longs, scores: Floats) -> None:
        """Add a game for each player, if the policy looks at recent games."""
        if self.scores is not None:
            self.scores.grow(int(players.max(initial=-1)) + 1)
            self.scores.record(players, scores)

    def replace_scores(self, players: Longs, games: Sequence[Sequence[float] | None]) -> None:
        """Replace the recent games of players; None keeps those remembered."""
        assert self.scores is not None
        self.scores.grow(int(players.max(initial=-1)) + 1)
        told = [(player, one) for player, one in zip(players.tolist(), games, strict=True) if one is not None]
        self.scores.replace(np.array([player for player, _ in told], np.int64), [one for _, one in told])

    def wins(self, players: Longs) -> tuple[Floats, Longs]:
        """The sum of each player's scores in the last games, and the number of all games so far."""
        assert self.scores is not None
        self.scores.grow(int(players.max(initial=-1)) + 1)
        return self.scores.scores[players].sum(axis=1), self.scores.played[players]


@kernel
def are_rematches(first: Longs, second: Longs, following: Longs, met: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether a player of one ticket met one of the other in a remembered game of either.

    `first` and `second` are the first players of the tickets, `following` each player's next one.
    """
    found = np.zeros(len(first), np.bool_)
    known, games, width = met.shape
    for e in range(len(first)):
        a = first[e]
        while a >= 0:
            b = second[e]
            while b >= 0:
                for game in range(games):
                    for other in range(width):
                        if a < known and met[a, game, other] == b:
                            found[e] = True
                        if b < known and met[b, game, other] == a:
                            found[e] = True
                b = following[b]
            a = following[a]
    return found


@kernel
def best_regions(first: Longs, second: Longs, delays: Floats, best: Longs, worst: Floats) -> None:
    """The region in which the farther of two is nearest, and how far that is; −1 and infinity for none."""
    for e in range(len(first)):
        best[e], worst[e] = -1, np.inf
        for region in range(delays.shape[1]):
            a, b = delays[first[e], region], delays[second[e], region]
            if a < worst[e] and b < worst[e]:  # which NaN is not
                best[e], worst[e] = region, max(a, b)
