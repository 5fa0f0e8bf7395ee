"""What the columns of a table mean: first by podium's own names, then by the names people use.

A table can be read as *results* (somebody and a rank or score) or as *matches* (two sides and who won); one
with neither, but with somebody's rating, is a list of ratings to set (*adjustments*).
Columns that the caller names come first, podium's own names second, and what people call such columns third
(`podium.tables.columns.column_names`). If two readings are left, the table is refused and both are said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote
from typing import Literal

from podium.errors import InputError
from podium.history.adjustments import COLUMNS as ADJUSTMENT_COLUMNS
from podium.tables.columns import column_names
from podium.tables.columns.column_names import SYNONYMS, NamedColumns, NamePair, plain_name
from podium.tables.columns.partner_columns import FOUR_PLAYERS, PARTNERS, four_columns, partners_of
from podium.text import shorten

ROWS_OF_PLAYERS = (
    "write a row for each player, with the columns event, player and rank or score, and team where players "
    "play together"
)

Shape = Literal["results", "matches", "adjustments"]

MATCH_SIDES = (
    "player_a",
    "player_b",
    "partner_a",
    "partner_b",
    "score_a",
    "score_b",
    "result",
    "winner",
    "loser",
    "draw",
)
"""The columns of which a reading as matches takes only those it needs."""
WINNER_POINTS, LOSER_POINTS = "podium:winner points", "podium:loser points"
RESULT, WINNER, REMARK, RANK = "podium:result", "podium:winner", "podium:remark", "podium:rank"
SEASON, COUNTS = "podium:season", "podium:counts"
PLAYED, STATUS, FINISHED = "podium:played", "podium:status", "podium:finished"
_NEEDED = ("player", "rank", "score", *MATCH_SIDES[:-1])
"""The columns without which there is no result."""


@dataclass
class ColumnReading:
    """One way to read a table: podium's columns, and which of them were found by what people call them."""

    shape: Shape
    theirs: dict[str, str] = field(default_factory=dict)
    """podium's name of a column -> the table's name."""
    guessed: set[str] = field(default_factory=set)
    neutral: bool = False
    """Whether the names of the columns of a match do not say that the first side is at home."""
    lower_is_better: bool = False
    """Whether the name of the column of scores says so."""
    mark: str | None = None
    """The table's name of the column, beside ranks, that says why somebody has none."""
    beside: dict[str, str] = field(default_factory=dict)
    """Columns that are looked into for what they say of the others: what they hold -> the table's name."""
    second_first: bool = False
    """Whether the columns of two sides were found by their names, and the second stands before the first."""

    def describe(self) -> str:
        """The reading in words, for a message."""
        return f"{self.shape} ({', '.join(f'{theirs} as {name}' for name, theirs in self.theirs.items())})"


class RefusedColumnsError(InputError):
    """The columns are those of a table, and do not say what is needed to read it."""


class ColumnChoice:
    """Decides what the columns of one table mean.

    `given` is what the caller says, None for a column to leave out; `own` are those columns, and the columns
    with podium's own names.
    """

    def __init__(
        self, columns: Sequence[str], given: Mapping[str, str | None], own: Mapping[str, str]
    ) -> None:
        self.given, self.own = given, own
        self._columns = columns
        self._named = NamedColumns(columns)
        self._read_by_caller = {name for name, theirs in given.items() if theirs is not None}
        self._claimed = {theirs for theirs in given.values() if theirs is not None} | {
            own[name] for name in given if name in own
        }

    def reading(self, optional: Mapping[Shape, Sequence[str]]) -> ColumnReading | None:
        """How to read the table, or None; `optional` are the columns that each shape has a use for."""
        if (found := self._of_ratings()) is not None:
            self._check_alike(found)
            return found
        found = self._reading()
        if found is None:
            return None
        self._add_partners(found)
        self._add_time(found)
        apart = {"time", "clock", *MATCH_SIDES}
        if "adjustment" not in self.own:
            apart |= {*ADJUSTMENT_COLUMNS, *(["player"] if found.shape == "matches" else [])}
        for name in optional[found.shape]:
            if name in found.theirs or name in apart:
                continue
            if name in self.own and self.own[name] not in found.theirs.values():
                found.theirs[name] = self.own[name]
            elif name in ("event", "team", "rated", "weight", "neutral"):
                self._guess(found, name)
        if "winner" in found.theirs and not self._take_own(found, "draw"):
            self._guess(found, "draw")
        for name in self.given:  # what the caller names and the reading does not need, to be refused or read
            if name in self.own and name not in found.theirs:
                found.theirs[name] = self.own[name]
        if "rank" in found.theirs and "score" not in found.theirs:
            used = self._taken(found) - {found.theirs.get("time")}
            found.mark = self._named.first(column_names.result_names(), used)
        found.theirs = {
            name: found.theirs[name] for name in optional[found.shape] if name in found.theirs
        } | {name: theirs for name, theirs in found.theirs.items() if name not in optional[found.shape]}
        self._check_alike(found)
        self._look_beside(found)
        return found

    def _look_beside(self, found: ColumnReading) -> None:
        """Choose columns that are not read and may say that a match ended otherwise, or does not count."""
        if "loser" in found.theirs and "player_a" not in found.theirs:
            points = self._named.pair(column_names.winner_score_pairs(), self._taken(found))
            if points is not None and not {"draw", "score_a"} & {*found.theirs, *self.given}:
                found.beside |= {WINNER_POINTS: points[0], LOSER_POINTS: points[1]}
            self._add_beside(found, RESULT, SYNONYMS["result"])
        elif self._may_be_contradicted(found):
            of_sets = column_names.RESULTS_OF_SETS if "winner" in found.theirs else ()
            self._add_beside(found, RESULT, (*SYNONYMS["result"], *of_sets))
            self._add_beside(found, WINNER, SYNONYMS["winner"])
        if "event" in found.guessed and found.shape == "results":
            self._add_beside(found, SEASON, column_names.YEARS)
        if found.shape == "results" and "score" in found.theirs and "rank" not in found.theirs:
            self._add_beside(found, RANK, (*SYNONYMS["rank"], *column_names.LOW_SCORES))
            if "finished" not in {*found.theirs, *self.given}:
                self._add_beside(found, FINISHED, column_names.RESULT_STATUSES)
        if found.shape == "matches":
            self._add_beside(found, PLAYED, column_names.PLAYED_MARKS)
            self._add_beside(found, STATUS, column_names.STATUSES)
        if "rated" not in {*found.theirs, *self.given}:
            marks = [column for column in self._columns if column_names.says_not_counted(column) is not None]
            self._add_beside(found, COUNTS, [plain_name(column) for column in marks])
        self._add_beside(found, REMARK, column_names.REMARKS)

    def _may_be_contradicted(self, found: ColumnReading) -> bool:
        """Whether another column could name another winner; what the caller has said is not doubted."""
        said = self.given.keys() & {"score_a", "winner", "result"}
        return bool(found.theirs.keys() & {"score_b", "winner"}) and not (found.second_first or said)

    def _add_beside(self, found: ColumnReading, what: str, names: Sequence[str]) -> None:
        column = self._named.first(names, self._taken(found))
        if column is not None and len(self._named.alike(column)) == 1:
            found.beside[what] = column

    def understood(self) -> str | None:
        """What can be understood of a table that cannot be read, and what is missing."""
        found = ColumnReading("matches")
        if pair := self._players_of_pair():
            found.theirs |= {"player_a": pair[0], "player_b": pair[1]}
            missing = "A result is missing: two scores (score_a, score_b), result or winner"
        elif self._take_own(found, "winner") or self._guess(found, "winner"):
            missing = "The other player is missing: add loser, or player_a and player_b next to the winner"
        elif self._take_own(found, "score_a") or self._guess_points(found):
            missing = "The two players are missing: player_a and player_b"
        else:
            found.shape = "results"
            if self._take_own(found, "player") or self._guess(found, "player"):
                missing = "A result is missing: rank or score"
            elif any(self._take_own(found, name) or self._guess(found, name) for name in ("rank", "score")):
                missing = "A column player is missing"
            else:
                return None
        self._add_time(found)
        if not self._take_own(found, "event"):
            self._guess(found, "event")
        said = ", ".join(
            shorten(theirs) if theirs.strip().lower() == name else f"{shorten(theirs)} as {name}"
            for name, theirs in sorted(
                found.theirs.items(), key=lambda item: item[0] not in ("time", "clock")
            )
        )
        rename = ""
        if pair and (twice := self._named.twice()):
            a, b = (shorten(theirs) for theirs in pair)
            rename = (
                f". {shorten(twice[0])!r} appears twice there: if these are scores, call that of {a} "
                f"score_a and that of {b} score_b"
            )
        are = "is" if len(found.theirs) == 1 else "are"
        return f"{said} {are} understood. {missing}{rename}"

    def _players_of_pair(self) -> tuple[str, str] | None:
        if {"player_a", "player_b"} <= self.own.keys():
            return self.own["player_a"], self.own["player_b"]
        pair = self._named.pair(column_names.player_pairs(), self._claimed)
        return None if pair is None else pair[:2]

    def _check_alike(self, found: ColumnReading) -> None:
        """Refuse two columns of one name of which one would be read; podium's own name comes first."""
        for name, theirs in found.theirs.items():
            alike = [column for column in self._named.alike(theirs) if column not in self._claimed]
            if len(alike) < 2 or name in self.given or theirs.strip().lower() == name:
                continue
            shown = [repr(shorten(column)) for column in alike]
            if same := len(set(alike)) == 1:
                reason = f"there are {'two' if len(alike) == 2 else len(alike)} columns {shown[0]}"
            else:
                reason = f"the columns {' and '.join(shown)} have the same name"
            hints = ["rename one"]
            if name in ("player", "score"):
                hints = [f"rename them to {name}_a and {name}_b (if they belong to two sides of a match)"]
            if not same:
                hints.append(f"choose one: {column_option(name, alike[0])}")
            if name not in _NEEDED:
                hints.append(f"read none of them: --column {name}= (columns={{{name!r}: None}})")
            raise RefusedColumnsError(reason, hint=", or ".join(hints))

    def _reading(self) -> ColumnReading | None:
        """The columns without which there is no result; podium's own names decide wherever they suffice."""
        own = self.own
        if {"player_a", "player_b"} <= own.keys() and own.keys() & {"score_a", "result"}:
            return self._of_pair()
        if {"winner", "loser"} <= own.keys():
            return self._of_winner()
        if {"event", "player"} <= own.keys() and own.keys() & {"rank", "score"}:
            return self._of_player()
        matches = self._of_pair() or self._of_winner()
        results = self._of_player()
        if results is None or matches is None:
            return matches or results
        if matches.theirs.get("result") in results.theirs.values():
            return matches  # the result of two sides; somebody's name beside it is that of the match
        exact = [len(one.theirs) - len(one.guessed) for one in (matches, results)]
        if exact[0] != exact[1]:
            return matches if exact[0] > exact[1] else results
        raise InputError(
            f"the columns can be read as {matches.describe()} and as {results.describe()}",
            hint="leave one reading out: --column player= (columns={'player': None}) if they are matches, "
            "--column player_a= --column winner= (columns={'player_a': None, 'winner': None}) if they are "
            "results",
        )

    # ------------------------------------------------------------------ shapes

    def _of_pair(self) -> ColumnReading | None:
        """Two players or teams, and the points of both, who won, or one cell with the result."""
        found = ColumnReading("matches")
        if not (self._take_own(found, "player_a") and self._take_own(found, "player_b")):
            if {"player_a", "player_b"} & self.given.keys():
                return None
            found.theirs.clear()
            pair = self._named.pair(column_names.player_pairs(), self._claimed)
            if pair is None:
                if not self._take_doubles(found, by_winner=False):
                    return None
            else:
                self._take_pair(found, *pair)
        else:
            found.neutral = not column_names.names_home(found.theirs["player_a"], found.theirs["player_b"])
        if self._take_own(found, "score_a"):
            self._take_own(found, "score_b")
        elif {"winner", "result"} & self._read_by_caller or not self._guess_points(found):
            if self._take_own(found, "winner") or self._guess(found, "winner"):
                return found
            if not (self._take_own(found, "result") or self._guess(found, "result")):
                return None
            self._check_parts(found)
        return found

    def _check_parts(self, found: ColumnReading) -> None:
        """Refuse the sets of a match as its result, where a column next to them may have its games."""
        theirs = found.theirs["result"]
        other = self._named.first(column_names.GAMES, self._taken(found))
        if (
            "result" in found.guessed
            and other is not None
            and plain_name(theirs) in column_names.RESULTS_OF_SETS
        ):
            raise RefusedColumnsError(
                f"{shorten(theirs)!r} and {shorten(other)!r} may both have the result",
                hint=f"{column_option('result', theirs)}, or {column_option('result', other)}",
            )

    def _take_pair(self, found: ColumnReading, first: str, second: str, pair: NamePair) -> None:
        """Take two columns of players, of whom a third would be one too many."""
        found.theirs |= {"player_a": first, "player_b": second}
        found.guessed |= {"player_a", "player_b"}
        found.neutral = not pair.at_home
        found.second_first = self._columns.index(second) < self._columns.index(first)
        third = self._named.first([pair.third], self._claimed)
        if third is not None:
            raise RefusedColumnsError(
                f"{shorten(third)!r} is a third player in a row, and a match has two sides",
                hint=f"{FOUR_PLAYERS}. If all play against each other, {ROWS_OF_PLAYERS}",
            )

    def _guess_points(self, found: ColumnReading) -> bool:
        """Take two columns with the points of both sides."""
        if {"score_a", "score_b"} & self.given.keys():
            return False
        pair = self._named.pair(column_names.score_pairs(), self._taken(found))
        if pair is not None:
            if found.second_first and pair[2].third:
                a, b = (found.theirs[name] for name in ("player_a", "player_b"))
                raise RefusedColumnsError(
                    f"{shorten(pair[0])!r} may belong to {shorten(a)!r}, or to {shorten(b)!r}, the first "
                    "column",
                    hint=sides_hint(a, b, at_home=not found.neutral),
                )
            found.theirs |= {"score_a": pair[0], "score_b": pair[1]}
            found.guessed |= {"score_a", "score_b"}
        return pair is not None

    def _of_winner(self) -> ColumnReading | None:
        found = ColumnReading("matches")
        if self._take_own(found, "winner") and self._take_own(found, "loser"):
            return found
        if {"winner", "loser"} & self.given.keys():
            return None
        pair = self._named.pair(column_names.winner_pairs(), self._claimed)
        if pair is None:
            found.theirs.clear()
            return found if self._take_doubles(found, by_winner=True) else None
        return ColumnReading("matches", {"winner": pair[0], "loser": pair[1]}, {"winner", "loser"})

    def _take_doubles(self, found: ColumnReading, *, by_winner: bool) -> bool:
        """Take four columns of players, two for each side."""
        sides = four_columns(self._columns, self._claimed)
        if sides is None or sides.by_winner != by_winner:
            return False
        if sides.third is not None:
            raise RefusedColumnsError(
                f"{shorten(sides.third)!r} is a third member of a side, and podium reads two in columns",
                hint=ROWS_OF_PLAYERS,
            )
        names = (*(("winner", "loser") if by_winner else ("player_a", "player_b")), "partner_a", "partner_b")
        first, first_partner, second, second_partner = sides.columns
        found.theirs |= dict(zip(names, (first, second, first_partner, second_partner), strict=True))
        found.guessed |= {*names}
        found.neutral = not sides.at_home
        found.second_first = self._columns.index(second) < self._columns.index(first)
        return True

    def _add_partners(self, found: ColumnReading) -> None:
        """Take the columns of those who play together with the players found."""
        if {"partner_a", "partner_b"} & {*self.own, *found.theirs}:
            for name in ("partner_a", "partner_b"):
                self._take_own(found, name)
            return
        if found.shape == "results" and "player" in found.theirs:
            partner = self._named.first(PARTNERS, self._taken(found))
            if partner is not None and "partner_a" not in self.given:
                found.theirs["partner_a"] = partner
                found.guessed.add("partner_a")
            return
        names = ("winner", "loser") if "player_a" not in found.theirs else ("player_a", "player_b")
        first, second = (found.theirs[name] for name in names)
        if (pair := partners_of(self._columns, self._named, first, second, self._taken(found))) is not None:
            found.theirs |= {"partner_a": pair[0], "partner_b": pair[1]}
            found.guessed |= {"partner_a", "partner_b"}

    def _of_player(self) -> ColumnReading | None:
        """Somebody with a rank or a score; a column `time` is the score where nothing else is."""
        found = ColumnReading("results")
        if not (self._take_own(found, "player") or self._guess(found, "player") or self._take_list(found)):
            return None
        by_score = "score" in self._read_by_caller
        ranked = "rank" in found.theirs or self._take_own(found, "rank")
        ranked = ranked or (not by_score and self._guess(found, "rank"))
        if self._take_own(found, "score"):
            found.lower_is_better = "score" in self.given and column_names.is_low_score(self.own["score"])
        elif not ranked and self._guess(found, "score"):
            found.lower_is_better = column_names.is_low_score(found.theirs["score"])
        elif not ranked and (time := self._result_time(found)) is not None:
            found.theirs["score"] = time
            found.guessed.add("score")
            found.lower_is_better = True
        elif not ranked and self._take_won(found):
            pass
        elif not ranked:
            if "time" not in self.own or "adjustment" in self.own or {"time", "score"} & self.given.keys():
                return None
            found.theirs["score"] = self.own["time"]
            found.guessed.add("score")
            found.lower_is_better = True
        if "event" not in self.own and self._named.first(column_names.OPPONENTS, self._taken(found)):
            return None  # a row with an opponent is a match, and perhaps the other side's row tells it again
        return found

    def _take_won(self, found: ColumnReading) -> bool:
        """Take a column that says of each player whether this player won."""
        won = self._named.first(column_names.WON_MARKS, self._taken(found))
        if won is None or {"time", "score"} & self.given.keys():
            return False
        found.theirs["score"] = won
        found.guessed.add("score")
        return True

    def _of_ratings(self) -> ColumnReading | None:
        """A list of ratings from elsewhere: somebody and a rating, and nothing that is a result.

        A rank beside a rating makes it a result, unless the caller or podium's own name says `display`.
        """
        found = ColumnReading("adjustments")
        if "adjustment" in self.own or not (self._take_own(found, "player") or self._guess(found, "player")):
            return None
        rated = (
            self._take_own(found, "display") or self._take_own(found, "mu") or self._guess(found, "display")
        )
        if not rated or ("display" not in self._read_by_caller and self._has_results(found)):
            return None
        for name in ("sigma", "volatility", "events"):
            _ = self._take_own(found, name) or self._guess(found, name)
        if not self._take_own(found, "time") and "time" not in self.given:
            date = self._named.first(column_names.RATING_DATES, self._taken(found))
            if date is not None:
                found.theirs["time"] = date
                found.guessed.add("time")
        return found

    def _has_results(self, found: ColumnReading) -> bool:
        """Whether a table with ratings has results, too."""
        if self.own.keys() & {"event", "rank", "score", *MATCH_SIDES} or self._of_pair() or self._of_winner():
            return True
        taken = self._taken(found)
        names = [*column_names.OPPONENTS]
        if "display" not in self.own:
            names += [*SYNONYMS["rank"], *SYNONYMS["score"], *SYNONYMS["event"]]
        return self._named.first(names, taken) is not None or self._result_time(found) is not None

    def _take_list(self, found: ColumnReading) -> bool:
        """Take the columns of a list with the head `# Who`, of which neither alone says enough."""
        rank, player = (self._named.first([name], self._taken(found)) for name in ("#", "who"))
        if rank is None or player is None or {"rank", "player"} & {*self.own, *self.given}:
            return False
        found.theirs |= {"rank": rank, "player": player}
        found.guessed |= {"rank", "player"}
        return True

    def _result_time(self, found: ColumnReading) -> str | None:
        """The column that says how long somebody took, if there is one."""
        if "score" in self.given:
            return None
        taken = self._taken(found)
        free = (column for column in self._columns if column not in taken)
        return next((column for column in free if column_names.is_result_time(column)), None)

    def _add_time(self, found: ColumnReading) -> None:
        """The time of an event: a moment, or a day with the clock beside it."""
        if "clock" in self.given:
            self._take_own(found, "clock")
        own = self.own.get("time")
        own = None if own in found.theirs.values() else own
        if "time" in self.given:
            if own is not None:
                found.theirs["time"] = own
            return
        days = column_names.DATES
        day = self._named.first(days, self._taken(found))
        if own is not None and day is None:
            found.theirs["time"] = own
            return
        if day is not None and (own is not None or self._clock_first(found)):
            found.theirs["time"] = day
            found.guessed.add("time")
        elif not self._guess(found, "time"):
            return
        elif day is not None and plain_name(found.theirs["time"]) in column_names.CLOCKS:
            found.theirs["time"] = day
        if plain_name(found.theirs["time"]) in days and "clock" not in self.given:
            clocks = (*column_names.CLOCKS, "zeit") if found.shape == "matches" else column_names.CLOCKS
            clock = self._named.first(clocks, self._taken(found))
            if clock is not None:
                found.theirs["clock"] = clock
                found.guessed.add("clock")

    def _clock_first(self, found: ColumnReading) -> bool:
        """Whether the likeliest time may be the time of day, such as `game time` beside a date."""
        time = self._named.first(SYNONYMS["time"], self._taken(found))
        return time is not None and plain_name(time) in column_names.CLOCKS

    # ------------------------------------------------------------------ single columns

    def _taken(self, found: ColumnReading) -> set[str]:
        return self._claimed.union(found.theirs.values())

    def _take_own(self, found: ColumnReading, name: str) -> bool:
        """Take the column that the caller gives or that has podium's own name, if it is there."""
        if name in self.own:
            found.theirs[name] = self.own[name]
        return name in self.own

    def _guess(self, found: ColumnReading, name: str) -> bool:
        """Take the column that people would call so, unless the caller has said what it is."""
        if name in self.given:
            return False
        names = SYNONYMS[name]
        if name == "event" and found.shape == "matches":
            names = column_names.MATCH_EVENTS
        column = self._named.first(names, self._taken(found))
        if column is not None:
            found.theirs[name] = column
            found.guessed.add(name)
        return column is not None


def column_option(name: str, theirs: str) -> str:
    """The option that reads a column, on the command line and in Python."""
    return f"--column {quote(f'{name}={theirs}')} (columns={{{name!r}: {theirs!r}}})"


def sides_hint(first: str, second: str, *, at_home: bool) -> str:
    """How to say which of two columns of players comes first in a result; `first` is perhaps at home."""

    def options(**columns: str) -> str:
        said = " ".join(f"--column {quote(f'{name}={theirs}')}" for name, theirs in columns.items())
        return f"{said} (columns={columns})"

    home = {"home": first} if at_home else {}
    return (
        f"choose which of them comes first: {options(player_a=first, player_b=second)}, or "
        f"{options(player_a=second, player_b=first, **home)}"
    )
