"""The helpers between action ids and moves in UCI notation."""

import pytest

import rinforza as rf
from tests.naive.chess import NaiveChess

pytestmark = pytest.mark.lanes

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
ROOKS = "r3k2r/8/8/8/8/8/8/R3K2R {} KQkq - 0 1"
PROMOTION = "1n1nk3/2P5/8/8/8/8/4p3/3NKN2 {} - - 0 1"
EN_PASSANT = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"


@pytest.mark.parametrize(
    ("uci", "fen", "action"),
    [
        ("a2a3", START, 8 * 73),  # north, distance 1
        ("e2e4", START, 12 * 73 + 1),
        ("g1f3", START, 6 * 73 + 63),
        ("b1c3", START, 1 * 73 + 56),
        ("e1g1", ROOKS.format("w"), 4 * 73 + 2 * 7 + 2),  # to h1: east, distance 3
        ("e1c1", ROOKS.format("w"), 4 * 73 + 6 * 7 + 3),  # to a1: west, distance 4
        ("e8g8", ROOKS.format("b"), 60 * 73 + 2 * 7 + 2),
        ("e8c8", ROOKS.format("b"), 60 * 73 + 6 * 7 + 3),
        ("c7c8q", PROMOTION.format("w"), 50 * 73),
        ("c7b8q", PROMOTION.format("w"), 50 * 73 + 7 * 7),
        ("c7d8q", PROMOTION.format("w"), 50 * 73 + 1 * 7),
        ("c7c8n", PROMOTION.format("w"), 50 * 73 + 64),
        ("c7c8b", PROMOTION.format("w"), 50 * 73 + 65),
        ("c7c8r", PROMOTION.format("w"), 50 * 73 + 66),
        ("c7b8n", PROMOTION.format("w"), 50 * 73 + 67),
        ("c7d8r", PROMOTION.format("w"), 50 * 73 + 72),
        ("e2d1q", PROMOTION.format("b"), 12 * 73 + 5 * 7),
        ("e2d1b", PROMOTION.format("b"), 12 * 73 + 68),
        ("e2f1q", PROMOTION.format("b"), 12 * 73 + 3 * 7),
        ("e2f1n", PROMOTION.format("b"), 12 * 73 + 70),
        ("e5d6", EN_PASSANT, 36 * 73 + 7 * 7),
    ],
)
def test_ids_of_moves(uci, fen, action):
    assert rf.chess_uci_action(uci, fen) == action
    assert rf.chess_action_uci(action, fen) == uci


@pytest.mark.parametrize(
    "fen", [START, ROOKS.format("w"), ROOKS.format("b"), PROMOTION.format("w"), EN_PASSANT]
)
def test_both_ways_over_all_legal_moves(fen):
    twin = NaiveChess(fen)
    legal = twin.legal_actions(twin.turn)
    names = [rf.chess_action_uci(action, fen) for action in legal]
    assert len(set(names)) == len(names)
    assert [rf.chess_uci_action(name, fen) for name in names] == legal
    for action in set(range(0, 4672, 97)) - set(legal):
        with pytest.raises(ValueError, match=r"illegal|means no move"):
            rf.chess_action_uci(action, fen)


@pytest.mark.parametrize(
    "uci",
    ["", "e2", "e2e5", "e7e5", "e2e4q", "E2E4", "e2-e4", "0000", "z9z9", "e1g1", "e1h1", "e4", "Nf3"],
)
def test_illegal_moves_are_value_errors(uci):
    with pytest.raises(ValueError, match="illegal in") as caught:
        rf.chess_uci_action(uci, START)
    assert "legal moves: b1c3, b1a3, g1h3, g1f3, a2a3, a2a4, b2b3" in str(caught.value)


@pytest.mark.parametrize(("uci", "fen"), [("e1h1", ROOKS.format("w")), ("c7c8", PROMOTION.format("w"))])
def test_only_the_standard_spelling_is_read(uci, fen):
    with pytest.raises(ValueError, match="illegal in"):
        rf.chess_uci_action(uci, fen)


def test_ids_that_mean_no_move():
    with pytest.raises(ValueError, match="leads off the board"):
        rf.chess_action_uci(4 * 73 + 4 * 7, START)  # south of e1
    with pytest.raises(ValueError, match="must be <= 4671"):
        rf.chess_action_uci(4672, START)
    with pytest.raises(OverflowError, match="must not be negative"):
        rf.chess_action_uci(-1, START)
    with pytest.raises(ValueError, match="illegal in"):
        rf.chess_action_uci(12 * 73 + 2, START)  # e2e5


@pytest.mark.parametrize("action", [1.0, "877", None, True])
def test_an_id_is_an_integer(action):
    with pytest.raises(TypeError, match="action must be an int"):
        rf.chess_action_uci(action, START)


@pytest.mark.parametrize("uci", [877, None, b"e2e4"])
def test_a_move_is_a_string(uci):
    with pytest.raises(TypeError, match="uci must be a str"):
        rf.chess_uci_action(uci, START)


def test_a_mated_side_has_no_moves():
    with pytest.raises(ValueError, match="legal moves: none"):
        rf.chess_uci_action("h8g8", "7k/6Q1/5K2/8/8/8/8/8 b - - 0 1")
