"""The game as a whole: what its constructor takes, what it shows, what players know, the contract."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.testing.lanes import GameLane
from tests.games.transcripts import transcribe

from .hands_dealt import Dealer

REFUSED = [
    ({"num_players": 1}, r"num_players must be in 2..9, got 1"),
    ({"num_players": 10}, r"num_players must be in 2..9, got 10"),
    ({"small_blind": 0}, "small_blind must be >= 1"),
    ({"big_blind": 0}, "big_blind must be >= 1"),
    ({"small_blind": 11}, "small_blind must be <= big_blind, got 11 > 10"),
    ({"stack": 9}, r"stack must be >= big_blind \(10\), got 9"),
    ({"stack": 10, "small_blind": 10}, r"stack must be > small_blind \(10\), got 10"),
    ({"stack": (1 << 24) + 1}, "stack must be <= 16777216, got 16777217"),
    ({"stack": [50, 60, 70]}, "stack must hold one number for each of 6 seats, got 3"),
    ({"stack": (50, 60, 70, 80, 90, 9)}, r"stack must be >= big_blind \(10\), got 9"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED, ids=lambda value: str(value))
def test_what_does_not_fit_is_a_value_error(options, message):
    with pytest.raises(ValueError, match=message):
        rf.games.TexasHoldem(**options)


@pytest.mark.parametrize("name", ["num_players", "stack", "small_blind", "big_blind"])
def test_numbers_are_checked(name):
    for value in (-1, 1 << 64):
        with pytest.raises(OverflowError, match=name):
            rf.games.TexasHoldem(**{name: value})
    for value in (True, 20.0, "30", None):
        with pytest.raises(TypeError, match=f"{name} must be an int"):
            rf.games.TexasHoldem(**{name: value})
    with pytest.raises(TypeError, match=r"stack\[1\] must be an int"):
        rf.games.TexasHoldem(num_players=2, stack=[20, 20.0])


def test_defaults_and_claims():
    game = rf.games.TexasHoldem()
    numbers = {"num_players": 6, "stack": 200, "small_blind": 5, "big_blind": 10}
    assert {name: game.parameters[name] for name in numbers} == numbers
    claims = game.name, game.num_actions, game.dynamics, game.chance_nodes, game.information
    assert claims == ("texas_holdem", 3, "sequential", "anywhere", "imperfect")
    assert game.events == {"scale": 1.0}
    assert game.truncation_horizon() is None
    assert game.observation_space() == rf.spaces.Box((31, 4, 13), 0.0, 1.0)
    assert rf.games.TexasHoldem(num_players=2).most_outcomes == 48 * 47 * 46 // 6
    assert rf.games.TexasHoldem(stack=1 << 24).parameters["stack"] == 1 << 24
    assert rf.games.TexasHoldem(stack=10).parameters["stack"] == 10


def test_stacks_of_one_size_are_one_number():
    even = rf.games.TexasHoldem(num_players=3, stack=[50, 50, np.int64(50)])
    assert even == rf.games.TexasHoldem(num_players=3, stack=50)
    uneven = rf.games.TexasHoldem(num_players=3, stack=np.array([50, 60, 50]))
    assert uneven.parameters["stack"] == (50, 60, 50)
    assert rf.games.TexasHoldem(num_players=3, stack=[50, 60, 50]) == uneven
    assert rf.Env(uneven).resolved_config()["game"]["stack"] == [50, 60, 50]


@pytest.fixture(scope="module")
def hand():
    """Three seats on the flop; seat 1 has bet, seat 2 has folded."""
    lane = GameLane(rf.games.TexasHoldem(num_players=3, stack=50), plain_python())
    dealer = Dealer(lane, 0, [[48, 51], [9, 30], [1, 44]], [4, 21, 39])
    dealer.play(1, 1, 1, 2, 0)
    return dealer


@pytest.mark.lanes
def test_the_drawing(hand):
    assert hand.lane.game.text(hand.lane.record(hand.state)) == (
        "flop, pot 40, board 3c 7d Js\n"
        "> D seat 0: Ac As, stack 40, paid 10\n"
        "    seat 1: 4d 9h, stack 30, paid 20\n"
        "    seat 2: 2d Kc, stack 40, paid 10, folded"
    )


@pytest.mark.lanes
def test_the_values(hand):
    assert hand.values() == {
        "hole": [[48, 51], [9, 30], [1, 44]],
        "board": [4, 21, 39],
        "street": "flop",
        "button": 0,
        "to_act": 0,
        "stacks": [40, 30, 40],
        "street_committed": [0, 10, 0],
        "total_committed": [10, 20, 10],
        "folded": [False, False, True],
        "needs_action": [True, False, False],
        "raises": 1,
        "history": [[(0, 1), (1, 1), (2, 1)], [(1, 2), (2, 0)], [], []],
        "done": False,
    }


# ---- what players know ----


@pytest.mark.lanes
def test_the_information_state_in_full(hand):
    seats = [40, 0, 3], [30, 10, 1], [40, 0, 0]
    expected = bytes([0, 48, 51, 1, 0, 0, 1, 3, 4, 21, 39, 0, 0])
    for stack, committed, flags in seats:
        expected += stack.to_bytes(4, "little") + committed.to_bytes(4, "little") + bytes([flags])
    expected += bytes([3, 0 << 2 | 1, 1 << 2 | 1, 2 << 2 | 1, 2, 1 << 2 | 2, 2 << 2 | 0, 0, 0])
    assert hand.lane.information_state(hand.state, 0) == expected


@pytest.mark.lanes
def test_chips_beyond_a_byte_are_told_apart():
    lane = GameLane(rf.games.TexasHoldem(2, 1 << 24, 1 << 10, 1 << 20), plain_python())
    known = lane.information_state(Dealer(lane, 0, [[0, 1], [2, 3]], []).state, 1)
    chips = [int.from_bytes(known[13 + place : 17 + place], "little") for place in (0, 4, 9, 13)]
    assert chips == [(1 << 24) - (1 << 10), 1 << 10, (1 << 24) - (1 << 20), 1 << 20]


@pytest.mark.lanes
def test_players_know_their_own_cards_and_what_is_public(hand):
    """Other cards in other hands change what their owner knows, and nobody else's knowledge or view."""
    other = Dealer(hand.lane, 0, [[48, 51], [10, 31], [1, 44]], [4, 21, 39])
    other.play(1, 1, 1, 2, 0)
    for seat in range(3):
        same = seat != 1
        known = [hand.lane.information_state(dealer.state, seat) for dealer in (hand, other)]
        seen = [hand.lane.observe(dealer.state, seat) for dealer in (hand, other)]
        assert (known[0] == known[1]) == np.array_equal(*seen) == same
        assert known[0][0] == seat


@pytest.mark.lanes
def test_the_longest_information_state_fits():
    """Nine seats that raise as late as they can."""
    lane = GameLane(rf.games.TexasHoldem(num_players=9, stack=1000), plain_python())
    board = [40, 41, 42, 43, 44]
    dealer = Dealer(lane, 8, [[2 * seat, 2 * seat + 1] for seat in range(9)], board)
    for raises in (3, 4, 4, 4):
        waits = 8
        for _ in range(raises):
            dealer.play(*[1] * waits, 2)
            waits = 7
        dealer.play(*[1] * 8)
    history = dealer.values()["history"]
    assert [len(line) for line in history] == [33, 41, 41, 41]
    assert lane.valid(dealer.state) == 1
    assert len(lane.information_state(dealer.state, 8)) == 13 + 9 * 9 + 4 + 156 <= lane.game.information_size


# ---- the contract ----


@pytest.mark.lanes
@pytest.mark.parametrize(
    "options", [{"num_players": 2, "stack": 40}, {}, {"num_players": 4, "stack": (10, 15, 26, 90)}], ids=str
)
def test_the_contract_holds(options):
    game = rf.games.TexasHoldem(**options)
    ticks = 40 if plain_python() else 600
    rf.testing.check_game(game, ticks=ticks, plain_ticks=40)
    rf.testing.check_encoder(game, ticks=ticks // 4, plain_ticks=15)


@pytest.mark.lanes
def test_what_is_won_adds_up_to_nothing():
    for options in ({"stack": 33}, {"num_players": 5, "stack": (10, 20, 30, 40, 50)}):
        lane = GameLane(rf.games.TexasHoldem(**options), plain_python())
        written = transcribe(lane, 300 if plain_python() else 6000, seed=3)
        assert np.abs(written.events.sum(axis=(1, 2))).max() == 0
        assert np.abs(written.events).max() > 0


def test_a_hand_in_an_environment():
    env = rf.Env(rf.games.TexasHoldem(num_players=4, stack=(10, 20, 30, 40)), rf.Reward(), seed=4)
    generator = np.random.default_rng(4)
    for _ in range(30):
        env.reset()
        while not env.done():
            agent = env.active_agents()[0]
            assert env.information_state_key(agent)[0] == agent
            events = env.step({agent: int(generator.choice(env.legal_actions(agent)))})
        assert events == list(enumerate(env.rewards))
        assert sum(env.rewards) == 0
