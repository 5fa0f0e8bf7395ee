"""What tickets need of each other's attributes: who misses it, and how the tickets divide by it."""

from __future__ import annotations

import numpy as np

from podium.arrays import Bools, Longs
from podium.matchmaking.policies.meetings import Ranges, Tickets
from podium.matchmaking.pool.growing_tables import numbered
from podium.matchmaking.pool.ticket_columns import Attributes

MOST_KINDS = 16
"""Kinds of tickets that need a text of an attribute, for which there are groups."""


def choosing_groups(tickets: Tickets, name: str) -> Bools | None:
    """Groups by the texts of an attribute that some tickets need."""
    attributes, said = tickets.waiting.store.attributes, tickets[name]
    choice = attributes.choice[name][tickets.slots]
    picky = choice >= 0
    asked, code = choice[picky], said[picky]
    kind = asked << 32 | np.where(np.isnan(code), 0, code + 1).astype(np.int64)
    kinds = np.unique(kind)
    if not 0 < len(kinds) <= MOST_KINDS:
        return None
    groups = np.empty((1 + len(kinds), len(choice)), np.bool_)
    groups[0] = ~picky
    text = numbered(said)
    example = np.empty(text.max() + 1)
    example[text] = said
    for number, one in enumerate(kinds.tolist(), 1):
        own = (one & 0xFFFFFFFF) - 1 if one & 0xFFFFFFFF else np.nan
        suits = attributes.picks(np.full(len(example), one >> 32), example)[text]
        suits[picky] &= attributes.picks(asked, np.full(len(asked), own))
        suits[picky] |= kind == one
        groups[number] = suits
    return groups.T


def asked_ranges(tickets: Tickets, name: str) -> Ranges:
    """What tickets say and need of an attribute; a choice of texts is the range of those anybody says."""
    attributes, slots, said = tickets.waiting.store.attributes, tickets.slots, tickets[name]
    low, high, choice = (table[name][slots] for table in (attributes.low, attributes.high, attributes.choice))
    if not np.any(choice >= 0):
        return Ranges(said, low, high)
    number, code = attributes.picked >> 32, attributes.picked & 0xFFFFFFFF
    codes = said[~np.isnan(said)].astype(np.int64)
    there = np.zeros(1 + max(int(code.max()), int(codes.max(initial=0))), np.bool_)
    there[codes] = True
    kept = attributes.picked[there[code]]
    first = np.searchsorted(kept >> 32, np.arange(int(number.max()) + 2))
    begin, end = first[choice], first[choice + 1]
    texts, some = choice >= 0, (choice >= 0) & (begin < end)
    low[texts], high[texts] = np.inf, -np.inf
    low[some], high[some] = kept[begin[some]] & 0xFFFFFFFF, kept[end[some] - 1] & 0xFFFFFFFF
    return Ranges(said, low, high, np.where(end - begin > 1, choice, -1), kept)


def unmet_needs(tickets: Tickets, others: Tickets, name: str) -> Bools:
    """Where tickets need something of others that these do not have."""
    attributes = tickets.waiting.store.attributes
    value, slots = tickets.waiting.column(name), tickets.slots
    choice, low = attributes.choice[name], attributes.low[name]
    missed = np.zeros(len(tickets), np.bool_)
    if len(asked := np.flatnonzero(choice[slots] >= 0)):  # few of them, mostly
        missed[asked] = ~attributes.picks(choice[slots[asked]], value[others.rows[asked]])
    if attributes.has_ranges(name) and len(asked := np.flatnonzero(~np.isnan(low[slots]))):
        had, slots = value[others.rows[asked]], slots[asked]
        missed[asked] |= ~((had >= low[slots]) & (had <= attributes.high[name][slots]))
    return missed


def described_needs(attributes: Attributes, slots: Longs) -> list[str | None]:
    """What each ticket needs, as a text such as "input: pad or touch; mu: 1400 to 1600"; None for nothing."""
    described: list[str | None] = [None] * len(slots)
    for name in attributes.needs:
        choice, low, high = (
            table[name][slots] for table in (attributes.choice, attributes.low, attributes.high)
        )
        rows = np.flatnonzero((choice >= 0) | ~np.isnan(low))
        needed = zip(*(column[rows].tolist() for column in (choice, low, high)), strict=True)
        texts = {
            number: f"{name}: {' or '.join(attributes.chosen(name, number))}"
            for number in np.unique(choice[choice >= 0]).tolist()
        }
        for row, (number, start, end) in zip(rows.tolist(), needed, strict=True):
            said = texts[number] if number >= 0 else f"{name}: {start:g} to {end:g}"
            described[row] = said if described[row] is None else f"{described[row]}; {said}"
    return described
