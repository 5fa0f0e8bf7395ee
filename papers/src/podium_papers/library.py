"""Which papers there are, and what is in them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from podium.errors import ParameterError
from podium.text import known_names
from podium_papers.items import Item


@dataclass(frozen=True)
class Paper:
    """A paper; its items are `ITEMS` of the package `module`."""

    name: str
    title: str
    authors: str
    module: str

    @property
    def items(self) -> dict[str, Item]:
        """Its tables, figures and claims by name, in the order of the paper."""
        items: tuple[Item, ...] = import_module(f"podium_papers.{self.module}").ITEMS
        return {item.name: item for item in items}


_LISTED = (
    Paper(
        "elo-mmr",
        "Elo-MMR: A Rating System for Massive Multiplayer Competitions",
        "Ebtekar and Liu, 2021",
        "elo_mmr",
    ),
    Paper(
        "elo-mmr-draft",
        "Elo-MMR, an earlier text with the proofs",
        "Ebtekar and Liu, 2021",
        "elo_mmr_draft",
    ),
    Paper("elo-r", "Elo-R Competition Rating System", "Ebtekar, 2015, revised 2020", "elo_r"),
    Paper("cowan", "Paired Comparisons for Games of Chance", "Cowan, 2023", "cowan"),
    Paper("yuksel", "Skill-Based Matchmaking for Competitive Two-Player Games", "Yuksel, 2024", "yuksel"),
)
PAPERS = {paper.name: paper for paper in _LISTED}


def find_items(paper: str | None = None, item: str | None = None) -> list[tuple[Paper, Item]]:
    """The items of all papers, of one paper, or a single item."""
    papers = list(PAPERS.values()) if paper is None else [PAPERS[_known(paper, list(PAPERS), "paper")]]
    if item is None:
        return [(one, each) for one in papers for each in one.items.values()]
    if paper is None:
        raise ParameterError(f"{item} of which paper?", hint="there are " + ", ".join(PAPERS))
    items = papers[0].items
    return [(papers[0], items[_known(item, list(items), f"item of {paper}")])]


def _known(name: str, names: list[str], what: str) -> str:
    if name in names:
        return name
    raise ParameterError(f"there is no {what} {name!r}", hint=known_names(name, names))
