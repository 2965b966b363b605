"""`valid` decides what may be restored: whatever it accepts, every other method must survive."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.rules import TERMINAL
from rinforza.games.chess.board import KING, MOST_MOVES, PAWN, ROOK
from rinforza.testing.lanes import GameLane

from .boards import played, start_from

pytestmark = pytest.mark.lanes

ROOKS = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9"
JUMPED = "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"
TRIALS = 200 if plain_python() else 3_000
LEAST_ACCEPTED = TRIALS // 40


@pytest.fixture(scope="module", params=[rf.encoders.MinimalChess(), rf.encoders.AlphaZeroChess()], ids=repr)
def lane(request):
    """The game with and without a history in its states."""
    return GameLane(rf.games.Chess(encoder=request.param), plain_python())


def changed(lane, state, **fields):
    """Return a state with some fields changed."""
    copy = state.copy()
    record = copy[: lane.game.state_dtype.itemsize].view(lane.game.state_dtype)
    for name, value in fields.items():
        record[name] = value
    return copy


def test_the_start_is_valid(lane):
    assert lane.valid(lane.initial()) == 1


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("turn", [1, 2, -1]),  # another turn has another key
        ("castling", [0, 14, 16, -1]),
        ("en_passant", [0, 16, 20, 44, 64, 1 << 30, -2, -(1 << 31)]),
        ("clock", [-1, 101, (1 << 31) - 1]),
        ("move", [0, -5, MOST_MOVES + 1]),
        ("n_past", [1, -1, 100, 101, (1 << 31) - 1]),
        ("seen", [0, 2, 3, -1]),
        ("done", [1, 2, -1]),
        ("newest", [-1, 8, 1 << 30]),
        ("key", [0, 1]),
    ],
)
def test_a_number_out_of_place_is_refused(lane, field, values):
    for value in values:
        assert lane.valid(changed(lane, lane.initial(), **{field: value})) == 0, value


@pytest.mark.parametrize(
    ("field", "value"), [("clock", 100), ("clock", 7), ("move", 1), ("move", MOST_MOVES), ("past", 5)]
)
def test_numbers_that_fit_are_accepted(lane, field, value):
    done = 1 if (field, value) == ("clock", 100) else 0
    assert lane.valid(changed(lane, lane.initial(), **{field: value, "done": done})) == 1


def with_pieces(lane, state, kind, side, squares, key=True):
    """Return a state with pieces put on squares, and the key that goes with it."""
    copy = state.copy()
    record = lane.record(copy)
    kinds, sides, word = record.kinds.copy(), record.sides.copy(), record.key
    for square in squares:
        board = np.uint64(1 << square)
        kinds[kind] ^= board
        sides[side] ^= board
        word ^= lane.game.piece_keys[side, kind, square]
    return changed(lane, copy, kinds=kinds, sides=sides, **({"key": word} if key else {}))


def test_pieces_out_of_place_are_refused():
    lane, state = start_from(ROOKS, plain_python())
    assert lane.valid(with_pieces(lane, state, ROOK, 0, [18])) == 1
    assert lane.valid(with_pieces(lane, state, ROOK, 0, [18], key=False)) == 0
    wrong = [
        (PAWN, 0, [2]),  # a pawn on rank 1
        (PAWN, 1, [58]),  # a pawn on rank 8
        (KING, 0, [30]),  # two kings
        (KING, 0, [4]),  # no king
        (ROOK, 0, [0]),  # no rook for the castling right
        (ROOK, 1, [63]),
        (PAWN, 0, [51]),  # the side that has moved stands in check
        (ROOK, 1, [0]),  # a square of both sides
    ]
    for kind, side, squares in wrong:
        assert lane.valid(with_pieces(lane, state, kind, side, squares)) == 0, (kind, side, squares)


def test_kings_side_by_side_are_refused():
    lane, state = start_from("8/8/8/8/3k4/8/3K4/6R1 w - - 0 1", plain_python())
    moved = with_pieces(lane, state, KING, 1, [27, 19])
    assert lane.valid(moved) == 0


def test_en_passant_squares_are_looked_at():
    lane, state = start_from(JUMPED, plain_python())
    assert lane.valid(state) == 1
    for square in (12, 19, 21, 28, 36, 44):
        assert lane.valid(changed(lane, state, en_passant=square)) == 0


def test_an_end_must_be_an_end():
    lane, state = start_from("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", plain_python())
    mated, _ = played(lane, state, "g5g7")
    assert lane.actor(mated) == TERMINAL
    assert lane.valid(mated) == 1
    assert lane.valid(changed(lane, mated, done=0)) == 0


def scrambled(lane, generator):
    """Return a state of random pieces and numbers, most of them about right, with the fields that follow."""
    state = np.zeros(lane.size, np.uint8)
    record = state[: lane.game.state_dtype.itemsize].view(lane.game.state_dtype)
    squares = generator.permutation(64)[: generator.integers(2, 24)]
    key = np.uint64(0)
    for place, square in enumerate(squares):
        side = place % 2 if place < 2 else int(generator.integers(2))
        kind = KING if place < 2 else int(generator.integers(5))
        record["kinds"][0, kind] |= np.uint64(1 << int(square))
        record["sides"][0, side] |= np.uint64(1 << int(square))
        key ^= lane.game.piece_keys[side, kind, square]
    record["turn"] = generator.integers(2)
    record["en_passant"] = generator.choice([-1, -1, -1, *range(16, 24), *range(40, 48)])
    record["clock"] = generator.integers(101)
    record["n_past"] = generator.integers(record["clock"][0] + 1)
    record["past"] = generator.integers(1 << 63, size=100)
    record["move"], record["seen"] = generator.integers(1, 1 << 16), 1
    record["newest"] = generator.integers(max(1, lane.game.history_length))
    record["history"] = generator.integers(1 << 63, size=record["history"].shape)
    key ^= lane.game.castling_keys[0] ^ (lane.game.turn_key if record["turn"][0] else np.uint64(0))
    if generator.random() < 0.5 and record["en_passant"][0] >= 0:
        key ^= lane.game.en_passant_keys[record["en_passant"][0] & 7]
    record["key"] = key
    return state


def test_whatever_is_accepted_can_be_played_on(lane):
    generator = np.random.default_rng(12)
    accepted = 0
    for _ in range(TRIALS):
        state = scrambled(lane, generator)
        if lane.valid(state) == 0:
            continue
        accepted += 1
        for _ in range(3):
            turn = lane.actor(state)
            assert turn in (0, 1, TERMINAL)
            for player in range(2):
                assert np.isfinite(lane.observe(state, player)).all()
            if turn == TERMINAL:
                break
            legal = lane.legal(state, turn)
            assert len(set(legal.tolist())) == len(legal) > 0
            assert (np.diff(legal) > 0).all()
            assert 0 <= legal.min() <= legal.max() < lane.game.num_actions
            assert len(lane.legal(state, 1 - turn)) == 0
            for action in legal:
                after, _ = lane.step(state, np.array([action, action]))
                assert lane.valid(after) == 1
            state = after
    assert accepted > LEAST_ACCEPTED
