"""Snake's constructor: what it takes, what it refuses, and where the snakes begin."""

import pytest

import rinforza as rf
from rinforza.games.snake.placement import starting_bodies
from tests.naive.snake import NaiveSnake

REFUSED = [
    ({"num_snakes": 1}, r"num_snakes must be in 2..8, got 1"),
    ({"num_snakes": 9}, r"num_snakes must be in 2..8, got 9"),
    ({"initial_length": 0}, "initial_length must be >= 1"),
    ({"win_food_lead": 0}, "win_food_lead must be >= 1"),
    ({"win_food_lead": 1, "num_snakes": 3}, "win_food_lead is a two-snake rule"),
    ({"grid_size": 20_725}, "5.grid_size.grid_size <= 2147483647"),
    ({"grid_size": 0, "food": 0}, "grid_size 0 is too small"),
    ({"grid_size": 2, "initial_length": 1}, "grid_size 2 is too small: the head of snake 1"),
    ({"initial_length": 300}, "initial_length 300 does not fit grid_size 20"),
    ({"grid_size": 6, "initial_length": 12}, r"initial snakes overlap at \(3, 5\)"),
    ({"grid_size": 6, "initial_length": 16}, "initial_length 16 does not fit grid_size 6"),
    ({"food": 401}, "food 401 exceeds the 400 cells"),
    ({"food": 395}, "food 395 exceeds the 394 free cells"),
    ({"grid_size": 200, "food": 10_001}, "food must be <= 10000"),
    ({"grid_size": 2_000, "num_snakes": 8, "food": 4}, r"in more than 2\*\*53 ways"),
    ({"max_ticks": 0}, r"max_ticks must be >= 1 \(or None to never truncate\)"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED, ids=lambda value: str(value))
def test_what_does_not_fit_is_a_value_error(options, message):
    with pytest.raises(ValueError, match=message):
        rf.games.Snake(**options)


@pytest.mark.parametrize("name", ["grid_size", "initial_length", "food", "win_food_lead", "num_snakes"])
def test_numbers_are_checked(name):
    for value in (-1, 1 << 64):
        with pytest.raises(OverflowError, match=name):
            rf.games.Snake(**{name: value})
    for value in (True, 2.0, "3"):
        with pytest.raises(TypeError, match=f"{name} must be an int"):
            rf.games.Snake(**{name: value})


def test_play_to_last_is_a_bool():
    with pytest.raises(TypeError, match="play_to_last must be a bool"):
        rf.games.Snake(play_to_last=1)


def test_what_just_fits():
    assert rf.games.Snake(food=394).parameters["food"] == 394
    assert rf.games.Snake(food=0).most_outcomes == 1
    assert rf.games.Snake(win_food_lead=(1 << 64) - 1).lead == 401
    assert rf.games.Snake().most_outcomes == 400 * 399
    assert rf.games.Snake(grid_size=100, food=5).most_outcomes == 1 << 20
    assert rf.games.Snake(num_snakes=5).num_players == 5


def test_defaults():
    game = rf.games.Snake()
    expected = {"grid_size": 20, "initial_length": 3, "food": 3, "play_to_last": True, "win_food_lead": None}
    assert {name: game.parameters[name] for name in expected} == expected
    assert (game.truncation_horizon(), game.num_players, game.num_actions) == (1000, 2, 3)
    assert list(game.events.values()) == [0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("grid_size", "num_snakes", "length"),
    [(6, 2, 9), (3, 2, 3), (4, 8, 1), (20, 2, 3), (12, 5, 4), (9, 8, 2)],
)
def test_the_start_is_the_twins(grid_size, num_snakes, length):
    twin = NaiveSnake(grid_size=grid_size, num_snakes=num_snakes, initial_length=length)
    assert starting_bodies(grid_size, num_snakes, length) == twin.bodies


def test_a_long_snake_lies_along_the_edge():
    first, second = starting_bodies(6, 2, 9)
    assert first == [(3, 2), (3, 1), (3, 0), (4, 0), (5, 0), (5, 1), (5, 2), (5, 3), (5, 4)]
    assert second == [(3, 4), (3, 5), (2, 5), (1, 5), (0, 5), (0, 4), (0, 3), (0, 2), (0, 1)]
