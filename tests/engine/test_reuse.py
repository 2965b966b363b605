"""Engines whose searches go on with the tree of the last one."""

import pytest

import rinforza as rf
from rinforza.compiled import plain_python, without_compiling
from rinforza.contracts.chance_modes import Committed, ExpandAll
from rinforza.contracts.policy import Capacity
from tests.engine.compositions import REWARD, Composition, bits
from tests.naive.records import batch_records, records, same_records
from tests.toys.networks import PolicyValueNetwork, QNetwork
from tests.toys.random_ticks import RandomTicks
from tests.toys.random_tree import RandomTree, TurnedTreeView


class TinyAlphaZero(rf.policies.AlphaZero):
    """AlphaZero whose tables have to grow at every turn."""

    def capacity(self, game):
        return Capacity(1, 1, 1)


def composition_of(policy, **tree):
    """A policy on a random tree with chance nodes, random movers and a horizon."""
    tree = {"chance_share": 0.25, "openings": 50, "end_share": 0.05, "max_ticks": 7, **tree}
    game = RandomTree(seed=9, encoder=TurnedTreeView(5, 3), **tree)
    if isinstance(policy, rf.policies.Mcts):
        return Composition(game, REWARD, policy, rf.learners.TreeStrap(0.9), QNetwork(5))
    return Composition(game, REWARD, policy, rf.learners.AlphaZero(0.9), PolicyValueNetwork(5))


POLICIES = {
    "resample": (lambda: rf.policies.AlphaZero(7, reuse_tree=True), {}),
    "committed": (lambda: rf.policies.AlphaZero(7, chance=Committed(2), reuse_tree=True), {}),
    "expanded": (
        lambda: rf.policies.AlphaZero(7, chance=ExpandAll(), max_depth=2, reuse_tree=True),
        {"openings": 0},
    ),
    "three players": (
        lambda: rf.policies.AlphaZero(7, chance=Committed(2), reuse_tree=True),
        {"num_players": 3},
    ),
    "tiny": (lambda: TinyAlphaZero(7, reuse_tree=True), {}),
    "leaves": (lambda: rf.policies.AlphaZero(7, leaves=3, reuse_tree=True), {}),
    "uct": (lambda: rf.policies.Mcts(7, temperature=0.5, reuse_tree=True), {}),
}

if plain_python():  # plain Python takes its time
    del POLICIES["resample"], POLICIES["expanded"]


def make(name):
    """One of the compositions above."""
    policy, tree = POLICIES[name]
    return composition_of(policy(), **tree)


@pytest.mark.lanes
@pytest.mark.parametrize("name", [name for name in POLICIES if name not in ("leaves", "uct")])
def test_records_equal_those_of_the_twin(name):
    composition = make(name)
    slot = composition.slot()
    made = []
    for _ in range(2 if plain_python() else 20):
        made += records(slot.episode(), slot, composition.learner)
    batch = composition.engine(1).collect(len(made), composition.network)
    assert same_records(batch_records(batch), made)


@pytest.mark.parametrize("name", POLICIES)
def test_threads_change_nothing(name):
    composition = make(name)
    found = []
    for n_threads in (1, 2, 4):
        engine = composition.engine(8, n_threads=n_threads)
        found.append([bits(engine.collect(floor, composition.network)) for floor in (1, 80)])
    assert found[0] == found[1] == found[2]


@pytest.mark.lanes
@pytest.mark.parametrize("name", ["three players", "uct"])
def test_every_decision_takes_its_simulations(name):
    """A tree that was kept spares the root's evaluation, and not a simulation."""
    composition = make(name)
    measured = composition.engine(1, n_threads=1).collect(12, composition.network).telemetry
    assert measured["mean_leaves"] == measured["mean_rounds"] == 7.0
    rows = measured["requested_rows"] - measured["tail_rows"] - measured["extra_eval_rows"]
    assert rows + measured["terminal_sims"] + measured["depthcap_sims"] == 7 * measured["decisions"]


def test_a_fast_search_adds_as_many_simulations_as_it_has():
    fast = {"fast_simulations": 3, "full_share": 0.5}
    composition = composition_of(rf.policies.AlphaZero(7, reuse_tree=True, **fast))
    with without_compiling():  # a policy of this layout is compiled for nothing else
        batch = composition.engine(1, n_threads=1).collect(10, composition.network)
    full = batch.policy_weights.sum()
    assert 0 < full < len(batch.obs)
    assert batch.telemetry["mean_leaves"] * len(batch.obs) == pytest.approx(
        7 * full + 3 * (len(batch.obs) - full)
    )


def test_a_policy_alone_decides_afresh():
    env = rf.Env(rf.games.TicTacToe(), rf.Reward(), seed=1)
    usual, reusing = (rf.policies.AlphaZero(9, reuse_tree=reuse) for reuse in (False, True))
    network = PolicyValueNetwork(9)
    assert reusing.choose([env], network, gamma=1.0) == usual.choose([env], network, gamma=1.0)


def test_simultaneous_games_are_refused():
    for policy, learner in (
        (rf.policies.AlphaZero(4, reuse_tree=True), rf.learners.AlphaZero()),
        (rf.policies.Mcts(4, reuse_tree=True), rf.learners.TreeStrap()),
    ):
        with pytest.raises(ValueError, match=r"reuse_tree=True\) plays sequential games"):
            rf.Engine(RandomTicks(1), None, policy, learner, 1)


def test_bad_options():
    with pytest.raises(ValueError, match='takes root="puct"'):
        rf.policies.AlphaZero(4, root="gumbel", reuse_tree=True)
    for policy in (rf.policies.AlphaZero, rf.policies.Mcts):
        with pytest.raises(TypeError, match="reuse_tree"):
            policy(4, reuse_tree=1)


def test_conformance():
    for policy in (rf.policies.AlphaZero(6, reuse_tree=True), rf.policies.Mcts(6, reuse_tree=True)):
        rf.testing.check_policy(policy, rf.games.TicTacToe(), decisions=3, plain_decisions=1)
