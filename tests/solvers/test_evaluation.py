"""Exact values and best responses, of policies that are functions."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.solvers import Cfr, InformationState, best_response, exploitability
from tests.naive.cfr import best_response_value, expected_values, histories
from tests.testing.toys import Guess
from tests.toys.whispers import Whispers

PASS, BET = 0, 1


def kuhn_equilibrium(bluff):
    """Return the policy of Kuhn poker in which the first player bets the jack with a given chance."""

    def policy(state):
        player, card, *history = state.key
        if player == 0:
            bets = {0: [bluff, 0.0], 1: [0.0, bluff + 1 / 3], 2: [3 * bluff, 1.0]}[card][len(history) // 2]
        else:
            bets = {0: [1 / 3, 0.0], 1: [0.0, 1 / 3], 2: [1.0, 1.0]}[card][history[0]]
        return [1.0 - bets, bets]

    return policy


@pytest.mark.lanes
@pytest.mark.parametrize("bluff", [0.0, 0.2, 1 / 3])
def test_the_family_of_kuhn_equilibria_cannot_be_exploited(bluff):
    game, policy = rf.games.KuhnPoker(), kuhn_equilibrium(bluff)
    assert exploitability(game, policy) == pytest.approx(0.0, abs=1e-12)
    assert best_response(game, policy, 0).value == pytest.approx(-1 / 18)
    assert best_response(game, policy, 1).value == pytest.approx(1 / 18)


@pytest.mark.lanes
def test_who_always_bets_is_called_by_the_better_half():
    response = best_response(rf.games.KuhnPoker(), lambda state: [0.0, 1.0], 1)
    calls = {key: action for key, action in response.actions.items() if key[2:] == b"\x01"}
    assert calls == {b"\x01\x00\x01": PASS, b"\x01\x01\x01": BET, b"\x01\x02\x01": BET}
    assert response.value == pytest.approx((-1 + 0 + 2) / 3)
    assert len(response.actions) == 6


@pytest.mark.lanes
def test_ties_go_to_the_lowest_action():
    """Where the response is never asked for, or all is alike, it is the first legal action."""
    response = best_response(rf.games.KuhnPoker(), lambda state: [1.0, 0.0], 1)
    assert response.actions[b"\x01\x00\x01"] == PASS  # nobody bets
    assert response.value == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("players", [1, 2, 3])
@pytest.mark.lanes
def test_random_policies_are_worth_what_the_twin_says(seed, players):
    game = Whispers(seed, players)
    root = histories(game)
    generator = np.random.default_rng(seed)
    table = {}
    for history in root.walk():
        if history.key and history.key not in table:
            weights = generator.integers(0, 3, len(history.actions)) + 0.001
            table[history.key] = (weights / weights.sum()).tolist()

    def policy(state):
        assert isinstance(state, InformationState)
        return table[state.key]

    values = expected_values(root, players, table.get)
    best = [best_response_value(root, player, table.get) for player in range(players)]
    assert exploitability(game, policy) == pytest.approx((sum(best) - sum(values)) / players, abs=1e-12)
    for player in range(players):
        response = best_response(game, policy, player)
        assert response.value == pytest.approx(best[player])
        played = {**table, **{key: one_hot(root, key, action) for key, action in response.actions.items()}}
        assert expected_values(root, players, played.get)[player] == pytest.approx(best[player])


def one_hot(root, key, action):
    history = next(history for history in root.walk() if history.key == key)
    return [float(legal == action) for legal in history.actions]


@pytest.mark.lanes
def test_a_policy_sees_what_there_is_to_see():
    seen = []
    exploitability(rf.games.KuhnPoker(), lambda state: seen.append(state))
    assert sorted(state.key for state in seen) == sorted({state.key for state in seen})
    assert len(seen) == 12
    for state in seen:
        assert state.key[0] == state.player
        assert state.actions == (PASS, BET)
        assert state.observation.dtype == np.float32
        cards = state.observation.reshape(-1)[:3].tolist()
        assert cards == [float(card == state.key[1]) for card in range(3)]


@pytest.mark.lanes
def test_a_solver_is_a_policy():
    game = rf.games.KuhnPoker()
    solver = Cfr(game, "plus")
    assert exploitability(game, solver.policy) == exploitability(game, lambda state: None)
    solver.iterate(20)
    assert exploitability(game, solver.policy) == pytest.approx(solver.exploitability(), abs=1e-15)
    best = solver.best_response_values()
    assert [best_response(game, solver.policy, player).value for player in range(2)] == pytest.approx(best)


@pytest.mark.parametrize(
    "answer",
    [
        [0.5],
        [0.5, 0.6],
        [1.5, -0.5],
        [np.nan, 1.0],
        [[0.5, 0.5]],
        "ab",
        1.0,
        {0: 0.5},
        [np.inf, 0.0],
        ...,
    ],
    ids=repr,
)
def test_answers_that_are_no_probabilities(answer):
    with pytest.raises(ValueError, match="policy must return a probability for each of the actions"):
        exploitability(rf.games.KuhnPoker(), lambda state: answer)


def test_answers_in_single_precision_are_probabilities():
    third = np.array([1 / 3, 2 / 3], np.float32)
    found = exploitability(rf.games.KuhnPoker(), lambda state: third)
    assert found == pytest.approx(
        exploitability(rf.games.KuhnPoker(), lambda state: [1 / 3, 2 / 3]), abs=1e-6
    )


def test_arguments():
    game = rf.games.KuhnPoker()
    with pytest.raises(TypeError, match="policy must be callable"):
        exploitability(game, [0.5, 0.5])
    with pytest.raises(ValueError, match="player must be <= 1, got 2"):
        best_response(game, lambda state: None, 2)
    with pytest.raises(OverflowError, match="player must not be negative"):
        best_response(game, lambda state: None, -1)
    with pytest.raises(ValueError, match="imperfect recall"):
        best_response(Guess(rounds=2), lambda state: None)
    with pytest.raises(ValueError, match="more than 4,000,000 histories"):
        exploitability(rf.games.KuhnPoker(players=7), lambda state: None)
    with pytest.raises(TypeError, match="game must be a Game"):
        exploitability("kuhn_poker", lambda state: None)
