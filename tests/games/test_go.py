"""Go: leaf counts, the naive twin, OpenSpiel's games, ko and repetition, the score, damaged states."""

from functools import cache

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.rules import TERMINAL
from rinforza.testing.lanes import GameLane
from tests.naive.go import NaiveGo

from .damage import damaged
from .perft import perft
from .recorded import compare_playthrough, joint_of, open_spiel_games, playthrough, replay
from .side_by_side import random_moments

RULES = ["none", "positional", "situational"]

# No suicide, positional superko, the pass counts as a move, finished games have no children.
LEAVES = {
    2: [1, 5, 21, 68, 156, 316, 604, 1_088],
    3: [1, 10, 91, 738, 5_281, 33_384],
    4: [1, 17, 273, 4_112, 57_984],
    5: [1, 26, 651, 15_650, 361_041],
    7: [1, 50, 2_451, 117_698],
    9: [1, 82, 6_643, 531_522],
}
# A white stone on 6 is taken by black on 7, which could be taken back at once.
KO = [1, 2, 5, 8, 11, 12, 24, 6, 7]


@cache
def lane_of(size, superko="positional", komi=7.5):
    return GameLane(rf.games.Go(size, komi, superko), plain=plain_python())


def played(lane, actions):
    """Return the state and the last events after some actions of alternating players."""
    state, events = lane.initial(), np.zeros((2, 3))
    for action in actions:
        state, events = lane.step(state, joint_of(lane, lane.actor(state), action))
    return state, events


# ---- counts, twins, games from outside ----


@pytest.mark.parametrize(
    "size", [2, 3, 5, *(pytest.param(size, marks=pytest.mark.slow) for size in (4, 7, 9))]
)
def test_leaves_under_positional_superko(size):
    assert perft(lane_of(size), len(LEAVES[size]) - 1)[0] == LEAVES[size]


def test_leaves_under_the_simple_ko():
    """OpenSpiel's counts; on this board the rules differ only later."""
    assert perft(lane_of(5, "none"), 4)[0] == LEAVES[5]


@pytest.mark.lanes
def test_the_first_leaves_in_every_lane():
    assert perft(lane_of(3), 2)[0] == LEAVES[3][:3]


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("size", "superko", "plain", "seeds"),
    [
        (3, "positional", False, range(60)),
        (3, "situational", False, range(60)),
        (5, "none", False, range(12)),
        (5, "positional", False, range(12)),
        (3, "positional", True, range(60, 63)),
        (3, "situational", True, range(60, 63)),
        *(
            pytest.param(size, superko, False, range(1000, 1100), marks=pytest.mark.slow)
            for size in (2, 3, 5)
            for superko in RULES
        ),
        pytest.param(9, "positional", False, range(20), marks=pytest.mark.slow),
    ],
)
def test_random_games_go_as_the_twin_goes(size, superko, plain, seeds):
    game = rf.games.Go(size, superko=superko)
    lane = GameLane(game, plain)
    for seed in seeds[:3] if plain_python() else seeds:
        for state, twin, payloads, expected in random_moments(lane, NaiveGo(size, 7.5, superko), seed, 800):
            assert payloads == expected
            assert game.state_values(lane.record(state)) == twin.state_values()
            assert lane.actor(state) == (TERMINAL if twin.done else twin.turn)
            for player in range(2):
                legal = lane.legal(state, player).tolist()
                assert legal == twin.legal_actions(player)
                assert lane.observe(state, player).tolist() == twin.observation(player, legal)
            assert lane.valid(state) == 1
        assert twin.done


@pytest.mark.parametrize("size", [5, 9])
def test_games_of_open_spiel(size):
    """OpenSpiel forbids the simple ko only and ends a game that repeats a situation; none of these did."""
    lane = lane_of(size, "none")
    for game in open_spiel_games(f"go_{size}"):
        state, events = replay(lane, game)
        assert lane.actor(state) == TERMINAL
        assert (events @ lane.rules.weights).tolist() == game["points"]


@pytest.mark.lanes
def test_a_recorded_game():
    compare_playthrough("go", playthrough(lane_of(3), seed=5, longest=18))


# ---- ko and repetition ----


@pytest.mark.lanes
@pytest.mark.parametrize("superko", RULES)
def test_a_single_stone_is_not_retaken_at_once(superko):
    lane = lane_of(5, superko)
    state, _ = played(lane, KO)
    assert lane.record(state).ko == 6
    assert 6 not in lane.legal(state, 1)
    assert 6 in lane.legal(played(lane, [*KO, 23, 22])[0], 1)


@pytest.mark.lanes
def test_a_pass_lifts_the_simple_ko():
    state, _ = played(lane_of(5), [*KO, 25])
    assert lane_of(5).record(state).ko == -1


@pytest.mark.lanes
def test_a_key_must_agree_in_both_words():
    lane = lane_of(5)
    state, _ = played(lane, KO[:-1])
    assert 6 not in lane.legal(lane.step(state, joint_of(lane, 0, 7))[0], 1)
    for word in range(2):
        other = damaged(lane, state, "past_keys", 1, (word, 8))
        assert 6 in lane.legal(lane.step(other, joint_of(lane, 0, 7))[0], 1)


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("actions", "point", "allowed_by"),
    [
        # The stone brings back an earlier position with the other player to move, then with the same one.
        ([3, 4, 9, 6, 8, 5, 7, 6], 8, ["none", "situational"]),
        ([5, 3, 0, 6, 8, 9, 4, 2, 9, 1], 0, ["none"]),
    ],
)
def test_the_rules_against_repetition_differ(actions, point, allowed_by):
    for superko in RULES:
        lane = lane_of(3, superko)
        state, _ = played(lane, actions)
        legal = lane.legal(state, lane.actor(state))
        assert (point in legal) == (superko in allowed_by)


@pytest.mark.lanes
def test_suicide_is_illegal_and_capturing_is_not():
    """The corner is black's eye; white may only play there to take the stones around it."""
    lane = lane_of(3)
    state, _ = played(lane, [1, 8, 3])
    assert 0 not in lane.legal(state, 1)
    assert 0 in lane.legal(played(lane, [1, 8, 3, 7])[0], 0)
    state, _ = played(lane, [1, 2, 3, 4, 9, 6, 9])
    assert 0 in lane.legal(state, 1)
    state, _ = lane.step(state, joint_of(lane, 1, 0))
    assert lane.game.state_values(lane.record(state))["board"] == [[2, 0, 2], [0, 2, 0], [2, 0, 0]]


# ---- the end and the score ----


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("komi", "actions", "points"),
    [
        (7.5, [9, 9], [-1.0, 1.0]),
        (-0.5, [9, 9], [1.0, -1.0]),
        (0, [9, 9], [0.0, 0.0]),
        (7.5, [4, 9, 9], [1.0, -1.0]),  # one stone owns the whole board
        (9, [4, 9, 9], [0.0, 0.0]),
        (9.5, [4, 9, 9], [-1.0, 1.0]),
        (0, [0, 8, 9, 9], [0.0, 0.0]),  # the empty points reach both
        (0.5, [0, 8, 9, 9], [-1.0, 1.0]),
        (2.5, [1, 2, 4, 5, 7, 8, 9, 9], [1.0, -1.0]),  # six points against three
        (3.5, [1, 2, 4, 5, 7, 8, 9, 9], [-1.0, 1.0]),
    ],
)
def test_the_area_score(komi, actions, points):
    lane = lane_of(3, "positional", komi)
    before, _ = played(lane, actions[:-1])
    assert lane.actor(before) != TERMINAL
    state, events = played(lane, actions)
    assert lane.actor(state) == TERMINAL
    assert (events @ lane.rules.weights).tolist() == points
    assert [len(lane.legal(state, player)) for player in range(2)] == [0, 0]
    assert lane.game.state_values(lane.record(state))["passes"] == 2


@pytest.mark.lanes
def test_the_longest_game_is_scored_as_it_stands():
    """On 2x2 a game has at most eight moves; white takes three stones and owns the board after the last."""
    lane = lane_of(2, "none", 0.5)
    state, events = played(lane, [0, 4, 1, 4, 2, 3, 4])
    assert lane.actor(state) == 1
    state, events = lane.step(state, joint_of(lane, 1, 0))
    assert lane.actor(state) == TERMINAL
    assert lane.game.state_values(lane.record(state))["passes"] == 0
    assert (events @ lane.rules.weights).tolist() == [-1.0, 1.0]
    assert lane.valid(state) == 1


@pytest.mark.lanes
def test_turning_the_board_turns_the_game():
    lane = lane_of(5)
    generator = np.random.default_rng(1)
    one = other = lane.initial()
    while lane.actor(one) != TERMINAL:
        turn = lane.actor(one)
        legal = lane.legal(one, turn).tolist()
        mirrored = [action if action == 25 else 24 - action for action in legal]
        assert lane.legal(other, turn).tolist() == sorted(mirrored)
        place = int(generator.integers(len(legal)))
        one, events = lane.step(one, joint_of(lane, turn, legal[place]))
        other, turned_events = lane.step(other, joint_of(lane, turn, mirrored[place]))
        assert np.array_equal(events, turned_events)
        for player in range(2):
            assert np.array_equal(lane.observe(one, player)[:, ::-1, ::-1], lane.observe(other, player))


# ---- the contract ----


@pytest.mark.lanes
@pytest.mark.parametrize(("size", "superko"), [(3, "positional"), (5, "none"), (5, "positional")])
def test_the_contract_holds(size, superko):
    game = rf.games.Go(size, superko=superko)
    rf.testing.check_game(game, ticks=150, plain_ticks=25)
    rf.testing.check_encoder(game, ticks=40, plain_ticks=8)


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("field", "content", "index"),
    [
        ("cells", 0, 1),
        ("cells", 3, 4),
        ("cells", 1, 4),
        ("cells", 0, 9),  # the wall
        ("head", 1, 0),
        ("head", 9, 0),
        ("head", -1, 0),
        ("head", 1, 4),  # of an empty point
        ("next_stone", 0, 0),  # a ring that leaves a stone out
        ("next_stone", 9, 1),
        ("next_stone", 3, 1),  # on to another group
        ("next_stone", 1, 1),  # a ring that never comes back
        ("liberties", 1, 0),
        ("liberties", 9, 1),
        ("liberty_sum", 9, 1),
        ("liberty_squares", 9, 1),
        ("captured", 4, 0),
        ("legal", 0, 4),
        ("legal", 1, 0),
        ("key", 1, 0),
        ("key", 1, 1),
        ("past_keys", 1, (0, 4)),
        ("past_keys", 1, (1, 4)),
        ("ko", 9, ...),
        ("ko", -2, ...),
        ("ko", 0, ...),
        ("ply", 3, ...),
        ("ply", 19, ...),
        ("ply", -1, ...),
        ("passes", 2, ...),
        ("passes", -1, ...),
        ("done", 1, ...),
    ],
)
def test_damaged_states_are_refused(field, content, index):
    """Black holds 0 and 1 as one group, white holds 8 and 3 apart."""
    lane = lane_of(3)
    state, _ = played(lane, [0, 8, 1, 3])
    assert lane.valid(state) == 1
    assert lane.valid(damaged(lane, state, field, content, index)) == 0


@pytest.mark.lanes
def test_two_groups_on_one_ring_are_refused():
    """White's stones 8 and 3 do not touch: a ring of both has the right sums, but is no group."""
    lane = lane_of(3)
    state, _ = played(lane, [0, 8, 1, 3])
    sums = {name: lane.record(state)[name] for name in ("liberties", "liberty_sum", "liberty_squares")}
    for field, content, index in [("head", 3, 8), ("next_stone", 3, 8), ("next_stone", 8, 3)]:
        state = damaged(lane, state, field, content, index)
    for name, values in sums.items():
        state = damaged(lane, state, name, values[3] + values[8], 3)
        state = damaged(lane, state, name, 0, 8)
    assert lane.valid(state) == 0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"size": 1}, ValueError, "size must be >= 2, got 1"),
        ({"size": 20}, ValueError, "size must be <= 19, got 20"),
        ({"size": -1}, OverflowError, "size must not be negative"),
        ({"size": 9.0}, TypeError, "size must be an int"),
        ({"komi": float("nan")}, ValueError, "komi must be finite"),
        ({"komi": 1001}, ValueError, "komi must be <= 1000"),
        ({"komi": "7"}, TypeError, "komi must be a float"),
        ({"superko": "natural"}, ValueError, "'none', 'positional', 'situational'; got 'natural'"),
        ({"superko": None}, TypeError, "superko must be a str"),
    ],
)
def test_constructor_errors(arguments, error, message):
    with pytest.raises(error, match=message):
        rf.games.Go(**arguments)


def test_what_the_parameters_decide():
    game = rf.games.Go()
    assert (game.num_actions, game.observation_space().shape) == (82, (5, 9, 9))
    assert {name: game.parameters[name] for name in ("size", "komi", "superko")} == {
        "size": 9,
        "komi": 7.5,
        "superko": "positional",
    }
    others = [rf.games.Go(7), rf.games.Go(komi=6.5), rf.games.Go(superko="none")]
    assert all(other != game for other in others)
    assert rf.games.Go(komi=7) == rf.games.Go(komi=7.0)
    assert rf.games.Go(19).state_dtype.itemsize < 1 << 15
