"""Positions as text: what is read, what is refused, and what comes back."""

import pytest

import rinforza as rf
from rinforza.games.chess.board import NO_SQUARE
from rinforza.games.chess.fen import START, read_fen, square_name, square_of, write_fen

from .test_perft import COUNTS, DEEP_COUNTS
from .test_recorded_games import GAMES

pytestmark = pytest.mark.lanes

BARE = "4k3/8/8/8/8/8/8/4K3"
LAST_FENS = [last for *_, last, _ in GAMES]


@pytest.mark.parametrize("fen", [*COUNTS, *(fen for fen, _ in DEEP_COUNTS)])
def test_positions_come_back(fen):
    assert write_fen(read_fen(fen)) == fen


def test_recorded_positions_come_back():
    assert [write_fen(read_fen(fen)) for fen in LAST_FENS] == LAST_FENS


def test_the_fields_of_a_position():
    state = read_fen("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b Kq e3 0 7")
    assert state.turn == 1
    assert state.castling == 1 + 8
    assert state.en_passant == square_of("e3") == 20
    assert (state.clock, state.move, state.seen, state.done) == (0, 7, 1, 0)


def test_the_counters_may_be_left_out():
    short, full = read_fen(f"{BARE} w - -"), read_fen(f"{BARE} w - - 0 1")
    assert short == full
    assert short.en_passant == NO_SQUARE


def test_the_rights_may_come_in_any_order():
    placement = "r3k2r/8/8/8/8/8/8/R3K2R"
    assert write_fen(read_fen(f"{placement} w qkQ - 3 9")) == f"{placement} w Qkq - 3 9"


@pytest.mark.parametrize(
    ("fen", "why"),
    [
        ("", "0 fields"),
        ("hello", "1 fields"),
        (f"{BARE} w - - 0", "5 fields"),
        (f"{BARE} w - - 0 1 extra", "7 fields"),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1", "7 ranks"),
        (f"{BARE}/8 w - - 0 1", "9 ranks"),
        ("4k3/8/8/8/8/8/8/4K2 w - - 0 1", "rank 1 has 7 squares"),
        ("4k3/8/8/8/8/8/8/4K4 w - - 0 1", "rank 1 has 9 squares"),
        ("4k3/8/8/8/8/8/8/4K3P w - - 0 1", "rank 1 is '4K3P'"),
        ("4k3/8/8/8/8/8/8/4K2x w - - 0 1", "rank 1 is"),
        ("4k3/9/8/8/8/8/8/4K3 w - - 0 1", "rank 7 is '9'"),
        ("4k3/0/8/8/8/8/8/4K3 w - - 0 1", "rank 7 is '0'"),
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", "one king"),
        ("4k3/8/8/8/8/8/8/3KK3 w - - 0 1", "one king"),
        ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "no pawn may stand on rank 1 or 8"),
        ("p3k3/8/8/8/8/8/8/4K3 w - - 0 1", "no pawn may stand on rank 1 or 8"),
        (f"{BARE} x - - 0 1", "side to move is 'x'"),
        (f"{BARE} w K - 0 1", "castling right"),
        ("r3k3/8/8/8/8/8/8/3K3R w K - 0 1", "castling right"),
        (f"{BARE} w KK - 0 1", "castling rights are 'KK'"),
        (f"{BARE} w Ha - 0 1", "castling rights are 'Ha'"),
        (f"{BARE} w - e4 0 1", "en passant square is 'e4'"),
        (f"{BARE} w - i3 0 1", "en passant square is 'i3'"),
        (f"{BARE} b - e3 0 1", "can have jumped"),
        ("4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1", "can have jumped"),
        ("4k3/8/8/8/4P3/4N3/8/4K3 b - e3 0 1", "can have jumped"),
        ("4k3/8/8/8/4P3/8/4N3/4K3 b - e3 0 1", "can have jumped"),
        (f"{BARE} w - - x 1", "half-move clock is 'x'"),
        (f"{BARE} w - - -1 1", "half-move clock is '-1'"),
        (f"{BARE} w - - 0 0", "move number is '0'"),
        (f"{BARE} w - - 0 ²", "move number is"),
        (f"{BARE} w - - 0 1000000000000", "move number is"),
        ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "not to move is in check"),
        ("8/8/8/8/8/8/3k4/4K3 w - - 0 1", "not to move is in check"),
    ],
)
def test_bad_texts_are_value_errors(fen, why):
    with pytest.raises(ValueError, match="invalid FEN") as caught:
        read_fen(fen)
    assert why in str(caught.value)
    with pytest.raises(ValueError, match="invalid FEN"):
        rf.games.Chess(fen=fen)
    with pytest.raises(ValueError, match="invalid FEN"):
        rf.chess_uci_action("e1e2", fen)
    with pytest.raises(ValueError, match="invalid FEN"):
        rf.chess_action_uci(0, fen)


@pytest.mark.parametrize("fen", [None, 3, b"8/8", ["w"]])
def test_other_types_are_type_errors(fen):
    with pytest.raises(TypeError, match="FEN must be a str"):
        rf.games.Chess(fen=fen)


@pytest.mark.parametrize(
    "fen",
    [
        f"{BARE} w - - 0 1",  # bare kings
        "7k/6Q1/5K2/8/8/8/8/8 b - - 0 1",  # mated
        "7k/8/5KQ1/8/8/8/8/8 b - - 0 1",  # stalemated
        "7k/8/5K2/6Q1/8/8/8/8 w - - 100 80",  # fifty moves
        "7k/8/5K2/6Q1/8/8/8/8 w - - 150 90",
    ],
)
def test_a_game_cannot_start_where_it_is_over(fen):
    with pytest.raises(ValueError, match="invalid FEN: the game is over"):
        rf.games.Chess(fen=fen)
    assert write_fen(read_fen(fen)) == fen


def test_games_are_equal_by_their_start():
    game = rf.games.Chess()
    assert game == rf.games.Chess(fen=START)
    assert game == rf.games.Chess(fen=START.removesuffix(" 0 1"))
    other = rf.games.Chess(fen=LONE_QUEEN)
    assert game != other
    assert other.parameters["fen"] == LONE_QUEEN


LONE_QUEEN = "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1"


def test_square_names():
    names = [square_name(square) for square in range(64)]
    assert names[:3] == ["a1", "b1", "c1"]
    assert names[-1] == "h8"
    assert [square_of(name) for name in names] == list(range(64))


def test_the_drawing():
    game = rf.games.Chess()
    drawing = game.text(read_fen(START)).splitlines()
    assert drawing[0] == "rnbqkbnr"
    assert drawing[4] == "........"
    assert drawing[-1] == "RNBQKBNR"
