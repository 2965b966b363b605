"""Constructors: what they take, what they refuse, and how."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.testing.lanes import GameLane
from tests.testing.toys import GuessView

HUGE = 1 << 64
INTEGERS = [-(1 << 63), -1, 0, 1, 1 << 16, (1 << 16) + 1, (1 << 31) - 1, 1 << 31, 1 << 63, HUGE]
NO_INTEGERS = [True, False, 2.0, float("nan"), "3", b"3", [3], (), {}, np.float64(2)]
GAMES = [rf.games.TicTacToe, rf.games.Connect4, rf.games.GridWorld]


def test_defaults():
    grid = rf.games.GridWorld()
    expected = {"size": 5, "goal_row": 4, "goal_col": 4, "max_ticks": 1000}
    assert {name: grid.parameters[name] for name in expected} == expected
    assert grid.truncation_horizon() == 1000
    for game in (rf.games.TicTacToe(), rf.games.Connect4()):
        assert game.truncation_horizon() is None
        assert list(game.parameters) == ["encoder"]


@pytest.mark.parametrize(
    ("game", "facts"),
    [
        (rf.games.TicTacToe(), ("tictactoe", 2, 9, "sequential", "none", "perfect")),
        (rf.games.Connect4(), ("connect4", 2, 7, "sequential", "none", "perfect")),
        (rf.games.GridWorld(), ("gridworld", 1, 4, "sequential", "root", "perfect")),
    ],
)
def test_claims(game, facts):
    claims = game.name, game.num_players, game.num_actions
    assert (*claims, game.dynamics, game.chance_nodes, game.information) == facts
    assert game.action_space().n == game.num_actions


def test_reward_keys():
    versus = {"win": 1.0, "loss": -1.0, "draw": 0.0}
    assert rf.games.TicTacToe().events == versus
    assert rf.games.Connect4().events == versus
    assert rf.games.GridWorld().events == {"step": 0.0, "goal": 1.0}


# ---- GridWorld's numbers ----


@pytest.mark.parametrize("size", [2, 3, 20, 32_767])
def test_sizes_that_fit(size):
    game = rf.games.GridWorld(size=size)
    assert game.goal_row == game.goal_col == size - 1
    assert game.most_outcomes == size * size - 1
    assert game.observation_space().shape == (2, size, size)


@pytest.mark.parametrize(
    ("size", "message"),
    [(0, ">= 2, got 0"), (1, ">= 2, got 1"), (32_768, "2147483647, got 32768"), (1 << 63, "got")],
)
def test_sizes_that_do_not(size, message):
    with pytest.raises(ValueError, match=message):
        rf.games.GridWorld(size=size)


@pytest.mark.parametrize("name", ["goal_row", "goal_col"])
def test_goals_lie_inside(name):
    for value in (0, 4):
        assert rf.games.GridWorld(**{name: value}).parameters[name] == value
    with pytest.raises(ValueError, match=f"{name} must be <= 4, got 5"):
        rf.games.GridWorld(**{name: 5})
    assert rf.games.GridWorld(**{name: None}).parameters[name] == 4


def test_horizons():
    assert rf.games.GridWorld(max_ticks=1).truncation_horizon() == 1
    assert rf.games.GridWorld(max_ticks=None).truncation_horizon() is None
    largest = (1 << 63) - 1
    assert rf.games.GridWorld(max_ticks=largest).truncation_horizon() == largest
    with pytest.raises(ValueError, match=r"max_ticks must be >= 1 \(or None to never truncate\)"):
        rf.games.GridWorld(max_ticks=0)
    with pytest.raises(OverflowError, match="must fit in a signed 64-bit integer"):
        rf.games.GridWorld(max_ticks=1 << 63)


@pytest.mark.parametrize("name", ["size", "goal_row", "goal_col", "max_ticks"])
class TestEveryNumber:
    def test_negative_and_huge_numbers_overflow(self, name):
        for value in (-1, -(1 << 63), HUGE):
            with pytest.raises(OverflowError, match=name):
                rf.games.GridWorld(**{name: value})

    @pytest.mark.parametrize("value", NO_INTEGERS, ids=repr)
    def test_other_types_are_type_errors(self, name, value):
        with pytest.raises(TypeError, match=f"{name} must be an int, got"):
            rf.games.GridWorld(**{name: value})

    @pytest.mark.parametrize("value", INTEGERS)
    def test_an_integer_is_refused_cleanly_or_survives_use(self, name, value):
        try:
            game = rf.games.GridWorld(**{name: value})
        except (ValueError, OverflowError):
            return
        assert ten_random_moves(game) > 0

    def test_numpy_integers_are_integers(self, name):
        assert rf.games.GridWorld(**{name: np.int16(4)}) == rf.games.GridWorld(**{name: 4})


def ten_random_moves(game):
    """Play up to ten ticks; return how many were played."""
    lane = GameLane(game, plain=False)
    state, _ = lane.resolve_chance(lane.initial(), 0)
    generator = np.random.default_rng(0)
    for tick in range(10):
        legal = lane.legal(state, 0)
        if len(legal) == 0:
            return tick
        state, _ = lane.step(state, np.array([generator.choice(legal)]))
    return 10


# ---- what all constructors share ----


@pytest.mark.parametrize("constructor", GAMES)
class TestEveryConstructor:
    def test_unknown_keywords_are_type_errors(self, constructor):
        with pytest.raises(TypeError, match="unexpected keyword"):
            constructor(colour="red")

    def test_another_games_encoder_is_refused_by_both_names(self, constructor):
        with pytest.raises(ValueError, match="incompatible encoder") as caught:
            constructor(encoder=GuessView())
        assert "'guess_view'" in str(caught.value)
        assert repr(constructor.name) in str(caught.value)

    @pytest.mark.parametrize("encoder", [rf.encoders.Connect4, "connect4", 3, rf.Reward()], ids=repr)
    def test_what_is_no_encoder_is_a_type_error(self, constructor, encoder):
        with pytest.raises(TypeError, match="encoder must be an Encoder or None"):
            constructor(encoder=encoder)

    def test_its_own_encoder_is_the_default(self, constructor):
        own = constructor().encoder
        assert constructor(encoder=None) == constructor(encoder=own)

    def test_a_game_is_no_encoder(self, constructor):
        with pytest.raises(TypeError, match="encoder must be an Encoder or None"):
            constructor(encoder=constructor())


@pytest.mark.parametrize("constructor", [rf.encoders.TicTacToe, rf.encoders.Connect4, rf.encoders.GridWorld])
def test_encoders_take_no_arguments(constructor):
    assert constructor().parameters == {}
    with pytest.raises(TypeError):
        constructor(3)
    with pytest.raises(TypeError):
        constructor(history_length=3)
