"""The loop of random games that times the rules."""

import numpy as np
import pytest

import rinforza as rf
from benchmarks import rules_cost
from benchmarks.rules_cost import RandomGames

pytestmark = pytest.mark.lanes


@pytest.mark.parametrize(
    ("game", "length"),
    [
        (rf.games.TicTacToe(), 7.65),
        (rf.games.Connect4(), 21.4),
        # next to the goal 6 moves are expected, in the far corner 2 more: (6 + 6 + 8) / 3
        (rf.games.GridWorld(size=2), 20 / 3),
    ],
    ids=["tictactoe", "connect4", "gridworld"],
)
def test_random_games_have_the_expected_length(game, length):
    plies = 2000
    begun = RandomGames(game).play(plies, encodes=False)
    assert plies / begun == pytest.approx(length, rel=0.15)


def test_it_encodes_only_when_asked():
    games = RandomGames(rf.games.TicTacToe())
    games.observation[:] = 7.0
    games.play(3, encodes=False)
    assert (games.observation == 7.0).all()
    games.play(3, encodes=True)
    own, other = games.observation.reshape(2, 9)
    assert (own.sum(), other.sum()) == (1.0, 1.0)  # what the mover saw before the third ply
    assert np.isin(games.observation, (0.0, 1.0)).all()


def test_every_built_in_game_is_measured(monkeypatch):
    monkeypatch.setattr(rules_cost, "PLIES_PER_CALL", 10)
    games = rules_cost.built_in_games()
    assert len(games) == len(rf.games.__all__)
    costs = rules_cost.measure(games.values(), seconds=0.0)
    assert set(costs) == set(games)
    assert all(cost["step_ns"] > 0.0 and cost["row_ns"] > 0.0 for cost in costs.values())
