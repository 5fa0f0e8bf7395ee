"""Items made one after another, or several at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from podium.cluster.spreading import spread
from podium.errors import InputError, PodiumError
from podium_papers.items import Item, Result, Setting
from podium_papers.library import PAPERS, Paper

Made = tuple[Paper, Item, Result]


def reproduce(
    items: Sequence[tuple[Paper, Item]], setting: Setting | None = None, *, jobs: int | None = None
) -> Iterator[Made]:
    """Compute items, as `find_items` returns them; yield each with its result when its group is done.

    Groups run in processes of their own, `jobs` at a time, by default one per core; with 1 everything runs in
    this process. The result of an item does not depend on what else is computed. If an item fails, its error
    is raised after all others are done.

    >>> from podium_papers import find_items
    >>> for paper, item, result in reproduce(find_items("elo-mmr", "figure-1"), Setting(quick=True), jobs=1):
    ...     print(paper.name, item.name, list(result.pictures))
    elo-mmr figure-1 ['figure-1']
    """
    setting = Setting() if setting is None else setting
    failed: dict[tuple[str, str], PodiumError] = {}
    groups: dict[tuple[str, str], list[Item]] = {}
    for paper, item in items:
        groups.setdefault((paper.name, item.group or item.name), []).append(item)
    ordered = sorted(groups, key=lambda key: -max(item.cost for item in groups[key]))
    work = [(paper, [item.name for item in groups[paper, group]], setting) for paper, group in ordered]
    with spread(jobs=1 if len(work) == 1 else jobs) as workers:
        for number, results in workers.results(_make, work):
            paper = PAPERS[work[number][0]]
            for name, result in zip(work[number][1], results, strict=True):
                if isinstance(result, Result):
                    yield paper, paper.items[name], result
                else:
                    failed[paper.name, name] = result
    for paper, item in items:  # the first of them, whichever was made first
        if (paper.name, item.name) in failed:
            raise InputError(f"{paper.name} {item.name}: {failed[paper.name, item.name]}")


def _make(paper: str, names: Sequence[str], setting: Setting) -> list[Result | PodiumError]:
    return [_made(PAPERS[paper].items[name], setting) for name in names]


def _made(item: Item, setting: Setting) -> Result | PodiumError:
    try:
        return item.make(setting)
    except PodiumError as error:  # as of a file with too few matches: other items may do without it
        return error
