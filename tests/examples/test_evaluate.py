"""Matches: pairs share their opening, seats swap, points are counted right."""

import numpy as np
import pytest

import rinforza as rf
from examples.evaluate import points, random_opening, random_player, searching_player, untrained


def lowest(envs, seed):
    """Play the lowest legal column."""
    return [env.legal_actions(env.active_agents()[0])[0] for env in envs]


def lowest_too(envs, seed):
    return lowest(envs, seed)


def highest(envs, seed):
    return [env.legal_actions(env.active_agents()[0])[-1] for env in envs]


def test_equal_players_share_the_points_exactly():
    assert points(rf.games.Connect4(), lowest, lowest_too, 40, seed=3) == 0.5


def test_both_sides_of_a_match_add_up():
    game = rf.games.Connect4()
    share = points(game, lowest, highest, 40, seed=3)
    assert share + points(game, highest, lowest, 40, seed=3) == 1.0


def test_a_draw_is_half_a_point():
    game = rf.games.TicTacToe()
    perfect, perfect_too = (searching_player(untrained(9), 800) for _ in range(2))
    assert points(game, perfect, perfect_too, 2, seed=0, opening_moves=0) == 0.5


def test_wins_count_from_both_seats():
    perfect = searching_player(untrained(7), 200)
    assert points(rf.games.Connect4(), perfect, lowest, 8, seed=0, opening_moves=0) == 1.0
    assert points(rf.games.Connect4(), lowest, perfect, 8, seed=0, opening_moves=0) == 0.0


def test_pairs_share_their_opening():
    first_views = {"player": [], "opponent": []}

    def noting(name):
        def play(envs, seed):
            first_views[name] += [env.render() for env in envs if env.ticks == 4]
            return lowest(envs, seed)

        return play

    points(rf.games.Connect4(), noting("player"), noting("opponent"), 30, seed=5)
    assert len(first_views["player"]) == 15
    assert sorted(first_views["player"]) == sorted(first_views["opponent"])
    assert len(set(first_views["player"])) > 5


def test_equal_seeds_give_equal_matches():
    game = rf.games.Connect4()
    shares = [points(game, lowest, random_player, 60, seed) for seed in (1, 1, 2, 3)]
    assert shares[0] == shares[1]
    assert len(set(shares)) > 1


def test_search_beats_chance():
    assert points(rf.games.Connect4(), searching_player(untrained(7), 32), random_player, 60, seed=1) > 0.7


def test_openings_leave_the_game_open():
    rng = np.random.default_rng(0)
    for _ in range(50):
        env = random_opening(rf.games.TicTacToe(), 6, rng)
        assert env.ticks == 6
        assert not env.done()


@pytest.mark.parametrize("n_games", [0, 1, 7, -2])
def test_pairs_need_an_even_number(n_games):
    with pytest.raises(ValueError, match=f"n_games must be even and at least 2.*got {n_games}"):
        points(rf.games.Connect4(), lowest, highest, n_games, seed=0)
