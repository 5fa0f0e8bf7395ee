"""What a service should say, by a `podium.Ladder` in memory and a dictionary of keys."""

from __future__ import annotations

from copy import deepcopy
from datetime import datetime
from random import Random
from typing import Any

from podium import Ladder
from podium.errors import InputError
from podium.history import Event, Merge, Rename
from podium.history.adjustments import make_adjustment
from podium.history.times import Moment, to_micros
from podium.systems import RatingSystem

Plain = dict[str, Any]
DAY = 86_400
START = 1_500_000_000
OF_REPORT = ("key", "disqualified", "rated", "allow_repeat")


class LadderModel:
    """A ladder that takes reports as a service does: late ones at the last time, nobody disqualified."""

    def __init__(self, system: RatingSystem | str) -> None:
        self.ladder = Ladder(system)
        self.names: set[str] = set()
        """Everybody who has a number: who took part in anything that was recorded."""
        self.head = 0

    def record(self, sent: Plain) -> None:
        """Record a report, or raise one of podium's errors; then nothing has changed."""
        if "adjustment" in sent:
            self._adjust(sent)
        else:
            self._rate(sent)
        self.head += 1

    def _rate(self, sent: Plain) -> None:
        words = {word: value for word, value in sent.items() if word not in OF_REPORT}
        event = Event.of(**words)
        kept = without(words, set(sent.get("disqualified", [])))
        if kept is not None and sent.get("rated", True):
            self.ladder.record(**self._placed(kept), allow_repeat=True)
        self.names |= {name for side in event.sides for name in side}

    def _adjust(self, sent: Plain) -> None:
        values = {word: value for word, value in sent.items() if word not in ("adjustment", "key", "time")}
        adjustment = make_adjustment(sent["adjustment"], values)
        if (
            isinstance(adjustment, Rename)
            and adjustment.player in self.ladder
            and adjustment.into in self.names
        ):
            raise InputError("already exists")
        at, placed = to_micros(sent.get("time")), to_micros(self._placed(sent).get("time"))
        self.ladder._apply_adjustment(adjustment, placed, since=at)  # a set rating is one of its own time
        self.names |= set(adjustment.players)
        if isinstance(adjustment, (Rename, Merge)):
            self.names.remove(adjustment.player)

    def _placed(self, words: Plain) -> Plain:
        if words.get("time") is None:
            return words
        return {**words, "time": Moment(max(to_micros(words["time"]), self.ladder.last_time))}

    def ratings(self) -> list[Plain]:
        """Everybody's rating, best first, such as a board with `min_events` 0 has them."""
        rows = self.ladder.leaderboard(min_events=0).to_dicts()
        return [{**row, "last_time": iso(row["last_time"])} for row in rows]

    def copy(self) -> LadderModel:
        """An independent model."""
        return deepcopy(self)


def iso(moment: datetime | None) -> str | None:
    """A time as answers show it."""
    if moment is None:
        return None
    return moment.replace(tzinfo=None).isoformat() + "Z"


def without(words: Plain, gone: set[str]) -> Plain | None:
    """An event in which every player is a side of their own, without some of them."""
    if not gone:
        return words
    assert "teams" not in words
    kind = "ranks" if "ranks" in words else "scores"
    left = {name: value for name, value in words[kind].items() if name not in gone}
    if len(left) < 2:
        return None
    if kind == "ranks":
        left = {name: 1 + sum(other < rank for other in left.values()) for name, rank in left.items()}
    others = {word: value for word, value in words.items() if word not in (kind, "home", "unrated")}
    if words.get("home") not in gone and "home" in words:
        others["home"] = words["home"]
    others["unrated"] = [name for name in words.get("unrated", []) if name not in gone]
    return {kind: left, **others}


def random_reports(
    system: RatingSystem, chance: Random, number: int, *, adjusting: bool = True
) -> list[Plain]:
    """Reports such as a system may take, some of which it refuses."""
    names = [f"p{one}" for one in range(8)]
    return [_random_report(system, chance, names, place, adjusting) for place in range(number)]


def _random_report(
    system: RatingSystem, chance: Random, names: list[str], place: int, adjusting: bool
) -> Plain:
    time = START + place * DAY + chance.randint(-2, 2) * DAY
    if adjusting and chance.random() < 0.25:
        return {"key": f"key {place}", "time": time, **_random_adjustment(chance, names, system)}
    can = system.supports
    size = chance.randint(2, 5) if can.many else 2
    chosen = chance.sample(names, size)
    sent: Plain = {"key": f"key {place}", "time": time, "name": f"event {place}"}
    if can.teams and size > 3 and chance.random() < 0.5:
        sent |= {"teams": [chosen[:2], chosen[2:]], "ranks": [1, 2]}
    elif chance.random() < 0.5:
        highest = size if can.ties else 1
        ranks = [chance.randint(1, highest) for _ in chosen] if can.ties else list(range(1, size + 1))
        sent["ranks"] = dict(zip(chosen, ranks, strict=True))
    else:
        points = chance.sample(range(100), size)
        sent["scores"] = {name: float(score) for name, score in zip(chosen, points, strict=True)}
    if chance.random() < 0.15:
        sent["unrated"] = [chosen[0]]
    if chance.random() < 0.15 and "teams" not in sent:
        sent["disqualified"] = chance.sample(chosen, chance.randint(1, 2))
    if chance.random() < 0.1:
        sent["rated"] = False
    if can.weights and chance.random() < 0.2:
        sent["weight"] = 0.5
    return sent


def _random_adjustment(chance: Random, names: list[str], system: RatingSystem) -> Plain:
    one, other = chance.sample([*names, "new 1", "new 2"], 2)
    sigma: Plain = {"sigma": 60.0} if system.has_sigma else {}
    return chance.choice(
        [
            {"adjustment": "set-rating", "player": one, "mu": 1700.0, **sigma},
            {"adjustment": "anchor", "player": one, "mu": 1600.0},
            {"adjustment": "release", "player": one},
            {"adjustment": "reset", "keep": 0.5},
            {"adjustment": "rename", "player": one, "into": other},
            {"adjustment": "rename", "player": one, "into": f"fresh {chance.randrange(1000)}"},
            {"adjustment": "merge", "player": one, "into": other},
        ]
    )
