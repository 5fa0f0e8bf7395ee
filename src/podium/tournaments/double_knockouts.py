"""Double knockouts: an entrant is out after the second loss.

Losers of the main bracket go on in the losers' bracket: its odd rounds pair its own winners, its even rounds
let them meet those who have just lost in the main bracket, in reversed order so that few meet again soon. The
two winners play the final. If the one with a loss wins it, they play once more.

A round is a wave: all matches whose two entrants are known by then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from podium.errors import InputError
from podium.tournaments.happenings import Field, Paired, Round, Side
from podium.tournaments.kept_apart import has_rivals
from podium.tournaments.knockouts import BracketMatch, starting_slots

NOBODY = ""
"""In a match's side: there is no entrant, and none will come. None means that it is not known yet."""

Source = tuple[str, int]
"""Where an entrant of a match comes from: `slot`, `winner` or `loser`, and the number of slot or match."""


@dataclass(frozen=True, slots=True)
class Node:
    """A match of the double bracket."""

    part: str
    column: int
    row: int
    sources: tuple[Source, Source]


@cache
def double_bracket(size: int) -> tuple[Node, ...]:
    """All matches for 2, 4, 8 … slots, each behind those that its entrants come from.

    >>> [(node.part, node.column) for node in double_bracket(4)]
    [('main', 1), ('main', 1), ('losers', 1), ('main', 2), ('losers', 2), ('final', 1), ('final', 2)]
    """
    nodes: list[Node] = []

    def add(part: str, column: int, sources: list[tuple[Source, Source]]) -> list[int]:
        first = len(nodes)
        nodes.extend(Node(part, column, row, pair) for row, pair in enumerate(sources, 1))
        return list(range(first, len(nodes)))

    main = add("main", 1, [(("slot", i), ("slot", i + 1)) for i in range(0, size, 2)])
    below: list[int] = []
    for column in range(2, size.bit_length() + 1):
        lost: list[Source] = [("loser", match) for match in main]
        if not below and len(main) > 1:
            below = add("losers", 1, list(zip(lost[::2], lost[1::2], strict=True)))
        if len(main) == 1:
            break
        main = add("main", column, _pairs([("winner", match) for match in main]))
        dropped = [("loser", match) for match in (main[::-1] if column % 2 == 0 else main)]
        number = 2 * column - 2
        met = [(("winner", own), new) for own, new in zip(below, dropped, strict=True)]
        below = add("losers", number, met)
        if len(below) > 1:
            below = add("losers", number + 1, _pairs([("winner", match) for match in below]))
    second: Source = ("winner", below[0]) if below else ("loser", main[0])
    (final,) = add("final", 1, [(("winner", main[0]), second)])
    add("final", 2, [(("winner", final), ("loser", final))])
    return tuple(nodes)


def _pairs(sources: list[Source]) -> list[tuple[Source, Source]]:
    return list(zip(sources[::2], sources[1::2], strict=True))


@dataclass(slots=True)
class DoubleBracket:
    """What is known of each match, by its number."""

    nodes: tuple[Node, ...]
    slots: list[str]
    winner: dict[int, str] = field(default_factory=dict)
    loser: dict[int, str] = field(default_factory=dict)
    points: dict[int, tuple[float, ...]] = field(default_factory=dict)
    paired: set[int] = field(default_factory=set)

    def sides(self, match: int) -> tuple[str | None, str | None]:
        """The two entrants of a match."""
        first, second = self.nodes[match].sources
        return self._entrant(first), self._entrant(second)

    def _entrant(self, source: Source) -> str | None:
        kind, number = source
        if kind == "slot":
            return self.slots[number]
        return (self.winner if kind == "winner" else self.loser).get(number)

    def settle(self) -> None:
        """Decide the matches in which there is nobody, and the second final if it is not needed."""
        for match, node in enumerate(self.nodes):
            if match in self.winner:
                continue
            first, second = self.sides(match)
            if first is None or second is None:
                continue
            if NOBODY in (first, second):
                self.winner[match], self.loser[match] = first or second, NOBODY
            elif (node.part, node.column) == ("final", 2) and self._is_decided(match):
                self.winner[match], self.loser[match] = first, second

    def _is_decided(self, match: int) -> bool:
        """Whether the first final was won by the one without a loss."""
        final = match - 1
        return self.winner[final] == self.sides(final)[0]

    def ready(self) -> Iterator[tuple[int, str, str]]:
        """The matches that are open and whose entrants are both known."""
        for match in range(len(self.nodes)):
            if match not in self.winner and match not in self.paired:
                first, second = self.sides(match)
                if first and second:
                    yield match, first, second

    def play(self, each: Round) -> None:
        """What a round has decided."""
        games = {frozenset(game.players): game for game in each.games}
        for match, first, second in list(self.ready()):
            game = games.get(frozenset((first, second)))
            if game is None:  # one of them had left, or both
                self.winner[match] = next((one for one in (first, second) if one in each.byes), NOBODY)
                self.loser[match] = NOBODY
                continue
            self.paired.add(match)
            if game.winner is not None and game.points is not None:
                (won,) = game.winner
                self.winner[match], self.loser[match] = won, second if won == first else first
                self.points[match] = game.points if game.sides[0] == (first,) else game.points[::-1]
        self.settle()

    @property
    def champion(self) -> str | None:
        """The winner of all; None as long as that is open."""
        return self.winner.get(len(self.nodes) - 1) or None

    @property
    def is_over(self) -> bool:
        """Whether every match is decided."""
        return len(self.nodes) - 1 in self.winner

    def rounds_survived(self) -> dict[str, int]:
        """For each entrant, how many rounds of the losers' bracket they have outlasted, or will at least."""
        last = max((node.column for node in self.nodes if node.part == "losers"), default=0)
        survived = {entrant: 0 for entrant in self.slots if entrant}
        for match, node in enumerate(self.nodes):
            safe = {"main": max(2 * node.column - 3, 0), "losers": node.column - 1, "final": last}[node.part]
            for entrant in self.sides(match):
                if entrant:
                    survived[entrant] = max(survived[entrant], safe)
        if self.champion is not None and self.paired:
            survived[self.champion] = last + 1
        return survived


def double_bracket_now(field: Field) -> DoubleBracket:
    """The double bracket after the rounds until now."""
    slots = [slot or NOBODY for slot in starting_slots(field)]
    slots += [NOBODY] * (2 - len(slots))
    found = DoubleBracket(double_bracket(len(slots)), slots)
    found.settle()
    for each in field.rounds:
        found.play(each)
    return found


def pair_double_knockout(field: Field) -> Paired:
    """The next wave; an entrant whose opponent has left has a bye."""
    now = double_bracket_now(field)
    if now.is_over:
        raise InputError("the knockout is over" if field.rounds else "a knockout needs two entrants")
    matches: list[tuple[Side, Side]] = []
    byes: list[str] = []
    for _, first, second in now.ready():
        playing = [player for player in (first, second) if field.entrants[player].here]
        if len(playing) == 2:
            matches.append(((first,), (second,)))
        else:
            byes += playing
    if not field.rounds:  # those without an opponent belong to the bracket, too
        named = {player for match in matches for side in match for player in side}
        byes += [slot for slot in now.slots if slot and slot not in named]
        if has_rivals(field, [slot for slot in now.slots if slot]):
            return Paired(tuple(matches), tuple(byes), draw=(tuple(slot or None for slot in now.slots),))
    return Paired(tuple(matches), tuple(byes))


def double_bracket_matches(field: Field) -> list[BracketMatch]:
    """All matches, also those that are not paired yet; without a second final unless it is played."""
    now, found = double_bracket_now(field), []
    for match, node in enumerate(now.nodes):
        first, second = now.sides(match)
        is_second = (node.part, node.column) == ("final", 2)
        if is_second and (match not in now.points and match not in now.paired):
            continue
        sides = first or None, second or None
        points, winner = now.points.get(match), now.winner.get(match) or None
        found.append(BracketMatch(node.part, node.column, node.row, sides, points, winner))
    return found
