"""Elo-R Competition Rating System (Ebtekar, 2015, revised 2020)."""

from podium_papers.elo_r.four_noises import noising
from podium_papers.elo_r.guarantees import guarantees
from podium_papers.elo_r.inflation import inflation
from podium_papers.elo_r.public_rating import public_rating
from podium_papers.elo_r.sustained_deviation import response
from podium_papers.items import Item

ITEMS = (
    Item("public-rating", "The noise between contests, and the public rating", "Section 5", public_rating),
    Item("guarantees", "What section 6 promises", "Section 6", guarantees, cost=10.0),
    Item(
        "inflation",
        "Whether the best rise and rise",
        "Sections 1 and 6",
        inflation,
        cost=10.0,
        reads=("contests",),
    ),
    Item("noising", "Four ways to add noise, seven properties", "Section 6.2", noising, cost=12.0),
    Item("response", "Response to a sustained deviation in performance", "Section 6.3", response, cost=3.0),
)
