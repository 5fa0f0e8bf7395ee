"""A table of those who wait: what it says becomes tickets, what it cannot say is refused with its line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from podium import Elo, Glicko, InputError, Matchmaker, ParameterError, Policy
from podium.matchmaking.policies.targets import WinRateTarget
from podium.matchmaking.policies.terms import BlockList, Latency, Needs, SameAttribute, WinProbabilityGap
from podium.matchmaking.waiting_file import WaitingTable, read_waiting


def table(folder: Path, text: str, **options: object) -> WaitingTable:
    path = folder / "players.csv"
    path.write_text(text, encoding="utf-8")
    return read_waiting(path, **options)


def test_all_columns(tmp_path: Path) -> None:
    read = table(
        tmp_path,
        "player,Rating,sigma,recent,party,waited,blocks,latency_eu,needs_input,needs_age,input,age\n"
        "ann,1500,90,wld,x,5,bob; cat,20,pad;touch,,pad,30\n"
        "bob,1600,80,,,,,,,18..40,mouse,\n"
        "cat,1400,70,L,x,9.5,,30,,,pad,7.5\n",
        columns={"mu": "Rating"},
    )
    assert read.players == ["ann", "bob", "cat"]
    np.testing.assert_equal(read.mu, [1500, 1600, 1400])
    np.testing.assert_equal(read.sigma, [90, 80, 70])
    assert read.recent == ["WLD", "", "L"]
    assert [party.tolist() for party in read.parties] == [[0, 2], [1]]
    assert read.waited.tolist() == [5, 0, 9.5]
    assert read.blocks == [("bob", "cat"), (), ()]
    np.testing.assert_equal(read.latency["eu"], [20, np.nan, 30])
    assert read.needs == {"input": [["pad", "touch"], None, None], "age": [None, (18.0, 40.0), None]}
    assert read.attributes == {"input": ["pad", "mouse", "pad"], "age": [30.0, None, 7.5]}


def test_what_a_table_says_becomes_tickets(tmp_path: Path) -> None:
    read = table(
        tmp_path,
        "player,mu,recent,waited,platform,blocks,latency_eu\n"
        "ann,1500,WWWWW,30,pc,bob,20\nbob,1500,LLLLL,0,pc,,30\ncat,1900,L,0,pc,,40\ndan,1505,,0,tv,,50\n",
    )
    terms = (WinProbabilityGap(), SameAttribute("platform"), BlockList(), Latency())
    maker = Matchmaker(Elo(), policy=Policy(terms, tolerance=1.0, target=WinRateTarget()))
    read.join(maker)
    assert [ticket.players for ticket in maker.waiting()] == [("ann",), ("bob",), ("cat",), ("dan",)]
    assert maker.ticket("dan").attributes == {"platform": "tv"}
    (match,) = maker.tick(0.0).matches
    assert match.players == ("ann", "cat")  # bob is blocked, and dan plays on another platform
    assert match.waited == (30.0, 0.0)
    assert match.region == "eu"
    assert match.wanted == pytest.approx((1 / 12, 7 / 12))  # after five wins, and after one loss


def test_deviations_go_to_systems_that_have_them(tmp_path: Path) -> None:
    read = table(tmp_path, "player,mu,sigma\nann,1500,50\nbob,1700,350\n", deviations=True)
    for system in (Elo(), Glicko()):
        maker = Matchmaker(system, policy=Policy((WinProbabilityGap(),), tolerance=1.0))
        read.join(maker)
        (match,) = maker.tick(0.0).matches
        assert match.chances[0] == pytest.approx(float(system.win_probability(1500, 50, 1700, 350)))


def test_a_party_says_what_all_of_it_say(tmp_path: Path) -> None:
    text = "player,mu,party,platform,map\nann,1500,x,pc,dust\nbob,1600,x,pc,nuke\n"
    maker = Matchmaker(Elo(), "2v2")
    table(tmp_path, text).join(maker)
    assert maker.ticket("bob").attributes == {"platform": "pc"}


def test_needs_of_a_party_are_not_lost(tmp_path: Path) -> None:
    text = "player,mu,party,needs_map\nann,1500,x,dust\nbob,1600,x,nuke\n"
    maker = Matchmaker(Elo(), "2v2", Policy((WinProbabilityGap(), Needs())))
    with pytest.raises(InputError, match="party of 'ann' differs on the need 'map'"):
        table(tmp_path, text).join(maker)
    assert len(maker) == 0


def test_parties_that_the_policy_cannot_take_are_named(tmp_path: Path) -> None:
    policy = Policy((WinProbabilityGap(), SameAttribute("platform")))
    text = "player,mu,party,platform\nann,1500,x,pc\nbob,1600,x,tv\n"
    with pytest.raises(InputError, match="party of 'ann' has pc and tv"):
        table(tmp_path, text).join(Matchmaker(Elo(), "2v2", policy))
    with pytest.raises(InputError, match="party of 'ann' has 2 players"):
        table(tmp_path, text).join(Matchmaker(Elo(), "1v1", policy))
    with pytest.raises(InputError, match="'bob' has nothing"):
        table(tmp_path, "player,mu,platform\nann,1,pc\nbob,2,\n").join(Matchmaker(Elo(), "1v1", policy))


def test_deviations_are_all_there_or_none(tmp_path: Path) -> None:
    assert table(tmp_path, "player,mu,sigma\nann,1,\nbob,2,\n").sigma is None
    with pytest.raises(InputError, match="line 3: sigma is empty"):
        table(tmp_path, "player,mu,sigma\nann,1,50\nbob,2,\n")
    assert table(tmp_path, "player,mu,sigma\nann,1,50\nbob,2,\n", deviations=False).sigma is None


def test_ranges_of_numbers(tmp_path: Path) -> None:
    read = table(tmp_path, "player,mu,needs_mu\nann,1,1e3..2e3\nbob,2,-5 .. 5.5\ncat,3,\n")
    assert read.needs == {"mu": [(1000.0, 2000.0), (-5.0, 5.5), None]}
    with pytest.raises(InputError, match=r"line 2: needs_mu is 'low\.\.high'"):
        table(tmp_path, "player,mu,needs_mu\nann,1,low..high\n")


@pytest.mark.parametrize(
    "text, said",
    [
        ("player,mu\nann,1500\nbob,x\n", "line 3: mu is 'x', not a number"),
        ("player,mu\nann,\n", "line 2: mu is empty"),
        ("player,mu\nann,inf\n", "line 2: mu is infinite"),
        ("player,mu\nann,nan\n", "line 2: mu is 'nan', not a number"),
        ("player,mu\n,1500\n", "line 2: player is empty"),
        ("player,mu\nann,1\nbob,2\nann,3\n", "line 4: 'ann' waits twice"),
        ("player,mu,sigma\nann,1,-2\n", "line 2: sigma is -2, below 0"),
        ("player,mu,recent\nann,1,WLX\n", "line 2: recent is 'WLX'"),
        ("player,mu,waited\nann,1,-3\n", "line 2: waited is -3"),
        ("player,mu,latency_eu\nann,1,-3\n", "line 2: latency_eu is -3"),
        ("player,rating\nann,1\n", "there is no column mu"),
        ("name,mu\nann,1\n", "there is no column player"),
        ("player,mu,mu\nann,1,2\n", "two columns are called 'mu'"),
        ("player,mu,MU\nann,1,2\n", "both called mu"),
        ("player,mu\n", "the table has no players"),
        ("", "empty"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        table(tmp_path, text)
    assert str(caught.value).startswith(str(tmp_path / "players.csv"))


def test_other_refusals(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no column 'rank'"):
        table(tmp_path, "player,mu\nann,1\n", columns={"rank": "x"})
    with pytest.raises(InputError, match="no column 'ratng'"):
        table(tmp_path, "player,rating\nann,1\n", columns={"mu": "ratng"})
    with pytest.raises(InputError, match="no such file"):
        read_waiting(tmp_path / "nobody.csv")
    with pytest.raises(InputError, match="there is no column sigma"):
        table(tmp_path, "player,mu\nann,1\n", deviations=True)
    assert table(tmp_path, "player\nann\n", rated=False).mu is None
