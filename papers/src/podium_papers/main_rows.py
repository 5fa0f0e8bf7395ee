"""Which numbers of the papers are the main ones: the rows of the tables of docs/papers.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from podium_papers.elo_mmr.published import SYSTEMS


@dataclass(frozen=True)
class Part:
    """Numbers of one item that stand together in a row.

    "*" in a name or source stands for anything, "{contests}" and "{matches}" for the file given; without that
    file the part is left out.
    """

    item: str
    names: Sequence[str]
    label: str = ""
    """What to call these numbers, if the row has several parts."""
    source: str = "*"


@dataclass(frozen=True)
class Row:
    """A row of the table: what it is about, and the numbers in it."""

    title: str
    parts: Sequence[Part]
    published: str = ""
    """What to say in place of the published words, if there are too many of them."""


_NAMED = ", ".join(SYSTEMS)
_AS_DESCRIBED = "skills ± 350, 2,500 of 10,000 in each round"
_NEAREST = "skills ± 300, all 10,000 in each round"
"""The reading of the synthetic set that the text describes, and the one nearest to the printed row."""
SIMULATED, FILE = "simulated", "AtCoder"


def _of_systems(name: str) -> tuple[str, ...]:
    return tuple(name.format(system=system, contests="{contests}") for system in SYSTEMS)


def _both(item: str, name: str) -> tuple[Part, Part]:
    """A number of the simulated contests, and the same of the file."""
    simulated = Part(item, [name.format(set=SIMULATED)], SIMULATED)
    return simulated, Part(item, [name.format(set="{contests}")], FILE)


ELO_MMR = (
    *(
        Row(
            f"Table 2, synthetic: {metric}, {_NAMED}",
            [
                Part("table-2", _of_systems(f"{_AS_DESCRIBED}: {{system}}, {metric}"), "as described"),
                Part(
                    "table-2",
                    _of_systems(f"{_NEAREST}: {{system}}, {metric}"),
                    "the nearest of several readings",
                ),
            ],
        )
        for metric in ("pairs right", "rank deviation")
    ),
    Row(
        "the same for the true skills, which can be beaten only by luck",
        [
            Part("table-2", [f"{_AS_DESCRIBED}: the true skills, *"], "as described"),
            Part("table-2", [f"{_NEAREST}: the true skills, *"], "nearest"),
        ],
    ),
    Row(
        f"Table 2, a site (AtCoder for Codeforces): pairs right, {_NAMED}",
        [Part("table-2", _of_systems("{contests}: {system}, pairs right"))],
    ),
    Row(
        "Elo-MMR's lead in pairs right, in percentage points, by the players counted",
        [
            Part("table-2", [f"{_AS_DESCRIBED}: Elo-MMR(ρ) ahead of *, pairs right, *"], SIMULATED),
            Part("table-2", ["{contests}: Elo-MMR(ρ) ahead of *, pairs right, *"], FILE),
        ],
    ),
    Row(
        "Table 3, a site: time of Codeforces and Topcoder in that of Elo-MMR",
        [Part("table-3", ["{contests}: times as long as Elo-MMR(ρ), Codeforces and Topcoder"])],
    ),
    Row(
        f"time grows with this power of the participants: {_NAMED}",
        [Part("table-3", _of_systems("{system}: time grows with participants to the power"))],
    ),
    Row(
        "Figure 2: points that farming gains on Topcoder",
        _both("figure-2", "{set}, Topcoder: points gained by farming, at the end"),
    ),
    Row(
        "the same if Topcoder's volatility grew with the move after the cap",
        [
            Part(
                "figure-2",
                ["simulated, Topcoder whose volatility grows with the move after the cap: *"],
                SIMULATED,
            )
        ],
    ),
    Row(
        "points gained in the last 15 contests",
        _both("figure-2", "{set}, Topcoder: points gained in the last 15 contests"),
    ),
    Row(
        "the same results on Elo-MMR(1)",
        _both("figure-2", "{set}, Elo-MMR(1): points gained by farming, at the end"),
    ),
    Row(
        "factor a contest by which the loss on Elo-MMR(1) shrinks",
        _both("figure-2", "{set}, Elo-MMR(1): factor a contest by which the mean loss shrinks"),
    ),
    Row(
        "farming on Glicko-2, each event rated at once",
        [
            Part("glicko-2", ["τ = 0.5, contests rated one by one: *"], "contests"),
            Part("glicko-2", ["τ = 0.5, matches rated one by one: *"], "matches"),
        ],
    ),
    Row(
        "with 20 matches in a rating period: median (most) of eight seeds",
        [
            Part("glicko-2", [f"τ = {tau}, 20 matches in a rating period: *"], f"τ = {tau}")
            for tau in ("0.5", "0.8", "1.2")
        ],
    ),
    Row(
        "ρ from 0 to 1: pairs right, farthest from ρ = 1, in percentage points",
        [
            Part("rho", ["synthetic: pairs right, farthest from ρ = 1 for ρ in 0 to 1"], SIMULATED),
            Part("rho", ["{contests}: pairs right, farthest from ρ = 1 for ρ in 0 to 1"], FILE),
        ],
    ),
    Row(
        "Elo-MMR less TrueSkill, pairs in order, with 2, 4, 8, 30, 60 and 2,500 participants",
        [
            Part(
                "trueskill-small",
                [f"*, pairs in order, {size} participants" for size in ("2", "4", "8", "30", "60", "2,500")],
            )
        ],
    ),
    Row(
        "500 opponents instead of all: points off (deviation, most)",
        [
            Part("subsampling", [f"{way}, 500 opponents: points off *"], way)
            for way in ("random", "same for all", "nearest", "buckets")
        ],
    ),
    Row(
        "players who gain by finishing lower, of 600, and points at most",
        [
            Part("subsampling", [f"{way}, 500 opponents: who gains *"], way)
            for way in ("random", "same for all", "nearest", "buckets")
        ],
    ),
    Row(
        "a memory of 500 performances: points off at most, by default, and where a contest weighs 0.005",
        [Part("subsampling", ["the default, ρ = 1, 500 performances kept: *", "a contest weighs 0.005, *"])],
    ),
    Row(
        "participants needed for an error below ε but for a chance of δ, in parts of (2s²/ε²) log 1/δ",
        [Part("participants", ["participants needed in parts of (2s²/ε²) log 1/δ, *"])],
    ),
    Row(
        "the same in parts of (2s²/ε²) √(log 1/δ), which the draft has",
        [Part("participants", ["participants needed in parts of (2s²/ε²) √(log 1/δ), *"])],
    ),
    Row(
        "monotonic: a better place lowers a rating, of 5,000 tries",
        [
            Part("properties", [f"{name}: monotonic *"], name)
            for name in ("Codeforces", "Topcoder", "TrueSkill", "Glicko-2", "Elo-MMR(1)")
        ],
        published="yes, no, yes, no, yes",
    ),
    Row(
        "robust: points for beating a field 10,000 and 100,000 points stronger",
        [
            Part("properties", [f"{name}: robust *"], name)
            for name in ("Codeforces", "Topcoder", "TrueSkill", "Elo-MMR(1)")
        ],
        published="no, yes, no, yes",
    ),
    Row(
        "lemmas and theorems 5.1 to 5.6, five systems: counterexamples to each",
        [Part("theorems", ["*: against it, *"])],
        published="proved",
    ),
    Row(
        "Theorem 4.1: properties met, and the part of the weight by which ρ = 0 and ρ = ∞ each lack one",
        [
            Part("theorem-4-1", ["properties met, *"]),
            Part("theorem-4-1", ["zero uncertainty, ρ = 0: *"], "ρ = 0"),
            Part("theorem-4-1", ["zero diffusion, ρ = ∞: *"], "ρ = ∞"),
        ],
    ),
    Row(
        "Equation (7): weight of a performance at the rating, and of typical ones, in 1/β²",
        [Part("equation-7", ["weight of a performance at the rating, *", "weight of performances within *"])],
    ),
    Row(
        "footnote 3: parts of a win and a loss as which a tie may count",
        [Part("ties", ["parts for which Lemma 3.1 holds, of those allowed"])],
    ),
)

ELO_R = (
    Row("the noise η", [Part("public-rating", ["η, the noise between contests"])]),
    Row(
        "points subtracted by the public rating after one contest and two",
        [Part("public-rating", ["r − public rating after contest 1", "r − public rating after contest 2"])],
    ),
    Row(
        "response to 3000 after a long time at 1000: first and second step, rating after six, seventh step",
        [
            Part(
                "response",
                [f"blue curve{which}" for which in (", first match", ", second match", " after six matches")]
                + ["blue curve, seventh match"],
            )
        ],
    ),
    Row("steps from the third on", [Part("response", ["blue curve, third to seventh match"])]),
    Row(
        "σ before the first and after the sixth match",
        [Part("response", ["blue curve, σ before the first and after the sixth match"])],
    ),
    Row(
        "a better past performance lowers a rating",
        [
            Part("guarantees", [f"a better past performance lowers a rating: {way}"], way)
            for way in ("normal", "leading", "all", "fancy")
        ],
    ),
    Row(
        "the better of two performances moved forward lowers the rating of a settled player",
        [
            Part(
                "guarantees",
                [f"the better of two moved forward lowers a rating: {way}, settled players"],
                way,
            )
            for way in ("normal", "leading", "all", "fancy")
        ],
    ),
    Row(
        "consistent change accelerates, noise on all τ and the fancy method",
        [Part("noising", ["consistent change accelerates: all", "consistent change accelerates: fancy"])],
    ),
    Row(
        "inflation of the leader: Elo-R, Codeforces",
        [
            Part(
                "inflation",
                [f"{name}: who led after half of the contests gained" for name in ("Elo-R", "Codeforces")],
                source="{contests} *",
            )
        ],
    ),
)

COWAN = (
    Row("Example 4.1", [Part("examples", ["4.1: ρ_A,A>B(2)", "4.1: ρ_A,A>B(5)", "4.1: ρ_A,A>B(13)"])]),
    Row(
        "Example 2.14: how often an event happens that a belief holds to be impossible, with p = 3/10",
        [Part("examples", ["2.14: the chance of A > B, B > A and A > C, *"])],
    ),
    Row(
        "Figure 3.2: deviations of P and of Q",
        [
            Part(
                "figure-3-2",
                ["deviation of the belief about P", "deviation of the belief about Q"],
                SIMULATED,
            )
        ],
    ),
    Row(
        "who is ranked inappropriately high",
        [Part("choices", ["above the top hundredth in their first *"])],
    ),
    Row(
        "Figure 5.1, log loss of Glicko-2, β = 0.8, β = 0.9",
        [
            Part(
                "figure-5-1",
                ["mean log loss, paired by strength: *"],
                "simulated with β 0.8, paired by strength",
            ),
            Part("figure-5-1", ["mean log loss, paired loosely: *"], "β 0.9, paired loosely"),
            Part("figure-5-1", ["mean log loss on the matches given, *"], "tennis", "{matches} *"),
        ],
    ),
)

YUKSEL = (
    Row(
        "Glicko: pairs for which both win probabilities sum to less than 1",
        [Part("glicko-sum", ["pairs with a sum below 1"])],
    ),
    Row("Figure 1: won of the last ten games", [Part("figure-1", ["won of the last 10 games, Yuksel"])]),
    Row("longest streak without matchmaking", [Part("figure-1", ["(b) longest streak of 1,000 games"])]),
    Row(
        "Figure 3: thrown games until below 1500, Elo, TrueSkill, Yuksel",
        [
            Part(
                "figure-3", [f"(b) games until below 1500, {name}" for name in ("Elo", "TrueSkill", "Yuksel")]
            )
        ],
    ),
    Row(
        "Figure 3: games until back, Yuksel and Elo",
        [Part("figure-3", [f"(b) games until back at 2000, {name}" for name in ("Yuksel", "Elo")])],
    ),
    Row(
        "Figure 5: RMSE after 1,000 rounds, Yuksel, Elo, TrueSkill",
        [Part("figure-5", [f"{name} after 1,000 rounds" for name in ("Yuksel", "Elo", "TrueSkill")])],
    ),
    Row(
        "after 2,000, Elo and TrueSkill",
        [Part("figure-5", [f"{name} after 2,000 rounds" for name in ("Elo", "TrueSkill")])],
    ),
    Row(
        "after 10,000, Yuksel",
        [
            Part("figure-5", ["Yuksel after 10,000 rounds"]),
            Part(
                "figure-5",
                ["Yuksel after 10,000 rounds, D corrected at the limit only"],
                "*D* corrected at the limit only, a reading picked because it comes near",
            ),
        ],
    ),
    Row(
        "Figure 7: Elo after 1,000 and 10,000 rounds of random pairs",
        [Part("figure-7", ["Elo after 1,000 rounds", "Elo after 10,000 rounds"])],
    ),
    Row(
        "Figure 7: Yuksel with *s* = 0.95 after 10,000 rounds",
        [
            Part("figure-7", ["Yuksel with s = 0.95 after 10,000 rounds"]),
            Part("figure-7", ["Yuksel with s = 0.7 after 10,000 rounds"], "*s* = 0.7"),
        ],
    ),
)

ROWS = {"elo-mmr": ELO_MMR, "elo-r": ELO_R, "cowan": COWAN, "yuksel": YUKSEL}
"""By paper. The earlier draft of Elo-MMR has its own page only."""
