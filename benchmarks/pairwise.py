"""Elo, Glicko, Glicko-2 and Yuksel's system over ten million matches, one thread, beside the peers.

    python benchmarks/pairwise.py --peers .venv-peers/bin/python

Runs in podium's environment; each peer runs in a process of its own with the interpreter given, one after
another, on the same matches. `--quick` does it all at a hundredth of the size.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from common import (
    HERE,
    ONE_THREAD,
    REPOSITORY,
    Timing,
    best_of,
    console,
    print_machine,
    print_table,
    run_fresh,
    temporary_folder,
    use_one_thread,
    verdict,
)

use_one_thread()

import numpy as np  # noqa: E402

import podium  # noqa: E402

if TYPE_CHECKING:
    from numpy.typing import NDArray

MATCHES, PLAYERS = 10_000_000, 1_000_000
SLOW_PEER_SHARE = 10
"""Peers below a million matches a second get a tenth of the matches, over a tenth of the players."""
NAIVE_MATCHES = 20_000
AGREEMENT_MATCHES, AGREEMENT_PLAYERS, AGREEMENT_DAYS = 5_000, 200, 10

SYSTEMS = {
    "elo": podium.Elo(),
    "glicko": podium.Glicko(),
    "glicko2": podium.Glicko2(),
    "yuksel": podium.Yuksel(),
}
LEVELS = {"elo": 15.0, "glicko": 4.0, "yuksel": 4.0}
"""Million matches a second to be reached without a trace; with one, half of it."""
DAY = 86_400
TIMES_FASTER = {"elo": 10.0, "glicko": 10.0, "glicko2": 10.0, "yuksel": 25.0}
"""How many times the fastest peer of the same system."""


@dataclass(frozen=True)
class Peer:
    """A method of `peer_pairwise.py`."""

    method: str
    system: str
    shown: str
    slow: bool = True
    public: bool = True
    """Whether its users can call it: a private function is shown and not counted as a peer."""


PEERS = (
    Peer("evalica-elo", "elo", "evalica: elo(xs, ys, winners)"),
    Peer("evalica-elo-indexed", "elo", "evalica: with index of players", slow=False),
    Peer("evalica-elo-solver", "elo", "evalica: private Rust function", slow=False, public=False),
    Peer("riix-elo", "elo", "riix"),
    Peer("python-elo", "elo", "plain Python loop", public=False),
    Peer("riix-glicko", "glicko", "riix"),
    Peer("riix-glicko2", "glicko2", "riix"),
    Peer("riix-yuksel", "yuksel", "riix"),
)

# ---------------------------------------------------------------------------------------------------------
# The matches


@dataclass(frozen=True)
class Matches:
    """Columns of matches between players 0, 1, …, n_players − 1."""

    a: NDArray[np.int32]
    b: NDArray[np.int32]
    score: NDArray[np.float64]
    day: NDArray[np.int64]
    n_players: int

    @classmethod
    def random(cls, n_matches: int, n_players: int, days: int = 1, seed: int = 1) -> Matches:
        """Anybody meets anybody; skills are normal, 300 points wide; one match in ten is drawn."""
        rng = np.random.default_rng(seed)
        skill = rng.normal(1500.0, 300.0, n_players)
        a = rng.integers(0, n_players, n_matches, dtype=np.int32)
        b = (a + rng.integers(1, n_players, n_matches, dtype=np.int32)) % n_players
        expected = 1.0 / (1.0 + 10.0 ** ((skill[b] - skill[a]) / 400.0))
        score = (rng.random(n_matches) < expected).astype(np.float64)
        score[rng.random(n_matches) < 0.1] = 0.5
        return cls(a, b, score, np.arange(n_matches) * days // n_matches, n_players)

    def save(self, folder: Path) -> Path:
        """Write the columns where `peer_pairwise.py` finds them."""
        folder.mkdir()
        for name, column in vars(self).items():
            np.save(folder / f"{name}.npy", column)
        return folder

    def history(self, *, timed: bool = False) -> podium.History:
        """As podium takes them."""
        times = self.day * DAY if timed else None
        return podium.History.from_matches(self.a, self.b, self.score, time=times)


# ---------------------------------------------------------------------------------------------------------
# Speed


@dataclass
class Board:
    """The measurements, and what they say of the levels."""

    rows: list[tuple[str, ...]] = field(default_factory=list)
    podium_speed: dict[str, float] = field(default_factory=dict)
    fastest_peer: dict[str, tuple[float, str]] = field(default_factory=dict)
    judgements: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, system: str, who: str, n_matches: int, timing: Timing) -> float:
        """Note a measurement; million matches a CPU second."""
        speed = n_matches / timing.cpu / 1e6
        ours = self.podium_speed.get(system)
        self.rows.append(
            (
                system,
                who,
                f"{n_matches:,}",
                f"{timing.wall:.3f}",
                f"{timing.cpu:.3f}",
                f"{speed:.3f}" if speed < 1 else f"{speed:.1f}",
                "" if ours is None else f"{ours / speed:.1f}×",
            )
        )
        return speed

    def judge(self, what: str, level: str, reached: str, met: bool) -> None:
        """Note whether a level is reached."""
        self.judgements.append((what, level, reached, verdict(met)))

    def print(self) -> None:
        """The tables."""
        print_table(
            "Speed (one thread; M/s and ratios by CPU time, which leaves out what other programs took)",
            ["system", "who", ">matches", ">wall s", ">CPU s", ">M matches/s", ">podium is"],
            self.rows,
        )
        print_table("Levels", ["what", "level", ">reached", "met"], self.judgements)


def measure_podium(board: Board, matches: Matches, repeats: int) -> None:
    """Time `rate` without and with a trace, after a small call of each."""
    history = matches.history()
    n = len(history)
    for name, system in SYSTEMS.items():
        for trace in (False, True):
            podium.rate(history[:1000], system, trace=trace)
        bare = board.add(name, "podium", n, best_of(repeats, lambda s=system: podium.rate(history, s)))
        board.podium_speed[name] = bare
        traced = board.add(
            name,
            "podium, trace=True",
            n,
            best_of(repeats, lambda s=system: podium.rate(history, s, trace=True)),
        )
        if name in LEVELS:
            level = LEVELS[name]
            board.judge(f"{name}, M matches/s", f"≥ {level:g}", f"{bare:.1f}", bare >= level)
            board.judge(
                f"{name} with trace, M matches/s", f"≥ {level / 2:g}", f"{traced:.1f}", traced >= level / 2
            )


def measure_peers(board: Board, large: Path, small: Path, python: Path, repeats: int) -> None:
    """Time each peer in a process of its own, one after another."""
    for peer in PEERS:
        folder = small if peer.slow else large
        timing = _run_peer(python, folder, peer.method, repeats)
        speed = board.add(
            peer.system, f"{peer.shown} {timing.version}".rstrip(), timing.matches, timing.timing
        )
        if peer.public:
            board.fastest_peer[peer.system] = max(
                (speed, peer.shown), board.fastest_peer.get(peer.system, (0.0, ""))
            )
    for system, (speed, who) in board.fastest_peer.items():
        ratio = board.podium_speed[system] / speed
        board.judge(
            f"{system} against the fastest peer ({who})",
            f"≥ {TIMES_FASTER[system]:g}×",
            f"{ratio:.1f}×",
            ratio >= TIMES_FASTER[system],
        )


def measure_naive(board: Board, matches: Matches) -> None:
    """The twins of `tests/naive`, written for reading, for scale."""
    sys.path.insert(0, str(REPOSITORY / "tests"))
    from naive import elo, glicko, glicko2, yuksel
    from naive.events import Event

    n = min(NAIVE_MATCHES, len(matches.a))
    ranks = {1.0: [1, 2], 0.5: [1, 1], 0.0: [2, 1]}
    rows = zip(matches.a[:n].tolist(), matches.b[:n].tolist(), matches.score[:n].tolist(), strict=True)
    events = [Event(sides=[[str(a)], [str(b)]], ranks=ranks[score]) for a, b, score in rows]
    for name, module in {"elo": elo, "glicko": glicko, "glicko2": glicko2, "yuksel": yuksel}.items():
        board.add(name, "naive twin (tests/naive)", n, best_of(1, lambda m=module: m.rate(events)))


@dataclass(frozen=True)
class PeerTiming:
    """What a peer's process answers."""

    version: str
    matches: int
    timing: Timing


def _run_peer(python: Path, folder: Path, method: str, repeats: int) -> PeerTiming:
    command = [str(python), str(HERE / "peer_pairwise.py"), str(folder), method, "--repeat", str(repeats)]
    answer = run_fresh(command, ONE_THREAD).answer
    return PeerTiming(answer["version"], answer["matches"], Timing(answer["wall"], answer["cpu"]))


# ---------------------------------------------------------------------------------------------------------
# Agreement: the same numbers, or the reason why not


@dataclass(frozen=True)
class Claim:
    """That a peer's method and a system of podium compute the same."""

    method: str
    system: podium.RatingSystem
    tolerance: float | None
    note: str = ""
    seen_on: int | None = None
    """The day whose events would find podium's ratings like this; None for right after the last match."""

    def describe_system(self) -> str:
        """The system as one would write it, defaults left out."""
        default = type(self.system)().parameters()
        given = {name: value for name, value in self.system.parameters().items() if value != default[name]}
        return (
            f"{type(self.system).__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"
        )


CLAIMS = (
    Claim("evalica-elo", podium.Elo(), 1e-6),
    Claim("evalica-elo-indexed", podium.Elo(), 1e-6),
    Claim("evalica-elo-solver", podium.Elo(), 1e-6),
    Claim("riix-elo", podium.Elo(), 1e-6),
    Claim("python-elo", podium.Elo(), 1e-6),
    Claim("riix-glicko", podium.Glicko(c=0.0), 1e-6, "one period, in which nothing grows"),
    Claim("riix-glicko2", podium.Glicko2(), None, "riix has no φ² + σ² (step 6) between matches"),
    # riix grows the deviations of whoever misses a day: in Glicko as it begins, in Glicko-2 as it ends.
    Claim(
        "riix-glicko-days",
        podium.Glicko(c=15.0, period="1d"),
        1e-6,
        "days as periods",
        seen_on=AGREEMENT_DAYS - 1,
    ),
    Claim(
        "riix-glicko2-days",
        podium.Glicko2(period="1d"),
        1e-4,
        "riix rounds 400/ln 10",
        seen_on=AGREEMENT_DAYS,
    ),
    Claim("riix-yuksel", podium.Yuksel(step=0.9, first_weight=0.01), 1e-6, "the peer's parameters"),
)


def check_agreement(folder: Path, python: Path) -> None:
    """Print by how much final ratings and deviations differ on a small history."""
    matches = Matches.random(AGREEMENT_MATCHES, AGREEMENT_PLAYERS, AGREEMENT_DAYS, seed=2)
    matches.save(folder)
    rows = []
    for claim in CLAIMS:
        _run_peer(python, folder, claim.method, 1)
        theirs = np.load(folder / f"{claim.method}.npy").reshape(matches.n_players, -1)
        difference = float(np.abs(theirs - _final_ratings(matches, claim)).max())
        if claim.tolerance is None:
            expected = "another algorithm"
        else:
            expected = f"≤ {claim.tolerance:g}: {verdict(difference <= claim.tolerance)}"
        rows.append((claim.method, claim.describe_system(), f"{difference:.1e}", expected, claim.note))
    print_table(
        f"Agreement on {AGREEMENT_MATCHES:,} matches: largest difference of a rating or deviation, in points",
        ["peer", "podium", ">differs by", "expected", "because"],
        rows,
    )


def _final_ratings(matches: Matches, claim: Claim) -> NDArray[np.float64]:
    """Ratings, and deviations where there are any, by player."""
    at = None if claim.seen_on is None else claim.seen_on * DAY
    frame = podium.rate(matches.history(timed=True), claim.system).ladder.ratings(at=at)
    order = np.argsort(frame["player"].cast(int).to_numpy())
    assert len(order) == matches.n_players, "a player without a match would shift the rows"
    columns = [frame[name].to_numpy()[order] for name in ("mu", "sigma") if frame[name].null_count() == 0]
    return np.column_stack(columns)


# ---------------------------------------------------------------------------------------------------------


def main() -> None:
    """Measure, compare, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", type=Path, default=REPOSITORY / ".venv-peers/bin/python", metavar="PYTHON")
    parser.add_argument("--quick", action="store_true", help="a hundredth of the size")
    parser.add_argument("--repeat", type=int, default=5, help="the fastest of so many calls counts")
    arguments = parser.parse_args()
    share = 100 if arguments.quick else 1
    n_matches, n_players = MATCHES // share, PLAYERS // share

    print_machine()
    board = Board()
    large = Matches.random(n_matches, n_players)
    small = Matches.random(n_matches // SLOW_PEER_SHARE, n_players // SLOW_PEER_SHARE)
    console.print(f"{n_matches:,} matches, {n_players:,} players; slow peers: a tenth of both\n")
    measure_podium(board, large, arguments.repeat)
    with temporary_folder() as folder:
        if arguments.peers.exists():
            folders = large.save(folder / "large"), small.save(folder / "small")
            measure_peers(board, *folders, arguments.peers, min(arguments.repeat, 3))
        else:
            console.print(f"no peers: {arguments.peers} does not exist (make bench installs them)\n")
        measure_naive(board, small)
        board.rows.sort(key=lambda row: list(SYSTEMS).index(row[0]))
        board.print()
        if arguments.peers.exists():
            check_agreement(folder / "agreement", arguments.peers)


if __name__ == "__main__":
    main()
