"""`podium reproduce`: the papers' tables, figures and claims, computed again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli.help_examples import MAIN, PRINTED, PROCESSES, WRITTEN
from podium.cli.help_pages import with_examples
from podium.cli.options import Jobs, Json
from podium.cli.outputs import print_document
from podium.cli.progress import progress
from podium.cli.terminal_tables import indented
from podium.errors import InputError
from podium.text import counted, paragraphs

if TYPE_CHECKING:
    from podium_papers import Item, Number, Paper, Setting
    from podium_papers.making import Made


@with_examples(
    {
        MAIN: "elo-mmr --quick",
        PRINTED: "elo-mmr figure-1 --json",
        WRITTEN: "elo-mmr figure-1 --out pages",
        PROCESSES: "elo-mmr --jobs 2",
    }
)
def reproduce(
    paper: Annotated[str | None, typer.Argument()] = None,
    item: Annotated[str | None, typer.Argument()] = None,
    everything: Annotated[bool, typer.Option("--all")] = False,
    out: Path | None = None,
    quick: Annotated[bool, typer.Option("--quick")] = False,
    contests: Path | None = None,
    matches: Path | None = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    jobs: Jobs = None,
    json: Json = False,
) -> None:
    """Recompute tables, figures and claims of the papers behind podium, next to the published values.

    Options:
        paper (PAPER): Name of a paper. Default: list all papers.
        item (ITEM): A table, figure or claim of the paper. Default: all of them.
        everything: Reproduce all papers, which takes about ten minutes.
        out (DIR): Write pages, pictures and tables to this folder.
        quick: Use small populations and few repetitions, to see that it works.
        contests (FILE): Contests to use in place of the papers' data from Codeforces, Topcoder and Reddit.
        matches (FILE): Matches to use in place of the papers' data from Duelyst II.
        seed (N): Random seed.
    """
    from podium_papers import PAPERS, Setting, find_items
    from podium_papers import reproduce as make

    given = {"--contests": contests, "--matches": matches, "--out": out, "--quick": quick or None}
    if everything and paper is not None:
        raise typer.BadParameter(f"all, or {paper} alone", param_hint="--all")
    if not everything and paper is None:
        for option, value in given.items():
            if value is not None:
                raise typer.BadParameter("of which paper? --all makes all of them", param_hint=option)
        _list(list(PAPERS.values()), json)
        return
    wanted = find_items(paper, item)
    setting = Setting(quick=quick, seed=seed, contests=contests, matches=matches)
    _check_files(setting, wanted)
    if out is not None:
        _check_folder(out)
    made: list[Made] = []
    try:
        with progress("reproducing", len(wanted), unit="items") as step:
            for one in make(wanted, setting, jobs=jobs):
                made.append(one)
                if out is not None:
                    from podium_papers.paper_pages import write_item

                    write_item(*one, out, setting)
                step(1, f"{one[0].name} {one[1].name}")
    finally:  # neither an interrupt nor an item that cannot be made takes anything with it that was done
        _print(made, wanted, json)
        if out is not None and made:
            from podium_papers import write_pages

            pages = write_pages(dict.fromkeys(paper for paper, _, _ in made), out)
            typer.echo(f"wrote {', '.join(map(str, pages))}", err=json)


def _check_files(setting: Setting, wanted: list[tuple[Paper, Item]]) -> None:
    """Refuse files that are not there, and those that nothing would read."""
    from podium.tables.sources.sample_files import sample_path

    read = {what for _, item in wanted for what in item.reads}
    for what, path in setting.files(("contests", "matches")).items():
        if not path.exists() and sample_path(path) is None:
            raise InputError(f"there is no file {path}")
        if what not in read:
            raise typer.BadParameter("nothing of what is asked for reads such a file", param_hint=f"--{what}")


def _check_folder(out: Path) -> None:
    """Make the folder, now and not after ten minutes' work."""
    from podium.charts import check_path

    check_path(out / "page.svg")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{out} cannot be a folder: {error.strerror}", hint="give --out another name"
        ) from None


def _list(papers: list[Paper], json: bool) -> None:
    if json:
        from podium_papers.paper_documents import papers_document

        print_document("papers", papers_document(papers))
        return
    for paper in papers:
        typer.echo(f"{paper.name}: {paper.title} ({paper.authors})")
        for item in paper.items.values():
            typer.echo(f"  {item.name:16} {item.title}")
    typer.echo("podium reproduce PAPER [ITEM] --out DIR makes them, podium reproduce --all --out DIR all.")


def _print(made: list[Made], wanted: list[tuple[Paper, Item]], json: bool) -> None:
    order = [(paper.name, item.name) for paper, item in wanted]
    made = sorted(made, key=lambda one: order.index((one[0].name, one[1].name)))
    if json:
        from podium_papers.paper_documents import reproduction_document

        print_document("reproduction", reproduction_document(made))
        return
    for paper, item, result in made:
        typer.echo(f"\n{paper.name} {item.name}: {item.title}")
        if len(made) == 1:
            for paragraph in paragraphs(result.words):
                typer.echo(indented(paragraph, "  ") + "\n")
        for number in result.numbers:
            typer.echo(indented(_said(number), "  ", "      "))
        if not result.numbers:
            typer.echo(f"  {counted(len(result.pictures), 'picture')}, no number to compare")


def _said(number: Number) -> str:
    """A number as one line of text, with the published value and its source."""
    place = f" [{number.place}]" if number.place else ""
    published = f"paper {number.published}{place}, ours " if number.published else ""
    remark = f": {number.remark}" if number.remark else ""
    return f"{number.what}: {published}{number.ours} ({number.source}){remark}"
