"""Reward: names, weights and the nearest match."""

import copy
import math
import pickle

import numpy as np
import pytest

import rinforza as rf
from rinforza.contracts.reward import weight_array

GAMES = [rf.games.TicTacToe(), rf.games.Connect4(), rf.games.GridWorld()]


def test_names_that_are_left_out_keep_their_defaults():
    game = rf.games.Connect4()
    assert rf.Reward().resolve(game) == game.events
    assert rf.Reward(draw=0.5).resolve(game) == {"win": 1.0, "loss": -1.0, "draw": 0.5}
    assert weight_array(rf.Reward(loss=-2), game).tolist() == [1.0, -2.0, 0.0]
    assert weight_array(None, rf.games.GridWorld()).tolist() == [0.0, 1.0]


def test_the_order_is_the_games():
    names = list(rf.Reward(draw=1.0, win=2.0).resolve(rf.games.TicTacToe()))
    assert names == ["win", "loss", "draw"]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("name", ["checkmate", "Win", ""])
def test_an_unknown_name_is_refused_when_the_game_is_known(game, name):
    reward = rf.Reward(**{name: 1.0})
    with pytest.raises(ValueError, match="unknown reward key") as caught:
        reward.resolve(game)
    message = str(caught.value)
    assert repr(name) in message
    assert game.name in message
    assert ", ".join(game.events) in message


@pytest.mark.parametrize(("typed", "meant"), [("wins", "win"), ("los", "loss"), ("drew", "draw")])
def test_the_nearest_name_is_offered(typed, meant):
    with pytest.raises(ValueError, match=f"did you mean '{meant}'"):
        rf.Reward(**{typed: 1.0}).resolve(rf.games.Connect4())


def test_no_name_is_offered_where_none_is_near():
    with pytest.raises(ValueError, match="unknown reward key") as caught:
        rf.Reward(zzz=1.0).resolve(rf.games.Connect4())
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float32("nan")])
def test_weights_are_finite(value):
    with pytest.raises(ValueError, match="win must be finite"):
        rf.Reward(win=value)


@pytest.mark.parametrize("value", ["1", None, True, [1.0], b"1", 1j])
def test_weights_are_numbers(value):
    with pytest.raises(TypeError, match="win must be a float"):
        rf.Reward(win=value)


def test_positional_weights_are_refused():
    with pytest.raises(TypeError):
        rf.Reward(1.0)


def test_other_numbers_become_floats():
    reward = rf.Reward(win=2, loss=np.float32(-0.5), draw=np.int64(3))
    assert reward.resolve(rf.games.TicTacToe()) == {"win": 2.0, "loss": -0.5, "draw": 3.0}
    assert all(type(weight) is float for weight in reward.resolve(rf.games.TicTacToe()).values())


def test_rewards_are_values():
    reward = rf.Reward(win=2.0, loss=-1.0)
    for other in (pickle.loads(pickle.dumps(reward)), copy.deepcopy(reward), rf.Reward(loss=-1, win=2)):
        assert other == reward
        assert hash(other) == hash(reward)
    assert reward != rf.Reward(win=2.0)
    assert reward != {"win": 2.0, "loss": -1.0}
    assert repr(reward) == "Reward(win=2.0, loss=-1.0)"
    with pytest.raises(AttributeError, match="Reward is immutable; make a new one with win=3"):
        reward.win = 3


def test_what_is_no_reward_is_a_type_error():
    with pytest.raises(TypeError, match="reward must be a Reward or None, got dict"):
        weight_array({"win": 1.0}, rf.games.Connect4())
