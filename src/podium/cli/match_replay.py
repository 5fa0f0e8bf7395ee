"""`podium match --replay`: recorded tickets through another policy."""

from __future__ import annotations

from pathlib import Path

import typer

from podium.cli.chosen_systems import system_from
from podium.cli.outputs import check_outputs, print_document, say_written, write_table
from podium.cli.progress import compiling, progress
from podium.cli.terminal_tables import show_table
from podium.errors import InputError

EVERY = 15.0
"""Seconds between two ticks, unless another time is given."""


def print_replay(
    file: Path,
    mode: str,
    policy: Path | None,
    out: Path | None,
    seed: int,
    system: str | None,
    settings: list[str],
    every: float,
    *,
    as_json: bool,
) -> None:
    """Print what a policy makes of recorded tickets, beside what was recorded."""
    import polars as pl

    from podium.compiling import MATCHING
    from podium.documents import replay_document
    from podium.matchmaking.policies.policy import Policy
    from podium.matchmaking.replay import read_record, recorded_outcome, replay

    if policy is None:
        raise InputError("a replay needs a policy", hint="--policy new.toml")
    check_outputs({"--out": out}, [file, policy])
    rules, rated = Policy.from_file(policy), system_from(system or "elo", settings)
    record = read_record(file)
    with compiling([MATCHING]), progress(f"replaying {len(record.tickets):,} tickets", by_rows=False):
        then = recorded_outcome(record, rated)
        now = replay(record, rated, mode, rules, name=policy.stem, every=every, seed=seed)
    document = replay_document(rated, mode, [then, now])
    frame = pl.DataFrame([dict(one) for one in document["outcomes"]])
    write_table(frame, out)
    if as_json:
        print_document("replay", document)
        return
    told = frame.transpose(include_header=True, header_name="", column_names="policy")
    show_table(told, digits=3)
    say_written(out)
    typer.echo(
        "waits are in seconds. gap: how far chances are from even. extremes: the tenths of highest and"
    )
    typer.echo("lowest ratings")
