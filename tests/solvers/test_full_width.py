"""The variants that visit the whole game: published figures, OpenSpiel's curves, the naive twin."""

import json
from pathlib import Path
from time import process_time

import pytest

import rinforza as rf
from rinforza.solvers import Cfr
from tests.naive.cfr import NaiveCfr, best_response_value, expected_values, histories
from tests.toys.whispers import Whispers

VARIANTS = ["vanilla", "plus", "linear", "dcfr", "predictive_plus"]
GAMES = {
    "kuhn_poker": rf.games.KuhnPoker(),
    "kuhn_poker(players=3)": rf.games.KuhnPoker(players=3),
    "leduc_poker": rf.games.LeducPoker(),
    "liars_dice(dice_sides=3)": rf.games.LiarsDice(sides=3),
}
RECORDED = json.loads((Path(__file__).parent / "open_spiel.json").read_text())
LEDUC_VALUE = -0.085606424078
LIARS_DICE_VALUE = -0.027131782945736


# ---- numbers from outside ----


@pytest.mark.parametrize("variant", ["vanilla", "plus"])
@pytest.mark.parametrize("name", RECORDED)
def test_every_iteration_is_open_spiels(name, variant):
    solver = Cfr(GAMES[name], variant)
    for iteration, nash_conv, values in RECORDED[name][variant]:
        solver.iterate(iteration - solver.iterations)
        assert solver.nash_conv() == pytest.approx(nash_conv, abs=1e-10, rel=0)
        found = [solver.expected_value(player) for player in range(solver.num_players)]
        assert found == pytest.approx(values, abs=1e-10, rel=0)


@pytest.mark.parametrize(
    ("variant", "curve"),
    [
        ("vanilla", {1: 0.916667, 10: 0.137398, 100: 0.016452, 1000: 0.0018752}),
        ("plus", {10: 0.065374, 100: 0.0023888, 1000: 0.00017473}),
    ],
)
def test_nash_conv_of_kuhn_poker(variant, curve):
    solver = Cfr(rf.games.KuhnPoker(), variant)
    for iteration, nash_conv in curve.items():
        solver.iterate(iteration - solver.iterations)
        assert solver.nash_conv() == pytest.approx(nash_conv, rel=5e-5)


@pytest.mark.lanes
def test_the_first_iteration_on_kuhn_poker():
    solver = Cfr(rf.games.KuhnPoker(), "vanilla")
    solver.iterate(1)
    assert solver.expected_value(0) == pytest.approx(0.125)
    assert solver.nash_conv() == pytest.approx(11 / 12)


@pytest.mark.parametrize(
    ("variant", "curve"),
    [
        (
            "vanilla",
            {
                1: 2.3736111,
                2: 2.0613194,
                5: 1.4713246,
                10: 0.8885790,
                20: 0.4531457,
                50: 0.1890835,
                100: 0.0957164,
                101: 0.0939493,
            },
        ),
        ("plus", {10: 0.6104389, 20: 0.1736554, 50: 0.0341215, 100: 0.0134160}),
    ],
)
def test_exploitability_of_leduc_poker(variant, curve):
    solver = Cfr(rf.games.LeducPoker(), variant)
    for iteration, exploitability in curve.items():
        solver.iterate(iteration - solver.iterations)
        assert solver.exploitability() == pytest.approx(exploitability, abs=6e-8)


@pytest.mark.parametrize("variant", VARIANTS)
def test_leduc_poker_is_solved(variant):
    solver = Cfr(rf.games.LeducPoker(), variant)
    solver.iterate(3000)
    assert solver.exploitability() < (0.006 if variant == "vanilla" else 0.0025)
    assert solver.expected_value(0) == pytest.approx(LEDUC_VALUE, abs=1e-3)
    assert solver.expected_value(0) + solver.expected_value(1) == pytest.approx(0.0, abs=1e-12)


def test_leduc_poker_is_solved_to_six_digits():
    solver = Cfr(rf.games.LeducPoker(), "plus")
    solver.iterate(20_000)
    assert solver.exploitability() < 5e-6
    assert solver.expected_value(0) == pytest.approx(LEDUC_VALUE, abs=1e-6)


def test_leduc_poker_is_below_a_thousandth_in_seconds():
    Cfr(rf.games.LeducPoker(), "plus").iterate(1)  # compiles
    started = process_time()
    solver = Cfr(rf.games.LeducPoker(), "plus")
    while solver.exploitability() >= 0.001:
        solver.iterate(64)
    assert process_time() - started < 10.0


def test_liars_dice_is_solved():
    solver = Cfr(rf.games.LiarsDice(), "dcfr")
    solver.iterate(600)
    assert solver.num_infosets == 24_576
    assert solver.exploitability() < 5e-4
    assert solver.expected_value(0) == pytest.approx(LIARS_DICE_VALUE, abs=3e-4)


@pytest.mark.parametrize("variant", VARIANTS)
def test_kuhn_poker_comes_into_the_family_of_equilibria(variant):
    """With the chance a of betting the jack, the first player bets the king with 3a, calls with a + 1/3."""
    solver = Cfr(rf.games.KuhnPoker(), variant)
    solver.iterate(20_000)

    def bets(player, card, *history):
        return solver.average_strategy(bytes([player, card, *history]))[1][1]

    bluff = bets(0, 0)
    near = {"abs": 0.02 if variant == "vanilla" else 0.005}
    assert 0.0 <= bluff <= 1 / 3 + 0.01
    assert bets(0, 2) == pytest.approx(3 * bluff, **near)
    assert bets(0, 1, 0, 1) == pytest.approx(bluff + 1 / 3, **near)
    assert bets(0, 1) == pytest.approx(0.0, **near)
    assert bets(1, 0, 0) == pytest.approx(1 / 3, **near)
    assert bets(1, 1, 1) == pytest.approx(1 / 3, **near)
    assert bets(1, 2, 0) == pytest.approx(1.0, **near)
    assert bets(1, 2, 1) == pytest.approx(1.0, **near)
    assert solver.expected_value(0) == pytest.approx(-1 / 18, abs=1e-4)


def test_three_player_kuhn_poker_comes_near_an_equilibrium():
    solver = Cfr(rf.games.KuhnPoker(players=3), "vanilla")
    solver.iterate(4000)
    values = [solver.expected_value(player) for player in range(3)]
    assert values == pytest.approx([-0.02888, -0.02081, 0.04969], abs=1e-4)
    assert solver.nash_conv() == pytest.approx(0.0010, abs=1e-4)


def test_more_players_are_exploited_less_and_less():
    solver = Cfr(rf.games.KuhnPoker(players=4), "plus")
    found = []
    for _ in range(3):
        solver.iterate(200)
        found.append(solver.nash_conv())
    assert found[0] > found[1] > found[2] > 0.0


# ---- the twin ----


@pytest.mark.lanes
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("seed", "players"), [(0, 2), (2, 2), (10, 2), (2, 3), (10, 3), (4, 1)])
def test_random_games_go_as_the_twin_goes(seed, players, variant):
    game = Whispers(seed, players)
    twin, solver = NaiveCfr(game, variant, alpha=1.2, beta=0.3, gamma=1.7), new_solver(game, variant)
    for _ in range(4):
        twin.iterate()
        solver.iterate(1)
    assert solver.num_infosets == len(twin.regrets)
    compare_strategies(solver, twin)
    values = expected_values(twin.root, players, twin.average)
    assert [solver.expected_value(player) for player in range(players)] == pytest.approx(values)
    best = [best_response_value(twin.root, player, twin.average) for player in range(players)]
    assert solver.best_response_values() == pytest.approx(best)
    assert solver.nash_conv() == pytest.approx(sum(best) - sum(values), abs=1e-12)


def new_solver(game, variant):
    """Return a solver, discounted CFR with numbers of its own."""
    return Cfr(game, variant, **({"alpha": 1.2, "beta": 0.3, "gamma": 1.7} if variant == "dcfr" else {}))


def compare_strategies(solver, twin):
    """Compare the average strategy in every information state."""
    for key, actions in {history.key: history.actions for history in twin.root.walk() if history.key}.items():
        found, probabilities = solver.average_strategy(key)
        assert found == actions
        assert probabilities == pytest.approx(twin.average(key), abs=1e-12)


@pytest.mark.lanes
@pytest.mark.parametrize("variant", VARIANTS)
def test_players_that_forget_are_taken_as_they_are(variant):
    game = Whispers(1, 2, forgetful=True)
    twin, solver = NaiveCfr(game, variant, alpha=1.2, beta=0.3, gamma=1.7), new_solver(game, variant)
    for _ in range(4):
        twin.iterate()
        solver.iterate(1)
    compare_strategies(solver, twin)
    values = expected_values(twin.root, 2, twin.average)
    assert [solver.expected_value(player) for player in range(2)] == pytest.approx(values)
    with pytest.raises(ValueError, match="imperfect recall"):
        solver.exploitability()


@pytest.mark.lanes
@pytest.mark.parametrize("players", [1, 2, 3])
def test_linear_cfr_is_a_case_of_discounted_cfr(players):
    game = Whispers(2, players)
    linear, discounted = Cfr(game, "linear"), Cfr(game, "dcfr", alpha=1, beta=1, gamma=1)
    linear.iterate(6)
    discounted.iterate(6)
    for key in {history.key for history in histories(game).walk() if history.key}:
        assert linear.average_strategy(key)[1] == pytest.approx(
            discounted.average_strategy(key)[1], abs=1e-12
        )
