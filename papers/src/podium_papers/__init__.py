"""Every table and figure of the papers podium is built on, each as a function that computes it again.

A paper is a module of this room with `ITEMS`: tables, figures and claims. `reproduce` makes them,
`write_pages` puts the published numbers beside ours, a page a paper.

>>> for paper in PAPERS.values():
...     print(f"{paper.name:14} {paper.authors}")
elo-mmr        Ebtekar and Liu, 2021
elo-mmr-draft  Ebtekar and Liu, 2021
elo-r          Ebtekar, 2015, revised 2020
cowan          Cowan, 2023
yuksel         Yuksel, 2024
"""

from podium_papers.items import Item, Number, Result, Setting
from podium_papers.library import PAPERS, Paper, find_items
from podium_papers.making import reproduce
from podium_papers.paper_pages import write_pages

__all__ = ["PAPERS", "Item", "Number", "Paper", "Result", "Setting", "find_items", "reproduce", "write_pages"]
