"""Fits against their naive twins, and what a fit says of strengths."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import podium
from fitting.worlds import arena
from naive import fitting as naive
from podium.fitting.pair_models import PAIR_MODELS
from podium.fitting.votes import Rankings, Votes

LOGIT = 400.0 / np.log(10.0)


def few_votes(seed: int) -> Votes:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, 30)
    return Votes(
        ("a", "b", "c", "d"),
        a.astype(np.int32),
        ((a + rng.integers(1, 4, 30)) % 4).astype(np.int32),
        rng.integers(0, 3, 30).astype(np.int32),
        rng.uniform(0.5, 2.0, 30),
    )


def plain(votes: Votes) -> list[naive.Vote]:
    score = np.array([1.0, 0.5, 0.0])[votes.outcome].tolist()
    return list(zip(votes.first.tolist(), votes.second.tolist(), score, votes.weights.tolist(), strict=True))


@pytest.mark.parametrize("name", sorted(PAIR_MODELS))
def test_a_fit_is_the_naive_maximum(name: str) -> None:
    votes, model = few_votes(3), PAIR_MODELS[name]
    fit = podium.fit(votes, name, prior=None)
    twin = getattr(naive, name.replace("-", "_"))
    start = [0.0] * 4 + [0.5] * model.has_ties
    expected = naive.maximum(
        lambda x: naive.pair_log_likelihood(twin, plain(votes), x[:4], x[4] if model.has_ties else 0),
        start,
        4,
    )
    assert fit.solution.parameters == pytest.approx(expected, abs=1e-10)
    assert np.abs(fit.solution.likelihood.evaluate(fit.solution.parameters)[1]).max() < 1e-10


@pytest.mark.parametrize("name", sorted(PAIR_MODELS))
def test_derivatives_are_those_of_the_chances(name: str) -> None:
    model, step = PAIR_MODELS[name], 1e-6
    d = np.array([-30.0, -3.0, -0.2, 0.0, 0.7, 4.0, 25.0]) * (0.3 if name == "thurstone" else 1.0)
    here = model.chances(d, 0.4)
    by_d = [model.chances(d + s, 0.4) for s in (step, -step)]
    by_h = [model.chances(d, 0.4 + s) for s in (step, -step)]
    for found, (up, down), of in (
        (here.d, by_d, "log"),
        (here.h, by_h, "log"),
        (here.dd, by_d, "d"),
        (here.dh, by_h, "d"),
        (here.hh, by_h, "h"),
    ):
        slope = (getattr(up, of) - getattr(down, of)) / (2 * step)
        assert np.broadcast_to(found, slope.shape) == pytest.approx(slope, rel=1e-6, abs=1e-7)
    if name != "bradley-terry":
        assert np.exp(here.log).sum(axis=0) == pytest.approx(np.ones(7), abs=1e-12)


PLACES = [
    [[0], [1, 2], [3]],
    [[3], [0], [1], [2]],
    [[1], [0, 3], [2]],
    [[2], [3], [0, 1]],
    [[0, 1, 2], [3]],
    [[2], [1], [0]],
]


def rankings(places: list[list[list[int]]]) -> Rankings:
    rows = [[(p, rank) for rank, place in enumerate(r, 1) for p in place] for r in places]
    flat = np.array([row for r in rows for row in r], np.int32)
    offsets = np.r_[0, np.cumsum([len(r) for r in rows])]
    return Rankings(("a", "b", "c", "d"), offsets, flat[:, 0], flat[:, 1], np.ones(len(places)))


def test_rankings_with_ties_are_the_naive_maximum() -> None:
    fit = podium.fit(rankings(PLACES))
    expected = naive.maximum(
        lambda x: naive.ranking_log_likelihood(PLACES, x[:4], {2: x[4], 3: x[5]}), [0.0] * 4 + [-1.0] * 2, 4
    )
    assert fit.solution.parameters == pytest.approx(expected, abs=1e-10)


def test_rankings_of_two_are_votes() -> None:
    _, votes = arena(1, 5, 300)
    history = podium.History.from_matches(
        votes.first.tolist(), votes.second.tolist(), (1.0 - votes.outcome / 2.0).tolist()
    )
    pairs = podium.fit(history)
    order = np.array([pairs.players.index(name) for name in pairs.players])
    as_rankings = Rankings(pairs.players, history.offsets, history.player, history.rank, np.ones(300))
    many = podium.fit(as_rankings)
    assert many.points == pytest.approx(pairs.points[order], abs=1e-7)
    assert np.sqrt(np.diag(many.points_covariance)) == pytest.approx(
        np.sqrt(np.diag(pairs.points_covariance))
    )
    assert many.tallies == pytest.approx(pairs.tallies)


def test_a_single_anchor_shifts_and_two_bind() -> None:
    _, votes = arena(2, 6, 2000)
    free = podium.fit(votes)
    one = podium.fit(votes, anchors={"m2": 1200})
    assert one.strength("m2").value == 1200
    assert one.strength("m2").error < 1e-6
    here, there = one.difference("m1", "m4"), free.difference("m1", "m4")
    assert (here.value, here.error) == pytest.approx((there.value, there.error))
    two = podium.fit(votes, anchors={"m2": 1200, "m3": 1000})
    assert two.strength("m2").value == pytest.approx(1200)
    assert two.strength("m3").value == pytest.approx(1000)
    assert two.difference("m1", "m4").value != pytest.approx(free.difference("m1", "m4").value)


def test_weights_are_repeated_votes() -> None:
    _, votes = arena(3, 4, 200)
    doubled = Votes(votes.players, votes.first, votes.second, votes.outcome, np.full(200, 2.0))
    twice = votes.taking(np.r_[np.arange(200), np.arange(200)])
    assert podium.fit(doubled).points == pytest.approx(podium.fit(twice).points, abs=1e-8)
    # …but a weight is no evidence of its own: the sandwich squares it.
    assert podium.fit(doubled).strength("m0").error == pytest.approx(podium.fit(votes).strength("m0").error)


def test_who_won_everything_has_a_stated_prior_or_is_refused() -> None:
    history = podium.History.from_matches(["a", "b", "c", "x"], ["b", "c", "a", "a"])
    fit = podium.fit(history)
    assert fit.solution.prior == 400.0
    assert fit.strengths["player"][0] == "x"
    assert "x won or lost everything" in fit.notes[0]
    with pytest.raises(podium.InputError, match="1 player never lost"):
        podium.fit(history, prior=None)
    assert podium.fit(history, prior=100).strength("x").value < fit.strength("x").value


@pytest.mark.parametrize("kind", ["sandwich", "cluster", "bootstrap"])
def test_few_wins_alone_are_little_evidence(kind: str) -> None:
    """Six wins and nothing else never differ from each other, which must not look like certainty."""
    _, votes = arena(11, 6, 3_000, voters=400)
    first = np.r_[votes.first, np.full(6, 6)].astype(np.int32)
    second = np.r_[votes.second, np.arange(6)].astype(np.int32)
    outcome = np.r_[votes.outcome, np.zeros(6)].astype(np.int32)
    cluster = np.r_[votes.cluster, np.arange(6)].astype(np.int32)
    with_winner = Votes(
        (*votes.players, "x"), first, second, outcome, cluster=cluster, clusters=votes.clusters
    )
    found = podium.fit(with_winner, errors=kind)
    expected = podium.fit(with_winner, errors="model")
    assert found.strength("x").error == pytest.approx(expected.strength("x").error, rel=0.1)
    assert found.rank_sets.high[6] > 1
    assert found.strength("m1").error == pytest.approx(expected.strength("m1").error, rel=0.2)


def test_intervals_hold_with_a_prior_that_is_right() -> None:
    held = []
    for seed in range(60):
        theta, votes = arena(seed, 10, 300, spread=0.2)
        fit = podium.fit(votes, prior=0.2 * LOGIT)
        gap = (fit.points - fit.points.mean()) / LOGIT - (theta - theta.mean())
        held.append(np.abs(gap) < 1.96 * np.sqrt(np.diagonal(fit.points_covariance)) / LOGIT)
    assert np.mean(held) == pytest.approx(0.95, abs=0.025)


def test_parts_without_a_link_are_not_compared() -> None:
    history = podium.History.from_matches(["a", "b", "c", "d"], ["b", "a", "d", "c"])
    fit = podium.fit(history)
    assert fit.strengths["component"].to_list() == [1, 1, 2, 2]
    assert fit.solution.prior is None
    assert fit.rank_sets.high.tolist() == [2, 2, 2, 2]
    with pytest.raises(podium.UnsupportedError, match="no chain of votes"):
        fit.difference("a", "c")
    assert np.isnan(fit.score_matrix[0][0, 2])


def test_errors_agree_where_the_model_is_right_and_votes_are_independent() -> None:
    _, votes = arena(4, 8, 20_000, voters=5_000)
    found = {
        kind: podium.fit(votes, errors=kind).strengths["error"].to_numpy()
        for kind in ("model", "sandwich", "cluster")
    }
    assert found["sandwich"] == pytest.approx(found["model"], rel=0.05)
    assert found["cluster"] == pytest.approx(found["model"], rel=0.1)


def test_repeated_votes_are_no_evidence_by_cluster() -> None:
    _, votes = arena(5, 8, 20_000, copies=4, voters=500)
    naive_errors = podium.fit(votes, errors="sandwich").strengths["error"].to_numpy()
    clustered = podium.fit(votes).strengths["error"].to_numpy()
    assert clustered / naive_errors == pytest.approx(np.full(8, 2.0), rel=0.2)  # √4


@pytest.mark.parametrize("by", ["votes", "cluster"])
def test_the_bootstrap_agrees_with_the_formula(by: str) -> None:
    _, votes = arena(6, 6, 5_000, copies=2, voters=400)
    fit = podium.fit(votes, errors="sandwich" if by == "votes" else "cluster")
    found = fit.bootstrap(300, by=by, jobs=1)
    expected = np.sqrt(np.diag(fit.points_covariance))
    assert found.samples.std(axis=0) == pytest.approx(expected, rel=0.25)
    assert np.array_equal(found.samples, fit.bootstrap(300, by=by, jobs=1).samples)


@pytest.mark.parametrize("cluster", [False, True])
def test_errors_can_be_those_of_the_bootstrap(cluster: bool) -> None:
    _, votes = arena(6, 6, 5_000, copies=2, voters=400)
    if not cluster:
        votes = replace(votes, cluster=None, clusters=())
    fit = podium.fit(votes, errors="bootstrap")
    expected = fit.bootstrap(1_000, jobs=1).samples.std(axis=0, ddof=1)
    assert np.sqrt(np.diag(fit.points_covariance)) == pytest.approx(expected)
    assert fit.summary.endswith("bootstrap errors")


def test_results_are_fitted_as_rankings_or_votes(tmp_path: Path) -> None:
    path = tmp_path / "races.csv"
    path.write_text("event,player,rank\n1,a,1\n1,b,2\n1,c,3\n2,c,1\n2,a,2\n2,b,3\n3,b,1\n3,a,2\n3,c,2\n")
    history = podium.read_history(path)
    found = podium.fit(path)
    assert found.choices.model == "plackett-luce"
    assert found.points == pytest.approx(podium.fit(history).points)
    assert found.notes[0] == f"{path}: 3 events, read as podium rate reads them."
    frame = podium.fit(pl.read_csv(path))
    assert frame.points == pytest.approx(found.points)


def test_the_score_matrix_is_that_of_outcomes() -> None:
    _, votes = arena(7, 5, 3_000)
    fit = podium.fit(votes)
    win, tie, loss = fit.outcomes("m0", "m3")
    assert win + tie + loss == pytest.approx(1.0)
    score = fit.expected_score("m0", "m3")
    assert score.value == pytest.approx(win + tie / 2)
    assert score.low < score.value < score.high
    assert fit.expected_score("m3", "m0").value == pytest.approx(1.0 - score.value)


def test_position_is_found() -> None:
    rng = np.random.default_rng(8)
    theta = np.array([0.4, 0.1, -0.5])
    a = rng.integers(0, 3, 20_000)
    b = (a + rng.integers(1, 3, 20_000)) % 3
    won = rng.random(20_000) < 1 / (1 + np.exp(-(theta[a] - theta[b] + 0.3)))
    votes = Votes(
        ("a", "b", "c"), a.astype(np.int32), b.astype(np.int32), np.where(won, 0, 2).astype(np.int32)
    )
    effect = podium.fit(votes, position=True).effects.row(0, named=True)
    assert effect["effect"] == "position"
    assert effect["low"] < 0.3 * LOGIT < effect["high"]
    assert effect["p"] < 1e-9


@pytest.mark.parametrize(
    "covariates, position, said",
    [
        (["size"], False, "the effect of size cannot be separated from the strengths"),
        (["turn"], True, "the effects of position and turn cannot be separated"),
        (["empty"], False, "the effect of empty cannot be separated from the strengths"),
    ],
)
def test_effects_that_votes_cannot_tell_are_refused(covariates: list[str], position: bool, said: str) -> None:
    _, votes = arena(12, 4, 400)
    size = np.array([7.0, 13.0, 70.0, 8.0])
    columns = {
        "model_a": [f"m{i}" for i in votes.first],
        "model_b": [f"m{i}" for i in votes.second],
        "winner": [["model_a", "tie", "model_b"][o] for o in votes.outcome],
        "size_a": size[votes.first],
        "size_b": size[votes.second],
        "turn": np.ones(400),
        "empty": np.zeros(400),
    }
    with pytest.raises(podium.InputError, match=said):
        podium.fit(pl.DataFrame(columns), covariates=covariates, position=position)
    held = podium.fit(pl.DataFrame(columns), covariates=covariates, position=position, ridge=100)
    assert np.isfinite(held.effects["error"].to_numpy()).all()


def test_bad_choices_are_refused() -> None:
    _, votes = arena(9, 3, 100)
    with pytest.raises(podium.ParameterError, match="no model 'davison'"):
        podium.fit(votes, "davison")
    with pytest.raises(podium.UnknownPlayerError, match="anchor 'gpt'"):
        podium.fit(votes, anchors={"gpt": 1000})
    with pytest.raises(podium.InputError, match="voter or prompt"):
        podium.fit(votes, errors="cluster")
    with pytest.raises(podium.UnsupportedError, match="names columns"):
        podium.fit(votes, cluster="user")
    with pytest.raises(podium.InputError, match="no votes"):
        podium.fit(votes.taking(np.zeros(0, int)))


def in_order(*orders: str) -> podium.History:
    """Rankings from texts such as "abc", the best first."""
    ranks = [{player: place for place, player in enumerate(order, 1)} for order in orders]
    return podium.History.from_events([podium.Event.of(ranks=places) for places in ranks])


def matches(*results: str) -> podium.History:
    """Matches from texts such as "a>b" and "a=b"."""
    return podium.History.from_events(
        [podium.Event.of(ranks={text[0]: 1, text[2]: 1 if text[1] == "=" else 2}) for text in results]
    )


@pytest.mark.parametrize("players", range(3, 9))
def test_two_mirrored_rankings_have_errors_everywhere(players: int) -> None:
    order = "abcdefgh"[:players]
    fit = podium.fit(in_order(order, order[::-1]))
    model = podium.fit(in_order(order, order[::-1]), errors="model")
    # The middle one was second of three each time: that shows no variance, so it has the model's.
    assert (fit.strengths["error"] > 0.1 * model.strengths["error"]).all()
    assert fit.rank_sets.low.tolist() == [1] * players
    assert fit.rank_sets.high.tolist() == [players] * players


@pytest.mark.parametrize("errors", ["model", "sandwich", "bootstrap"])
def test_draws_alone_do_not_make_two_players_surely_equal(errors: str) -> None:
    fit = podium.fit(matches(*["a=b"] * 10), errors=errors)
    assert fit.choices.model == "bradley-terry"
    # Ten halves tell ten quarters of a unit of information about the difference.
    assert fit.difference("a", "b").error == pytest.approx(LOGIT * np.sqrt(4 / 10), rel=1e-6)
    assert fit.strengths["best"].to_list() == pytest.approx([0.5, 0.5], abs=0.03)
    linked = podium.fit(matches(*["a=b"] * 10, "b>c", "c>b"), "bradley-terry", errors=errors)
    assert linked.difference("a", "b").error == pytest.approx(LOGIT * np.sqrt(4 / 10), rel=1e-3)


def test_only_ties_have_no_finite_tie_parameter() -> None:
    with pytest.raises(podium.InputError, match="everything is tied"):
        podium.fit(matches(*["a=b"] * 10), "davidson")
    event = podium.Event.of(ranks={"a": 1, "b": 1, "c": 1})
    with pytest.raises(podium.InputError, match="everything is tied"):
        podium.fit(podium.History.from_events([event]))


@pytest.mark.parametrize("errors", ["sandwich", "bootstrap"])
def test_wins_alone_have_the_errors_of_the_model(errors: str) -> None:
    history = matches(*["a>b"] * 10, *["b>c", "c>b"] * 5)
    model, shown = podium.fit(history, errors="model"), podium.fit(history, errors=errors)
    for other in ("b", "c"):
        assert shown.difference("a", other).error == pytest.approx(
            model.difference("a", other).error, rel=0.02
        )
    races = in_order(*["abcd", "acbd", "adcb", "abdc", "acdb", "adbc"] * 3)
    model, shown = podium.fit(races, errors="model"), podium.fit(races, errors=errors)
    for other in ("b", "c", "d"):
        assert shown.difference("a", other).error > 0.95 * model.difference("a", other).error


def test_equal_anchors_share_the_first_place() -> None:
    fit = podium.fit(matches("a>b", "b>a", "c>a", "a>c", "b>c"), anchors={"a": 1200, "b": 1200})
    best = dict(fit.strengths.select("player", "best").rows())
    assert best["a"] == best["b"] > 0.2


def test_equal_strengths_share_a_rank() -> None:
    def ranks(*results: str) -> dict[str, int]:
        return dict(podium.fit(matches(*results)).strengths.select("player", "rank").rows())

    assert ranks(*["a=b"] * 10) == {"a": 1, "b": 1}
    assert ranks("a>b", "b>a", "a>c", "b>c", "c>a", "a>c", "c>b", "b>c") == {"a": 1, "b": 1, "c": 3}
    assert ranks("a>b", "b>a", "x>y", "y>x", "x>y") == {"a": 1, "b": 1, "x": 1, "y": 2}


def test_anchors_alone_are_certain() -> None:
    fit = podium.fit(matches("a>b", "b>a"), anchors={"a": 1400, "b": 1000})
    assert fit.strengths["error"].to_list() == [0.0, 0.0]
    assert fit.outcomes("a", "b") == pytest.approx((10 / 11, 0.0, 1 / 11))


def test_few_voters_are_told_of() -> None:
    votes = pl.DataFrame(
        {"model_a": ["x", "y"] * 12, "model_b": ["y", "z"] * 12, "winner": ["model_a", "model_b", "tie"] * 8}
    )
    few = votes.with_columns(user=pl.Series(["ann", "bob", "cat"] * 8))
    for errors in ("cluster", "bootstrap"):
        notes = podium.fit(few, cluster="user", errors=errors, prior=400).notes
        assert any("in 3 groups, too few" in note for note in notes)
    assert not any("too few" in note for note in podium.fit(few, prior=400).notes)
    many = votes.with_columns(user=pl.Series([f"user {i % 12}" for i in range(24)]))
    assert not any("too few" in note for note in podium.fit(many, cluster="user", prior=400).notes)


def test_results_that_were_not_rated_are_no_votes() -> None:
    table = pl.DataFrame(
        {
            "player_a": ["ann", "ann", "ann", "bob"],
            "player_b": ["bob", "bob", "cat", "cat"],
            "score_a": [1.0, 0.0, 1.0, 0.5],
            "rated": ["yes", "no", "yes", "yes"],
        }
    )
    counted = podium.fit(table.filter(rated="yes").drop("rated"))
    assert counted.tallies.tolist() == [[2.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0]]
    for given in (table, podium.read_history(table)):
        fit = podium.fit(given)
        assert fit.points == pytest.approx(counted.points)
        assert any(note.startswith("Left out: 1 ") and "rated" in note for note in fit.notes)
    contest = podium.Event.of(ranks={"ann": 1, "bob": 2, "cat": 3}, unrated=["ann"])
    guests = podium.Event.of(ranks={"ann": 1, "bob": 2, "cat": 3}, unrated=["ann", "bob", "cat"])
    fit = podium.fit(podium.History.from_events([contest, guests]))
    assert len(fit.votes) == 1  # who is out of competition still was better or worse


@pytest.mark.parametrize("results", [["a=b"] * 10, ["a>b"] * 10], ids=["draws", "wins"])
def test_replicates_of_votes_that_never_differ_vary(results: list[str]) -> None:
    fit = podium.fit(matches(*results))
    found = fit.bootstrap(400, jobs=1).strengths.sort("player")
    model = podium.fit(matches(*results), errors="model").strengths.sort("player")
    assert found["error"].to_list() == pytest.approx(model["error"].to_list(), rel=0.15)
    if results[0] == "a=b":
        assert found["best"].to_list() == pytest.approx([0.5, 0.5], abs=0.1)
