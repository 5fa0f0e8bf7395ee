"""What a pool remembers of players from ticket to ticket: who blocked whom, last opponents, recent scores.

Who plays in matches that begin, in columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools, Floats, Longs
from podium.errors import InputError
from podium.matchmaking.policies.targets import RecentScores
from podium.matchmaking.pool.growing_tables import NO_ROWS, PutBack
from podium.matchmaking.pool.player_lists import PlayerLists
from podium.numerics.jit import kernel
from podium.text import shorten


class LineUps(NamedTuple):
    """The players of some matches, in the columns of `Matches`."""

    player: Longs
    slot: Longs
    sides: Longs
    members: Longs
    numbers: Longs

    @property
    def first(self) -> Longs:
        """The first player of each match, and the end of the last."""
        return self.members[self.sides]

    def some(self, these: Bools) -> LineUps:
        """The line-ups of these matches only."""
        in_match, in_side = np.diff(self.sides), np.diff(self.members)
        side, player = np.repeat(these, in_match), np.repeat(these, np.diff(self.first))
        sides = np.concatenate([[0], np.cumsum(in_match[these])])
        members = np.concatenate([[0], np.cumsum(in_side[side])])
        return LineUps(self.player[player], self.slot[player], sides, members, self.numbers[these])


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
                    f"{letter!r} in recent games {shorten(recent)!r} is not a result",
                    hint="W for a win, D for a draw, L for a loss, newest last",
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


def last_games(kept: NDArray[Any], played: Longs, games: int, nothing: float) -> tuple[NDArray[Any], Longs]:
    """What is kept of each player's last games, and how many there were, with room for this many games.

    Game number i is in column i modulo the number of columns.

    >>> last_games(np.array([[4, 2, 3]]), np.array([4]), 2, 0)
    (array([[3, 4]]), array([2]))
    """
    before = kept.shape[1]
    if before == games:
        return kept, played
    count = np.minimum(played, min(before, games))
    found = np.full((len(kept), games, *kept.shape[2:]), nothing, kept.dtype)
    for back in range(min(before, games)):
        players = np.flatnonzero(count > back)
        found[players, count[players] - 1 - back] = kept[players, (played[players] - 1 - back) % before]
    return found, count


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

    def forget(self, number: Longs) -> None:
        """Give players other numbers, in new columns: player i gets number[i], −1 if forgotten."""
        known = min(len(number), len(self.met))
        kept = number[:known] >= 0
        with_nobody = np.append(number, -1).astype(np.int32)  # −1 stays −1
        self.met, self.played = with_nobody[self.met[:known][kept]], self.played[:known][kept]

    def follow(self, player: int, into: int) -> None:
        """Let one player be another from now on, in new columns.

        If both have games, nobody knows in which order they were: the last game of the one and the last game
        of the other become one game, and so on. So nobody whom either has met is forgotten too early.
        """
        if self.games == 0:
            return
        self.reserve(max(player, into) + 1)
        last = self.played[[into, player]]
        rows = [(last - 1 - game) % self.games for game in range(self.games)]
        both = np.array([np.concatenate([self.met[into, a], self.met[player, b]]) for a, b in rows])
        both = -np.sort(-np.where((both == into) | (both == player), -1, both), axis=1)  # nobody last
        self.reserve(0, int((both >= 0).sum(axis=1).max()))
        met, played = np.where(self.met == player, into, self.met), self.played.copy()
        played[into], played[player] = last.max(), 0
        met[into] = met[player] = -1
        width = min(both.shape[1], met.shape[2])
        for game in range(self.games):
            met[into, (played[into] - 1 - game) % self.games, :width] = both[game, :width]
        self.met, self.played = met, played


MOST_CHANGES = 16_384
"""Blocks that wait to be listed until the next tick; more are listed when they come."""


class PlayerMemory:
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
            raise InputError("this block does not exist")
        self._changes.append((player, other, False))
        del self._blocks[player, other]

    def keep(self, players: Longs) -> Iterator[PutBack]:
        """Keep the games of these players."""
        yield self.opponents.keep(players)
        if self.scores is not None:
            yield self.scores.keep(players)

    def keep_block(self, player: int, other: int) -> PutBack:
        """Keep whether one player has blocked another."""
        pair = player, other
        was_there = pair in self._blocks

        def put_back() -> None:
            if was_there:
                self._blocks[pair] = None
            else:
                self._blocks.pop(pair, None)
            self._blocked = None

        return put_back

    def keep_all(self) -> PutBack:
        """Keep everything, for calls that make new columns."""
        opponents, blocks = self.opponents.keep(NO_ROWS), self._blocks
        scores = None if self.scores is None else self.scores.keep(NO_ROWS)

        def put_back() -> None:
            opponents()
            if scores is not None:
                scores()
            self._blocks, self._blocked = blocks, None

        return put_back

    def forget(self, number: Longs) -> None:
        """Give players other numbers, in new columns: player i gets number[i], −1 if forgotten."""
        self.opponents.forget(number)
        if (recent := self.scores) is not None:
            known = min(len(number), len(recent.played))
            kept = number[:known] >= 0
            recent.scores, recent.played = recent.scores[:known][kept], recent.played[:known][kept]
        pairs = ((int(number[a]), int(number[b])) for a, b in self._blocks)
        self._blocks, self._blocked = {pair: None for pair in pairs if min(pair) >= 0}, None

    def follow(self, player: int, into: int) -> None:
        """Let one player be another from now on, in new columns.

        The recent scores are those of `into`, if there are any, as nobody knows the order of both.
        """
        self.opponents.follow(player, into)
        if (recent := self.scores) is not None:
            recent.grow(max(player, into) + 1)
            scores, played = recent.scores.copy(), recent.played.copy()
            if not played[into]:
                scores[into], played[into] = scores[player], played[player]
            scores[player], played[player] = 0.0, 0
            recent.scores, recent.played = scores, played
        moved = (tuple(into if i == player else i for i in pair) for pair in self._blocks)
        self._blocks, self._blocked = {(a, b): None for a, b in moved if a != b}, None

    @property
    def in_blocks(self) -> Longs:
        """The players who blocked somebody or are blocked."""
        return np.unique(np.array(list(self._blocks), np.int64))

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
