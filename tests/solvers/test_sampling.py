"""The sampled variants: they converge, in the enumerated game and on the game's own rules."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import without_compiling
from rinforza.solvers import Cfr, exploitability
from tests.naive.cfr import histories
from tests.toys.whispers import Whispers

VARIANTS = ["external_mccfr", "outcome_mccfr"]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("variant", "iterations", "limit"), [(VARIANTS[0], 60_000, 0.006), (VARIANTS[1], 400_000, 0.012)]
)
def test_kuhn_poker_is_solved(variant, iterations, limit, seed):
    for most_histories in (4_000_000, 10):
        game = rf.games.KuhnPoker()
        solver = Cfr(game, variant, seed, most_histories=most_histories)
        solver.iterate(iterations)
        assert exploitability(game, solver.policy) < limit
        assert solver.num_infosets == 12


def test_external_sampling_solves_leduc_poker():
    game = rf.games.LeducPoker()
    solver = Cfr(game, "external_mccfr")
    solver.iterate(400_000)
    assert solver.exploitability() < 0.04
    assert solver.expected_value(0) == pytest.approx(-0.0856, abs=0.015)
    played = Cfr(game, "external_mccfr", most_histories=100)
    played.iterate(100_000)
    assert exploitability(game, played.policy) < 0.09
    assert played.num_infosets == 936


def test_outcome_sampling_comes_nearer_on_leduc_poker():
    game = rf.games.LeducPoker()
    solver = Cfr(game, "outcome_mccfr")
    found = []
    for iterations in (10_000, 490_000):
        solver.iterate(iterations)
        found.append(solver.exploitability())
    assert found[1] < 0.5 * found[0]
    assert found[1] < 0.4


@pytest.mark.parametrize("variant", VARIANTS)
def test_several_players_and_one(variant):
    three = Cfr(rf.games.KuhnPoker(players=3), variant)
    three.iterate(200_000)
    assert three.nash_conv() < 0.1
    one = Cfr(Whispers(6, 1, longest=5), variant)
    one.iterate(30_000)
    assert one.expected_value(0) == pytest.approx(one.best_response_values()[0], abs=0.05)


@pytest.mark.lanes
@pytest.mark.parametrize("most_histories", [4_000_000, 10])
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_seed_decides_everything(variant, most_histories):
    def after(seed, *parts):
        solver = Cfr(Whispers(3, 2), variant, seed, most_histories=most_histories)
        for part in parts:
            solver.iterate(part)
        return solver.save()

    assert after(5, 12) == after(5, 12)
    assert after(5, 12) == after(5, 1, 0, 4, 7)
    assert after(5, 12) != after(6, 12)


@pytest.mark.lanes
def test_both_lanes_sample_alike():
    game = rf.games.LeducPoker()
    compiled = Cfr(game, "external_mccfr", 7, most_histories=10)
    compiled.iterate(3)
    with without_compiling():
        plain = Cfr(game, "external_mccfr", 7, most_histories=10)
        plain.iterate(3)
        assert plain.save() == compiled.save()


@pytest.mark.parametrize("most_histories", [4_000_000, 10])
@pytest.mark.parametrize("variant", VARIANTS)
def test_sampled_regrets_are_unbiased(variant, most_histories):
    """Over many seeds, the first player's regrets after one traversal are on average the exact ones."""
    game = Whispers(10, 2, longest=5)
    exact = tables_of(Cfr(game, "vanilla"), 0)
    runs = [tables_of(Cfr(game, variant, seed, most_histories=most_histories), 0) for seed in range(300)]
    compare_means([run["regrets"] for run in runs], exact["regrets"])


@pytest.mark.parametrize(("variant", "player"), [("external_mccfr", 1), ("outcome_mccfr", 0)])
def test_sampled_averages_are_unbiased(variant, player):
    """The first sums of strategies to be gathered weigh each history by what is left to the draws to decide."""
    game = Whispers(0, 3)
    expected = {}

    def gather(history, chance, reaches):
        if history.turn == player:
            weight = chance * (reaches[1] * reaches[2] if variant == "external_mccfr" else reaches[0])
            share = 1.0 / len(history.actions)
            total = expected.get(history.key, np.zeros(len(history.actions)))
            expected[history.key] = total + weight * share
        for index, child in enumerate(history.children):
            onward = list(reaches)
            if history.key:
                onward[history.turn] /= len(history.actions)
            gather(child, chance * (history.odds[index] if history.odds else 1.0), onward)

    gather(histories(game), 1.0, [1.0] * 3)
    assert len(expected) == (3 if variant == "external_mccfr" else 15)
    runs = [tables_of(Cfr(game, variant, seed), player)["averages"] for seed in range(500)]
    compare_means(runs, expected)


def compare_means(runs, exact):
    """Compare the means of tables with the exact one, within five standard errors."""
    for key, expected in exact.items():
        sampled = np.array([run.get(key, np.zeros(len(expected))) for run in runs])
        error = sampled.std(axis=0) / np.sqrt(len(runs))
        assert (np.abs(sampled.mean(axis=0) - expected) < 5.0 * error + 1e-9).all()
        assert sampled.any() or not expected.any()


def tables_of(solver, player):
    """Return a player's regrets and averages by information state, after one iteration."""
    solver.iterate(1)
    sets, saved = solver._solver.sets, solver._solver.saved()
    rows = [row for row in range(sets.rows) if sets.player(row) == player]
    return {
        name: {sets.key(row): saved[name][sets.bounds_of(row)] for row in rows}
        for name in ("regrets", "averages")
    }


# ---- growth ----


def test_tables_and_frames_grow_on_the_way():
    """A game with thousands of information states and fifty decisions of one player, from small tables."""
    game = Whispers(1, 2, longest=40, chance_share=0.9, end_share=0.0)
    solver = Cfr(game, "outcome_mccfr", most_histories=10)
    solver.iterate(3000)
    assert solver.num_infosets > 2000
    again = Cfr(game, "outcome_mccfr", most_histories=10)
    for _ in range(30):
        again.iterate(100)
    assert again.save() == solver.save()


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_that_are_too_large_have_no_exact_metric(variant):
    solver = Cfr(rf.games.KuhnPoker(), variant, most_histories=54)
    solver.iterate(10)
    for metric in (solver.nash_conv, solver.exploitability, solver.best_response_values):
        with pytest.raises(ValueError, match=r"no exact metric: .* has more than 54 histories"):
            metric()
    with pytest.raises(ValueError, match="no exact metric"):
        solver.expected_value(0)


def test_hold_em_is_sampled():
    game = rf.games.TexasHoldem(num_players=2, stack=20)
    solver = Cfr(game, "external_mccfr")
    solver.iterate(200)
    assert solver.num_infosets > 1000
    env = rf.Env(game, seed=1)
    key = env.information_state_key(env.active_agents()[0])
    assert solver.average_strategy(key) is None or sum(solver.average_strategy(key)[1]) == pytest.approx(1.0)


def test_kuhn_poker_at_a_full_table_is_sampled():
    solver = Cfr(rf.games.KuhnPoker(players=10), "external_mccfr")
    solver.iterate(300)
    assert solver.iterations == 300
    assert 1000 < solver.num_infosets <= 56_320
