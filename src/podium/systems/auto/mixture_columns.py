"""What kernels of the mixture take and change: columns that belong together, under one name each."""

from __future__ import annotations

from typing import NamedTuple

from podium.arrays import Bools, Floats, Ints, Longs


class Learned(NamedTuple):
    """What belongs to no single player; kernels write into it."""

    log_weights: Floats
    coefficients: Floats
    """Of each regression, and likewise their covariance."""
    covariance: Floats
    rated: Longs
    """Events that each expert has rated."""
    draws: Floats
    """As `learn_draw` has them."""
    latest_many: Bools
    """Whether the latest rated event had more than two sides; newcomers then start at a contest score."""


class Public(NamedTuple):
    """The columns of players' public ratings."""

    mu: Floats
    sigma: Floats
    unknown: Bools
    """Nothing is known of the player yet, who starts wherever experts believe that newcomers start."""
    events: Ints
    last_time: Longs
    many: Bools
    """Whether the rating is a contest score: that of everybody whose last event had more than two sides."""
    absence: Floats
    """What absence adds to a contest score, in points for each unit of ln(1 + days/30)."""
    pause: Floats
    """ln(1 + days/30) of the absence before the last event."""


class Said(NamedTuple):
    """What the experts say of consecutive events, one row each; the events' awake experts are the same."""

    awake: Bools
    """Whether each expert can predict such events, as far as can be known before the result."""
    raw: Floats
    """The chance of each side, and likewise `calibrated`."""
    calibrated: Floats
    terms: Floats
    """The terms of each expert's calibration before the first event and after each, by event and expert."""
    after: Floats
    """The log odds of each row's player against the reference player after the event."""
    deviation: Floats
    """The deviation of each row's player after the event, in points of public ratings; below 0 for none."""
    fresh: Longs
    """For each row, its position in the next two if its player was unknown before the event; otherwise −1."""
    before: Floats
    """The log odds against the reference player of rows whose player was unknown before the event."""
    deviation_before: Floats
    rates: Bools
    """Whether each expert can rate these events."""


class Met(NamedTuple):
    """The sides of events: their offsets and what each scored, and how many pairs of each event tied."""

    offsets: Longs
    score: Floats
    tied: Floats


class Scored(NamedTuple):
    """Ratings by contest scores; arrays of length 0 where there are no contests."""

    mu: Floats
    """By row, after the event, as `absence`."""
    absence: Floats
    start: Floats
    """The start of newcomers before the event, for each of the rows whose player was unknown."""


class Told(NamedTuple):
    """What the trace wants to know; arrays of length 0 if it wants nothing."""

    expected: Floats
    """By side, as `draw`; the others are by row."""
    draw: Floats
    mu_before: Floats
    sigma_before: Floats
    mu: Floats
    sigma: Floats
