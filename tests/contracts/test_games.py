"""What the base classes of games and encoders do for a game that says no more than it must."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled.memory import as_records
from rinforza.contracts.encoder import ActionView
from tests.testing.broken_games import Bare
from tests.testing.toys import Guess, GuessView


class Lonely(Bare):
    """A game that no encoder lists."""

    name = "lonely"
    num_actions = 1
    default_encoder = rf.Game.default_encoder


class PlainView(rf.Encoder):
    """An encoder that states only what it must."""

    name = "plain_view"
    games = ("lonely_no_more",)

    def shape(self, game):
        return 2, 1, 1


def a_state(**values):
    state = np.zeros(1, Guess.state_dtype)
    for name, value in values.items():
        state[name] = value
    return as_records(state)[0]


def test_state_values_are_the_fields_as_plain_values():
    values = Guess().state_values(a_state(card=2, note=(3, 4)))
    assert values == {"rounds": 0, "card": 2, "hint": 0, "heard": 0, "phase": 0, "note": [3, 4]}
    assert type(values["card"]) is int
    assert type(values["note"]) is list


def test_the_drawing_shows_the_state_values():
    state = a_state(card=2)
    assert Guess().text(state) == str(Guess().state_values(state))


@pytest.mark.parametrize(
    ("amounts", "payload"),
    [([0, 0, 0, 0], None), ([1, 0, -2.5, 0], {"win": 1.0, "cost": -2.5})],
)
def test_payloads_name_the_events_that_happened(amounts, payload):
    assert Guess().event_payload(0, np.array(amounts, float), a_state(card=2)) == payload


def test_spaces_follow_from_the_encoder_and_the_actions():
    game = Guess()
    assert game.action_space().n == 4
    assert game.observation_space().shape == (3, 1, 2)
    assert game.observation_space().high.max() == 10.0
    assert game.truncation_horizon() is None
    assert Guess(max_ticks=6).truncation_horizon() == 6


def test_a_game_without_an_encoder_says_so():
    with pytest.raises(TypeError, match="no encoder lists the game 'lonely'"):
        Lonely()


def test_the_first_encoder_that_lists_a_game_is_its_default():
    class NoMore(Lonely):
        name = "lonely_no_more"

    game = NoMore()
    assert isinstance(game.encoder, PlainView)
    assert game.encoder.planes(game) == ["plane 0", "plane 1"]
    assert game.observation_space().low.tolist() == [[[-np.inf]], [[-np.inf]]]
    assert ActionView(game).head_index(0, 0) == 0


def test_an_encoder_without_a_constructor_takes_no_keywords():
    with pytest.raises(TypeError, match="GuessView takes no keywords, got history_length"):
        GuessView(history_length=3)
