"""What a batch says about its own collection."""

import time

import pytest

from rinforza import policies
from tests.engine.compositions import COMPOSITIONS, EPISODES, q_composition, search_composition
from tests.toys.networks import Recorder

pytestmark = pytest.mark.lanes

KINDS = {
    "episodes": list,
    "decisions": int,
    "max_depth": int,
    "mean_leaves": float,
    "mean_rounds": float,
    "mean_expansions": float,
    "mean_sigma": float,
    "mean_disagreement": float,
    "infer_seconds": float,
    "infer_calls": int,
    "infer_rows": int,
    "padded_rows": int,
    "collect_seconds": float,
    "window_fill": float,
    "cache_lookups": int,
    "cache_hits": int,
    "terminal_sims": int,
    "depthcap_sims": int,
    "requested_rows": int,
    "tail_rows": int,
    "extra_eval_rows": int,
    "resigned_episodes": int,
    "records": int,
    "settings": dict,
}


@pytest.mark.parametrize("name", COMPOSITIONS)
@pytest.mark.parametrize("floor", [0, 20])
def test_every_key_is_there(name, floor):
    composition = COMPOSITIONS[name]()
    measured = composition.engine(4).collect(floor, composition.network).telemetry
    assert {key: type(value) for key, value in measured.items()} == KINDS


@pytest.mark.parametrize(
    ("tree", "options"),
    [
        ({}, {}),
        ({"max_ticks": 2, "end_share": 0.0}, {}),
        ({"end_share": 0.4}, {"num_simulations": 20}),
        ({}, {"num_simulations": 15, "max_depth": 2}),
        ({"chance_share": 0.6}, {"num_simulations": 15, "max_depth": 1}),
        ({}, {"num_simulations": 2}),
    ],
)
def test_every_simulation_is_accounted_for(tree, options):
    composition = search_composition(**tree).with_policy(
        policies.AlphaZero(**{"num_simulations": 7, **options})
    )
    engine = composition.engine(2)
    for floor in (1, 8):
        measured = engine.collect(floor, composition.network).telemetry
        simulations = (measured["requested_rows"] - measured["tail_rows"]) + measured["terminal_sims"]
        simulations += measured["depthcap_sims"] - measured["extra_eval_rows"]
        assert measured["decisions"] * composition.policy.num_simulations == simulations
        for name in ("mean_leaves", "mean_rounds", "mean_expansions"):
            assert measured[name] == composition.policy.num_simulations
        assert measured["max_depth"] <= composition.policy.max_depth
        assert (measured["depthcap_sims"] > 0) <= (measured["max_depth"] == composition.policy.max_depth)


def test_ends_and_caps_are_counted():
    ended = search_composition(end_share=0.5).with_policy(policies.AlphaZero(30))
    assert ended.engine(2).collect(10, ended.network).telemetry["terminal_sims"] > 0
    capped = search_composition().with_policy(policies.AlphaZero(30, max_depth=1))
    measured = capped.engine(2).collect(10, capped.network).telemetry
    assert measured["depthcap_sims"] > 0
    assert measured["max_depth"] == 1


@pytest.mark.parametrize("name", COMPOSITIONS)
@pytest.mark.parametrize("pad", [False, True])
def test_calls_and_rows(name, pad):
    composition = COMPOSITIONS[name]()
    recorder = Recorder(composition.network)
    engine = composition.engine(7, batch_size=5, pad=pad)
    for floor in (20, 1):
        recorder.calls.clear()
        measured = engine.collect(floor, recorder).telemetry
        assert measured["infer_calls"] == len(recorder.calls)
        assert measured["infer_rows"] + measured["padded_rows"] == recorder.rows
        assert measured["infer_rows"] == measured["requested_rows"]
        assert (measured["padded_rows"] > 0) <= pad


def test_tail_rows_are_those_of_cut_episodes():
    composition = search_composition(max_ticks=3, end_share=0.0, openings=0)
    measured = composition.engine(1).collect(12, composition.network).telemetry
    twin = composition.slot()
    expected = 0
    for _ in measured["episodes"]:
        episode = twin.episode()
        if not episode.terminated:
            expected += len({step.player for step in episode.steps})
    assert measured["tail_rows"] == expected > 0


@pytest.mark.parametrize("name", EPISODES)
def test_decisions_of_all_calls_add_up(name):
    """With one game every call ends where an episode does, so decisions are those of whole episodes."""
    composition = EPISODES[name]()
    engine = composition.engine(1)
    twin = composition.slot()
    for floor in (1, 9):
        measured = engine.collect(floor, composition.network).telemetry
        episodes = [twin.episode() for _ in measured["episodes"]]
        assert measured["decisions"] == sum(
            bool(step.evaluation) for episode in episodes for step in episode.steps
        )
        for found, expected in zip(measured["episodes"], episodes, strict=True):
            assert found == (pytest.approx(expected.returns), expected.ticks, False)


def test_players_that_do_not_learn_decide_too():
    composition = q_composition()
    engine = composition.engine(1, learn_players=[0])
    batch = engine.collect(10, composition.network)
    assert batch.telemetry["decisions"] > len(batch.obs)
    assert all(len(returns) == 2 for returns, _, _ in batch.telemetry["episodes"])


def test_seconds_in_the_network():
    composition = q_composition()

    def slow(obs):
        time.sleep(0.01)
        return composition.network(obs)

    measured = composition.engine(4, batch_size=4).collect(1, slow).telemetry
    assert measured["infer_seconds"] >= 0.01 * measured["infer_calls"]


def test_a_search_with_one_head_knows_no_disagreement():
    composition = search_composition()
    measured = composition.engine(2).collect(5, composition.network).telemetry
    assert measured["mean_sigma"] == measured["mean_disagreement"] == 0.0
    assert measured["cache_lookups"] == measured["cache_hits"] == 0
