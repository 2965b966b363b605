"""What a network sees of Texas hold'em, plane by plane; the twin's planes are compared with the game."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.testing.lanes import GameLane
from tests.games.texas_holdem.hands_dealt import Dealer

pytestmark = pytest.mark.lanes


def test_every_plane_has_a_name():
    game = rf.games.TexasHoldem(num_players=3)
    assert game.encoder.planes(game) == [
        "own cards",
        "board",
        "pot",
        "to call",
        "own stack",
        "preflop",
        "flop",
        "turn",
        "river",
        "raises",
        "button",
        "seat +1 in the hand",
        "seat +1 stack",
        "seat +2 in the hand",
        "seat +2 stack",
        "preflop seats",
        "preflop actions",
        "flop seats",
        "flop actions",
        "turn seats",
        "turn actions",
        "river seats",
        "river actions",
        "turn card",
        "river card",
    ]


@pytest.fixture(scope="module")
def river():
    """Three seats with 40, 80 and 80 chips; on the river seat 1 is to act, seat 2 has folded."""
    lane = GameLane(rf.games.TexasHoldem(num_players=3, stack=(40, 80, 80)), plain_python())
    dealer = Dealer(lane, 2, [[48, 51], [9, 30], [1, 44]], [4, 21, 39, 6, 50])
    dealer.play(1, 1, 2, 0, 1, 1, 1, 1, 1, 1, 1)
    return dealer


def named(dealer, player):
    """Return the planes of a player by name."""
    seen = dealer.lane.observe(dealer.state, player)
    return dict(zip(dealer.lane.game.encoder.planes(dealer.lane.game), seen, strict=True))


def cards(plane):
    """Return the cards that are marked, by rank and suit."""
    return sorted((int(rank), int(suit)) for suit, rank in np.argwhere(plane))


def test_cards_are_marked_by_suit_and_rank(river):
    planes = named(river, 1)
    assert cards(planes["own cards"]) == [(2, 1), (7, 2)]
    assert cards(planes["board"]) == [(1, 0), (1, 2), (5, 1), (9, 3), (12, 2)]
    assert cards(planes["turn card"]) == [(1, 2)]
    assert cards(planes["river card"]) == [(12, 2)]
    assert cards(named(river, 0)["own cards"]) == [(12, 0), (12, 3)]


@pytest.mark.parametrize(
    ("player", "numbers"),
    [
        (0, {"own stack": 20, "button": 2 / 3, "seat +1 stack": 60, "seat +2 stack": 70}),
        (1, {"own stack": 60, "button": 1 / 3, "seat +1 stack": 70, "seat +2 stack": 20}),
        (2, {"own stack": 70, "button": 0, "seat +1 stack": 20, "seat +2 stack": 60}),
    ],
)
def test_numbers_fill_planes(river, player, numbers):
    planes = named(river, player)
    expected = {name: part / 80 if "stack" in name else part for name, part in numbers.items()}
    expected |= {"pot": 50 / 200, "to call": 0, "raises": 0, "river": 1, "turn": 0, "flop": 0, "preflop": 0}
    for name, number in expected.items():
        assert (planes[name] == np.float32(number)).all(), name
    folded = {f"seat +{(2 - player) % 3} in the hand"}
    for name in ("seat +1 in the hand", "seat +2 in the hand"):
        assert (planes[name] == (0 if name in folded else 1)).all()


def test_actions_are_listed_in_order_with_seats_counted_from_the_observer(river):
    seats, actions = (named(river, 1)[f"preflop {what}"].ravel() for what in ("seats", "actions"))
    assert seats[:6] == pytest.approx([2 / 3, 1, 1 / 3, 2 / 3, 1, 0])
    assert actions[:6] == pytest.approx([2 / 3, 2 / 3, 1, 1 / 3, 2 / 3, 0])
    assert not seats[6:].any()
    flop = named(river, 0)
    assert flop["flop seats"].ravel()[:3] == pytest.approx([1 / 3, 2 / 3, 0])


def test_what_is_to_call_is_a_part_of_the_largest_stack():
    lane = GameLane(rf.games.TexasHoldem(num_players=2, stack=(40, 80)), plain_python())
    dealer = Dealer(lane, 0, [[48, 51], [9, 30]], [])
    assert (named(dealer, 0)["to call"] == np.float32(5 / 80)).all()
    assert (named(dealer, 1)["to call"] == 0).all()
    dealer.play(2)
    assert (named(dealer, 1)["to call"] == np.float32(10 / 80)).all()
    assert (named(dealer, 1)["raises"] == 0.5).all()
