"""Betting and pots: PokerKit's hands, and what single rules say."""

import json

import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.rules import TERMINAL
from rinforza.testing.lanes import GameLane
from tests.games.recorded import GOLDEN

from .hands_dealt import Dealer

FOLD, CALL, RAISE = 0, 1, 2


def dealt(stacks, button=0, hole=None, board=(), blinds=(5, 10)):
    """Return a dealer for seats with these stacks."""
    game = rf.games.TexasHoldem(len(stacks), stacks, *blinds)
    hole = hole or [[4 * seat, 4 * seat + 1] for seat in range(len(stacks))]
    return Dealer(GameLane(game, plain_python()), button, hole, list(board))


# ---- PokerKit ----


@pytest.mark.lanes
@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow, id="all")])
def test_hands_of_poker_kit(every):
    """The legal actions before every action, and what every seat has won."""
    hands = list(map(json.loads, (GOLDEN / "pokerkit" / "texas_holdem.jsonl").read_text().splitlines()))
    assert len(hands) == 1000
    layered = 0
    for hand in hands[:: 50 if plain_python() else every]:
        dealer = dealt(hand["stacks"], hand["button"], hand["hole"], hand["board"], hand["blinds"])
        for action, legal in zip(hand["actions"], hand["legal"], strict=True):
            assert dealer.legal() == legal
            dealer.play(action)
        assert dealer.turn == TERMINAL
        assert dealer.won() == hand["won"]
        layered += len(set(paid_of_live(dealer))) > 1
    assert layered > 0


def paid_of_live(dealer):
    """Return what the seats that have not folded have put in."""
    values = dealer.values()
    return [
        paid for paid, folded in zip(values["total_committed"], values["folded"], strict=True) if not folded
    ]


# ---- blinds and turns ----


@pytest.mark.lanes
def test_heads_up_the_button_posts_the_small_blind_and_acts_first_before_the_flop():
    dealer = dealt([100, 100], button=1, board=range(40, 45))
    assert dealer.values()["street_committed"] == [10, 5]
    assert dealer.turn == 1
    dealer.play(CALL)
    assert (dealer.turn, dealer.legal()) == (0, [CALL, RAISE])
    dealer.play(CALL)
    assert (dealer.values()["street"], dealer.turn) == ("flop", 0)


@pytest.mark.lanes
def test_after_the_flop_the_first_after_the_button_acts():
    dealer = dealt([100] * 4, button=2, board=range(40, 45))
    assert dealer.values()["street_committed"] == [10, 0, 0, 5]
    assert dealer.turn == 1
    dealer.play(CALL, CALL, FOLD, CALL)
    assert (dealer.values()["street"], dealer.turn) == ("flop", 0)


@pytest.mark.lanes
def test_bets_double_on_the_turn_and_four_are_the_most():
    dealer = dealt([1000, 1000], board=range(40, 45))
    dealer.play(RAISE, RAISE, RAISE)
    assert dealer.values()["street_committed"] == [40, 30]
    assert dealer.legal() == [FOLD, CALL]
    dealer.play(CALL, RAISE, CALL, RAISE)
    assert dealer.values()["street_committed"] == [0, 20]
    dealer.play(RAISE, RAISE, RAISE)
    assert dealer.values()["street_committed"] == [80, 60]
    assert dealer.legal() == [FOLD, CALL]
    dealer.play(CALL, CALL)
    assert dealer.values()["street"] == "river"
    assert dealer.values()["raises"] == 0


@pytest.mark.lanes
def test_a_raise_cut_short_counts_and_lets_everybody_act_again():
    dealer = dealt([100, 100, 14, 100], button=3, board=range(40, 45), blinds=(5, 10))
    dealer.play(RAISE)
    assert (dealer.values()["stacks"][2], dealer.values()["raises"]) == (0, 2)
    assert dealer.values()["needs_action"] == [True, True, False, True]
    dealer.play(RAISE)
    assert dealer.values()["street_committed"] == [5, 10, 14, 24]


@pytest.mark.lanes
def test_nobody_bets_against_seats_that_cannot_answer():
    dealer = dealt([100, 30, 20], button=0, board=range(40, 45))
    dealer.play(RAISE, CALL, CALL)  # 20 each: seat 2 has no chips left
    assert (dealer.values()["street"], dealer.turn, dealer.legal()) == ("flop", 1, [CALL, RAISE])
    dealer.play(RAISE)
    assert (dealer.turn, dealer.legal()) == (0, [FOLD, CALL])
    dealer.play(CALL)
    assert dealer.turn == TERMINAL
    assert dealer.values()["board"] == [40, 41, 42, 43, 44]


@pytest.mark.lanes
def test_the_big_blind_is_not_asked_when_it_alone_has_chips():
    dealer = dealt([10, 100, 100], button=0, board=range(40, 45))
    dealer.play(CALL, FOLD)
    assert dealer.turn == TERMINAL


@pytest.mark.lanes
def test_a_seat_that_faces_nothing_may_not_fold():
    dealer = dealt([100, 100, 100], board=range(40, 45))
    assert dealer.legal() == [FOLD, CALL, RAISE]
    dealer.play(CALL, CALL)
    assert dealer.legal() == [CALL, RAISE]


# ---- pots ----


@pytest.mark.lanes
def test_the_last_seat_wins_without_showing():
    dealer = dealt([50, 50, 50], hole=[[0, 1], [8, 9], [50, 51]], board=range(40, 45))
    dealer.play(FOLD, CALL, CALL, RAISE, FOLD)
    assert dealer.turn == TERMINAL
    assert dealer.won() == [0.0, 10.0, -10.0]
    assert len(dealer.values()["board"]) == 3


@pytest.mark.lanes
def test_the_deltas_are_reported_of_every_seat_at_the_end_only():
    dealer = dealt([50, 50, 50])
    assert dealer.won() == [None] * 3
    dealer.play(FOLD)
    assert dealer.won() == [None] * 3
    dealer.play(FOLD)
    assert dealer.won() == [0.0, -5.0, 5.0]
    assert all(type(chips) is float for chips in dealer.won())


ACES, KINGS, QUEENS, NOTHING = [48, 49], [44, 45], [40, 41], [4, 17]
DRY_BOARD = [2, 11, 23, 28, 38]


@pytest.mark.lanes
def test_each_side_pot_goes_to_the_best_that_paid_for_it():
    dealer = dealt([20, 30, 40, 40], button=3, hole=[ACES, KINGS, QUEENS, NOTHING], board=DRY_BOARD)
    dealer.play(RAISE, RAISE, CALL, CALL, RAISE, CALL)
    assert dealer.values()["total_committed"] == [20, 30, 40, 40]
    assert dealer.won() == [60.0, 0.0, -20.0, -40.0]


@pytest.mark.lanes
def test_what_nobody_could_call_comes_back():
    dealer = dealt([15, 100], button=1, hole=[ACES, KINGS], board=DRY_BOARD)
    dealer.play(RAISE, CALL)
    assert dealer.values()["total_committed"] == [15, 20]
    assert dealer.won() == [15.0, -15.0]


@pytest.mark.lanes
def test_chips_of_those_that_folded_lie_in_every_pot_they_reach():
    dealer = dealt([12, 40, 40, 40], button=3, hole=[ACES, KINGS, QUEENS, NOTHING], board=DRY_BOARD)
    dealer.play(CALL, RAISE, CALL, RAISE, FOLD, CALL)
    values = dealer.values()
    assert values["total_committed"][0] == 12
    assert values["folded"] == [False, False, True, False]
    assert values["total_committed"] == [12, 30, 10, 30]
    assert dealer.turn == 1
    dealer.play(CALL, CALL, CALL, CALL, CALL, CALL)
    assert dealer.won() == [12 + 12 + 10.0, 18.0 - 12.0, -10.0, -30.0]


@pytest.mark.lanes
@pytest.mark.parametrize("button", range(4))
def test_odd_chips_go_one_by_one_to_the_first_after_the_button(button):
    """Three share 11 chips: the small blind of 2 has folded, the board plays."""
    hole = [[0, 5], [1, 6], [2, 7], [3, 8]]
    dealer = dealt([50] * 4, button, hole, board=[32, 37, 42, 47, 48], blinds=(2, 3))
    dealer.play(CALL, CALL, FOLD, *[CALL] * 10)
    assert dealer.turn == TERMINAL
    clockwise = [dealer.won()[(button + place) % 4] for place in (1, 2, 3, 4)]
    assert clockwise == [-2.0, 1.0, 1.0, 0.0]


@pytest.mark.lanes
def test_the_winnings_are_the_reward():
    env = rf.Env(rf.games.TexasHoldem(num_players=2), rf.Reward(scale=0.5), seed=1)
    agent = env.active_agents()[0]
    events = env.step({agent: FOLD})
    assert events == sorted([(agent, -5.0), (1 - agent, 5.0)])
    assert env.rewards[agent] == -2.5
    assert env.rewards[1 - agent] == 2.5
