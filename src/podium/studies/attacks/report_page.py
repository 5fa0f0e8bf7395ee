"""A report of attacks as one HTML page: verdicts, pictures, tables, and how to read them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from podium import charts
from podium.files.atomic import replacing
from podium.parameters import plain
from podium.studies.attacks.attack_verdicts import HINDSIGHT, percent, points
from podium.text import write_number

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from podium.studies.attacks.attack_report import AttackReport

    Section = tuple[str, str, alt.ChartType | pl.DataFrame | None]

READING = """
Each attack is an altered history: the same events with the cheat's actions in them, rated again from the
beginning. A gain is the cheat's displayed rating minus the honest player's, at the end or at the attack's
own point of measurement. Ratings never decide who plays whom here. In a game that pairs by rating, a player
with a lower rating would also meet weaker opponents.

An interval is a confidence interval of the mean of all such runs, by Student's t. If it contains 0, the
gain is not significant. Fewer than six runs are never significant. Of many intervals some are wrong by
chance, so each interval is wider the more attacks there are. All intervals of one system hold together with
95%.

Attacks that aim for a lower rating are in the table too. A player can always lose. The question is how far
below the true skill a cheat can stay, and at what price.

In the tables, spread is the standard deviation over runs. Of mu is the gain of the mean of the belief, if
the displayed number is another. At the peak is the highest rating of the cheat minus the highest honest
rating. Last phase is the points gained in the last phase. Deepest is the most points below the honest
rating. Back after is the number of events until nine tenths of that are regained (the median, – if not in
all runs). Above for is the number of events with a higher rating than the honest one. Missed is the number
of events that the cheat skipped or left.

Theorem 5.5 of the Elo-MMR paper proves that losing on purpose never pays if the others' ratings stay fixed.
In a whole history they change. A player who loses to a much lower rated one hands over points, and meets
better rated opponents afterwards. The search of all patterns keeps the others' ratings fixed. The theorem
also assumes fixed entries, fixed ranks of the others and one account per person. It does not cover early
exits from events that begin badly, strong accomplices, or the best of several accounts.

The search chooses the best of all patterns for each run with its luck known. So this number is a bound, not
a forecast, and has no interval. The fixed pattern is the same for all runs, chosen on the first half of the
runs and measured on the rest.
"""


def write_page(report: AttackReport, path: str | os.PathLike[str], title: str) -> None:
    """Write the page, whole or not at all."""
    text = charts.page(title, _summary(report), _details(report))
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _summary(report: AttackReport) -> list[Section]:
    import polars as pl

    where = f"{report.where}. One run of each attack for each of {report.over}."
    sections: list[Section] = [("Where", where, None)]
    if report.refused:
        left_out = [{"system": name, "why": why} for name, why in report.refused.items()]
        sections.append(("", "Left out were:", pl.DataFrame(left_out)))
    if report.defended:
        rules = [{"system": name, "rule": one.defence.summary} for name, one in report.defended.items()]
        sections.append(
            (
                "",
                "Under a rule of the organisers, for the cheat and the honest player, are:",
                pl.DataFrame(rules),
            )
        )
    said = [{"system": name, "does cheating pay?": words} for name, words in report.verdicts.items()]
    sections.append(("Verdict", "", pl.DataFrame(said)))
    sections.append(("Gains", "", charts.attack_gains(_tested(report))))
    return sections


def _details(report: AttackReport) -> list[Section]:
    """Each attack with its numbers, how to read them, and the parameters of the systems."""
    import polars as pl

    sections: list[Section] = []
    for number, strategy in enumerate(report.strategies):
        called = report.called(strategy)
        words = f"{strategy.summary}. Wanted: a {strategy.goal} rating. {_phases(strategy.phases)}."
        table = attack_table(report, called)
        sections.append((f"Attack: {called}", words[0].upper() + words[1:], table))
        if not number:
            sections.append(("", "", charts.attack_curves(report.curves, called)))
    if report.found:
        found = report.summary.filter(pl.col("kind") != "scripted")
        for attack in found["attack"].unique(maintain_order=True):
            sections.append(
                (f"Searched: {attack}", _SEARCHED[attack.split()[0]], attack_table(report, attack))
            )
    sections.append(("How to read this", READING, None))
    for name, system in report.systems.items():
        values = {key: str(plain(value)) for key, value in system.parameters().items()}
        table = pl.DataFrame({"parameter": list(values), "value": list(values.values())})
        sections.append((f"Parameters of {name}", "", table))
    return sections


def _tested(report: AttackReport) -> pl.DataFrame:
    """What has a gain that says something of other runs."""
    import polars as pl

    return report.summary.filter((pl.col("kind") != HINDSIGHT) & (pl.col("runs") > 0))


_SEARCHED = {
    "patterns": "Every way to throw some of the next events, each tried against the same field with the same "
    "luck and fixed ratings of the others. The gain of the best pattern is exact for that field and that "
    "luck: the gain of a cheat who could foresee the luck.",
    "fixed": "One pattern for all, chosen by its mean on the first half of the runs, judged on the others.",
    "policy": "Farming with all its parameters free, found by the cross-entropy method on some seasons of 50 "
    "players at most, and judged on others.",
}


def _phases(phases: tuple[tuple[str, int], ...]) -> str:
    return ", then ".join(f"{events} events {name}" for name, events in phases if events)


def attack_table(report: AttackReport, attack: str) -> pl.DataFrame:
    """One attack, a row a system, as text; what nobody measured is left out."""
    import polars as pl

    rows = []
    for one in report.summary.filter(pl.col("attack") == attack).iter_rows(named=True):
        row = {
            "system": one["system"],
            "gain": points(one["gain"]),
            percent(report.level): "–"
            if one["low"] is None
            else f"{points(one['low'])} to {points(one['high'])}",
            "spread": write_number(one["spread"], ".0f"),
            "paid in": "–" if one["share"] is None else f"{100.0 * one['share']:.0f}%",
        }
        if one["kind"] == "scripted":
            row |= {name: points(one[column]) for name, column in _MORE.items()}
            row["deepest"] = "–" if one["lowest"] is None else points(-one["lowest"])
            row["above for"] = write_number(one["events_above"], ".0f")
            row["back after"] = write_number(one["events_back"], ".0f")
        if one["accounts"]:
            each = None if one["gain"] is None else one["gain"] / one["accounts"]
            row |= {"accounts": f"{one['accounts']:.0f}", "for each": points(each)}
        row["thrown"] = write_number(one["thrown"], ".1f")
        if one["kind"] == "scripted":
            row["missed"] = write_number(one["missed"], ".1f")
        if one["kind"] != "scripted":
            row["found"] = one["found"] or "–"
        row["verdict"] = one["verdict"].split(":")[0] if one["kind"] == "scripted" else one["verdict"]
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


_MORE = {"of mu": "gain_mu", "at the peak": "peak_gain", "last phase": "last_phase"}
