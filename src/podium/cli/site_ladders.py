"""The ladders of a website as `podium site` and `podium serve` make them: one of each file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.chosen_systems import chosen_name, load_ladder, system_from
from podium.cli.inputs import (
    STDIN,
    read_from,
    read_whole,
    report_proposals,
    report_skipped,
    shown_name,
    warn_of_future,
)
from podium.cli.leaderboards import Board, since_meant
from podium.cli.progress import compiling, progress
from podium.cli.small_work import check_system, interpret_if_small
from podium.files.toml import is_toml_name
from podium.text import counted

if TYPE_CHECKING:
    from podium.history import History
    from podium.ladder.bulk import Run
    from podium.ladder.ladder import Ladder
    from podium.ladder.rating_tables import LeaderboardFilters
    from podium.pages.site_writing import SiteLadder, WrittenSite
    from podium.systems import RatingSystem
    from podium.systems.tiers import Tier

SITE_FILES = typer.Argument(
    metavar="FILE",
    help="Results in any form that podium rate reads, or a ladder that podium rate --save wrote. Each file "
    "has its own leaderboard. A folder of files has one leaderboard. To try it: sample:formula-1.",
)
Tournaments = Annotated[
    list[Path],
    typer.Option(
        "--tournament",
        metavar="FILE",
        help="Also show the tournament in this file, which podium tournament wrote. Repeatable. With several "
        "leaderboards, it appears with the one that has most of its entrants.",
        exists=True,
        dir_okay=False,
        readable=True,
    ),
]
Title = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="Title of the website. Default: the name of the file."),
]
SiteTiers = Annotated[
    str | None,
    typer.Option(
        "--tiers",
        metavar="NAME",
        help="Show tiers such as Bronze, Silver and Gold: three, five, seven, eight or ten tiers, or "
        "divisions (Silver II).",
    ),
]
SiteMinEvents = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Rank only players with at least this many rated events. Default: 5, or less where no player "
        "has 20 events.",
        min=0,
    ),
]


def site_board(min_events: int | None, active_since: str, max_sigma: float | None) -> Board:
    """Who has a place on the leaderboard of a site."""
    filters: LeaderboardFilters = {"active_since": since_meant(active_since), "max_sigma": max_sigma}
    if min_events is not None:
        filters["min_events"] = min_events
    return Board(filters, None, None)


@dataclass(frozen=True)
class SiteSources:
    """What a website is made of, as options say."""

    files: Sequence[Path]
    system: str | None
    settings: Sequence[str]
    reading: dict[str, Any]
    board: Board
    title: str | None
    jobs: int | None
    tournaments: Sequence[Path] = ()
    tiers: str | None = None

    def check(self, out: Path | None) -> None:
        """Refuse what cannot be done before any file is read."""
        if self.tiers is not None:
            from podium.systems.tiers import PRESETS

            if self.tiers not in PRESETS:
                raise typer.BadParameter(f"choose one of {', '.join(PRESETS)}", param_hint="--tiers")
        if not all(map(_is_saved, self.files)):  # a saved ladder has a system of its own
            check_system(self.system, self.settings)
        for given in self.files:
            if given != STDIN and out is not None and _is_below(given, out):
                raise typer.BadParameter(
                    f"{given} is inside {out}, which this command would replace", param_hint="--out"
                )

    def write(self, out: Path) -> WrittenSite:
        """Read, rate and write everything."""
        from podium.pages.site_folders import checked_site  # says what is wrong with `out` before the work

        checked_site(out)
        histories = {file: self._read(file) for file in self.files if not _is_saved(file)}
        chosen = {file: chosen_name(self.system, history) for file, history in histories.items()}
        rows = sum(history.rows for history in histories.values())
        if len(histories) == len(self.files) and self.jobs is None:
            interpret_if_small("site", sorted({name.name for name in chosen.values()}), rows)
        # These load systems, and so come behind the choice whether to compile them.
        from podium.pages.site_workers import site_workers
        from podium.pages.tournament_writing import given_to_ladders, tournaments_of_files

        tournaments = tournaments_of_files(self.tournaments)
        for name in dict.fromkeys(chosen.values()):
            name.say()

        with site_workers(rows, self.jobs) as workers:
            from podium.pages.site_writing import page_count, write_site

            ladders = [
                self._rated(file, histories.pop(file), chosen[file].name)
                if file in chosen
                else self._loaded(file)
                for file in self.files
            ]
            shares = given_to_ladders(tournaments, [ladder.pages.names for ladder in ladders])
            ladders = [
                replace(ladder, tournaments=share) for ladder, share in zip(ladders, shares, strict=True)
            ]
            title = self.title or (ladders[0].title if len(ladders) == 1 else "Ratings")
            with progress(f"writing {out}", page_count(ladders), unit="pages") as advance:
                return write_site(out, ladders, title, workers=workers, progress=advance)

    def watched(self) -> list[Path]:
        """The files that decide what is on the website."""
        from podium.tables.sources.sample_files import PREFIX

        files = [file for file in self.files if not str(file).startswith(PREFIX)]
        system = [Path(self.system)] if self.system is not None and is_toml_name(self.system) else []
        return [*read_from(files, self.reading), *system, *self.tournaments]

    def _read(self, file: Path) -> History:
        history = read_whole([file], self.reading)
        report_skipped(history.skipped)
        report_proposals(history, self.reading)
        warn_of_future(history)
        return history

    def _rated(self, file: Path, history: History, name: str) -> SiteLadder:
        from podium.ladder.bulk import rate

        system = system_from(name, self.settings)
        self.board.check(system)
        with compiling([system.name]), progress(f"rating {shown_name(file)}", history.rows) as advance:
            run = rate(history, system, trace=True, progress=advance)
        typer.echo(
            f"{_title(file)}: {system.label}, {counted(len(run.ladder), 'player')}, "
            f"{counted(run.ladder.n_events, 'event')}"
        )
        return self._site_ladder(file, run, history)

    def _loaded(self, file: Path) -> SiteLadder:
        ladder = load_ladder(file, self.system, self.settings)
        self.board.check(ladder.system)
        return self._site_ladder(file, ladder, None)

    def _site_ladder(self, file: Path, source: Run | Ladder, history: History | None) -> SiteLadder:
        """A ladder with what its pages show and what they offer for downloading."""
        from podium.ladder.ladder import Ladder
        from podium.ladder.rating_tables import placed_ratings
        from podium.pages.ladder_pages import ladder_pages
        from podium.pages.site_writing import DownloadTable, SiteLadder

        skipped = None if history is None else len(history.skipped)
        with progress(f"gathering {shown_name(file)}", by_rows=False):
            system = source.system if isinstance(source, Ladder) else source.ladder.system
            pages = ladder_pages(
                source, tiers=self._tiers(system), skipped_rows=skipped, **self.board.filters
            )
            ladder = source if isinstance(source, Ladder) else source.ladder
            ratings = placed_ratings(ladder.ratings(), ladder, **pages.data.filters)
        downloads = [DownloadTable("ratings", "Ratings", ratings)]
        if history is not None:
            downloads.append(DownloadTable("results", "Results", history.to_frame()))
        return SiteLadder(_title(file), pages, downloads)

    def _tiers(self, system: RatingSystem) -> tuple[Tier, ...]:
        from podium.systems.tiers import load_tiers, preset_tiers

        if self.tiers is not None:
            return preset_tiers(self.tiers, system)
        return load_tiers(self.system) if self.system is not None and is_toml_name(self.system) else ()


def say_site(site: WrittenSite) -> None:
    """Print what was written."""
    same = f", {site.linked:,} of them unchanged" if site.linked else ""
    typer.echo(f"wrote {site.index.parent}: {counted(site.pages, 'page')}{same}, in {site.seconds:.1f} s")


def _is_saved(file: Path) -> bool:
    """Whether a file is a saved ladder, or a folder the log of one."""
    from podium.files.checksummed import is_container

    if not file.is_dir():
        return is_container(file)
    from podium.ladder.ladder_log import is_log  # with the systems and their kernels, which a file decides on

    return is_log(file)


def _title(file: Path) -> str:
    """The name of a file without its folder and its suffixes."""
    from podium.tables.sources.sample_files import PREFIX

    name = shown_name(file).removeprefix(PREFIX)
    return name.partition(".")[0] or name


def _is_below(file: Path, folder: Path) -> bool:
    return file.resolve().is_relative_to(folder.resolve())
