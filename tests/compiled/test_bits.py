"""The bit tricks against Python's integers, compiled and plain."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rinforza.compiled import INT, ArrayOf, Prototype, Scalar, bits, compile_function, without_compiling

pytestmark = pytest.mark.lanes

BOARD = Scalar(np.uint64)
ASK = Prototype("ask", None, BOARD, INT, ArrayOf(np.uint64))
boards = st.integers(0, (1 << 64) - 1) | st.sampled_from([0, 1, 1 << 63, (1 << 64) - 1, (1 << 63) - 1])


def ask(board, index, out):
    out[0] = bits.bit(index)
    out[1] = np.uint64(bits.is_set(board, index))
    out[2] = np.uint64(bits.count_bits(board))
    out[3] = np.uint64(bits.lowest_bit(board))


def answers(entry, board, index):
    out = np.zeros(4, np.uint64)
    entry(np.uint64(board), index, out)
    return out.tolist()


@pytest.fixture(scope="module")
def lanes():
    with without_compiling():
        plain = compile_function(ask, ASK, {}, "Part.ask").entry
    return compile_function(ask, ASK, {}, "Part.ask").entry, plain


def expected(board, index):
    lowest = (board & -board).bit_length() - 1 if board else 64
    return [1 << index, board >> index & 1, board.bit_count(), lowest]


@settings(max_examples=300, deadline=None)
@given(board=boards, index=st.integers(0, 63))
def test_against_python(lanes, board, index):
    for entry in lanes:
        assert answers(entry, board, index) == expected(board, index)


def test_every_single_square_and_every_gap(lanes):
    for index in range(64):
        for board in (1 << index, ((1 << 64) - 1) ^ (1 << index)):
            for entry in lanes:
                assert answers(entry, board, index) == expected(board, index)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.int64, int])
def test_an_index_of_any_integer_type(kind):
    with np.errstate(over="ignore"):
        assert bits.bit(kind(63)) == 1 << 63
        assert bits.is_set(np.uint64(1 << 63), kind(63))
        assert type(bits.bit(kind(5))) is np.uint64
