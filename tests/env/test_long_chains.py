"""The limit of chance nodes in a row; slow in plain Python, so compiled only."""

import pytest

import rinforza as rf
from tests.env.games import LongChain


@pytest.mark.parametrize(("links", "first"), [(10_000, 0), (0, 10_000)])
def test_ten_thousand_chance_nodes_in_a_row_are_fine(links, first):
    env = rf.Env(LongChain(links=links, first=first), rf.Reward())
    events = env.step({0: 7})
    assert events == ([(0, {"link": 10_000.0})] if links else [])
    assert env.rewards == [float(links)]
    assert env.stream[1] == links + first


def test_one_more_is_an_error_and_nothing_has_changed():
    env = rf.Env(LongChain(links=10_001, first=3))
    before = env.snapshot()
    with pytest.raises(RuntimeError, match=r"more than 10,000 chance nodes in 'long_chain'"):
        env.step({0: 0})
    assert env.snapshot() == before
    with pytest.raises(RuntimeError, match="they form a cycle"):
        rf.Env(LongChain(first=10_001))


def test_a_start_move_behind_which_chance_never_ends():
    with pytest.raises(RuntimeError, match="they form a cycle"):
        rf.Env(LongChain(links=10_001), moves=[3])
