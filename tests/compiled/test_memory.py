"""The memory primitives: the compiled twin does what the Python twin does."""

import numpy as np
import pytest

from rinforza.compiled import (
    INT,
    ArrayOf,
    Prototype,
    RecordOf,
    address_of,
    array_at,
    atomic_add,
    atomic_load,
    atomic_store,
    atomic_swap,
    clear_bytes,
    compile_function,
    copy_bytes,
    prefetch,
    record_at,
    spin_pause,
    without_compiling,
)

pytestmark = pytest.mark.lanes

INNER = np.dtype([("low", np.int32), ("high", np.int32)], align=True)
STATE = np.dtype(
    [
        ("flag", np.bool_),
        ("board", np.uint64, (2,)),
        ("size", np.int64),
        ("cells", np.int8, (2, 3)),
        ("weight", np.float32),
        ("pairs", INNER, (2,)),
        ("pair", INNER),
    ],
    align=True,
)


@pytest.fixture(params=["compiled", "plain"])
def compose(request):
    """Compose in the lane of the process, and in plain Python."""

    def composed(function, *kinds, layouts=None):
        prototype = Prototype(function.__name__, INT, *kinds)
        if request.param == "plain":
            with without_compiling():
                return compile_function(function, prototype, layouts or {}, "Part.function").entry
        return compile_function(function, prototype, layouts or {}, "Part.function").entry

    return composed


def write_record(address):
    state = record_at(address, STATE)
    state.flag = True
    state.board[1] = np.uint64(0x8000000000000001)
    state.size += 5  # a name that NumPy's own records have as an attribute
    state.cells[1, 2] = -7
    state.weight = 0.5
    state.pairs[1].low = 3
    state.pairs[1].high = state.pairs[1].low + 1
    state.pair.low = 9
    return state.size


def test_a_record_is_read_and_written_where_it_lies(compose):
    states = np.zeros(3, STATE)
    states["size"] = [1, 2, 3]
    entry = compose(write_record, INT)
    assert entry(states.ctypes.data + STATE.itemsize) == 7
    expected = np.zeros(3, STATE)
    expected["size"] = [1, 7, 3]
    expected["flag"][1] = True
    expected["board"][1, 1] = 0x8000000000000001
    expected["cells"][1, 1, 2] = -7
    expected["weight"][1] = 0.5
    expected["pairs"][1, 1] = (3, 4)
    expected["pair"][1] = (9, 0)
    assert states.tobytes() == expected.tobytes()


def addresses(state, states, table, out):
    out[0] = address_of(state)
    out[1] = address_of(states[1])
    out[2] = address_of(states)
    out[3] = address_of(table)
    out[4] = address_of(table[1])
    out[5] = address_of(state.cells)
    return len(out)


def test_addresses(compose):
    kinds = RecordOf("state"), ArrayOf(STATE), ArrayOf(np.int16, 2), ArrayOf(np.int64)
    states, table, out = np.zeros(3, STATE), np.zeros((2, 5), np.int16), np.zeros(6, np.int64)
    compose(addresses, *kinds, layouts={"state": STATE})(states[2], states, table, out)
    base, size = states.ctypes.data, STATE.itemsize
    expected = [base + 2 * size, base + size, base, table.ctypes.data, table.ctypes.data + 10]
    assert out.tolist() == [*expected, base + 2 * size + STATE.fields["cells"][1]]


def fill(address, rows, columns):
    table = array_at(address, (rows, columns), np.int32)
    for row in range(rows):
        for column in range(columns):
            table[row, column] = 10 * row + column
    line = array_at(address, rows * columns, np.int32)
    cube = array_at(address, (rows, columns, 1), np.int32)
    return line[rows * columns - 1] + cube[rows - 1, columns - 1, 0] + table.shape[1] * 1000 + line.size


@pytest.mark.parametrize(("rows", "columns"), [(2, 3), (1, 4), (4, 1)])
def test_arrays_of_one_two_and_three_dimensions(compose, rows, columns):
    words = np.zeros(rows * columns + 1, np.int32)
    result = compose(fill, INT, INT, INT)(words.ctypes.data, rows, columns)
    expected = [10 * row + column for row in range(rows) for column in range(columns)]
    assert words.tolist() == [*expected, 0]
    assert result == 2 * expected[-1] + columns * 1000 + rows * columns


def lengths(address):
    empty = array_at(address, 0, STATE)
    flat = array_at(address, (0, 3), np.float64)
    return len(empty) + 10 * flat.shape[0] + 100 * flat.shape[1]


def test_empty_arrays(compose):
    assert compose(lengths, INT)(0) == 300


def move(to, source, size):
    copy_bytes(to, source, size)
    clear_bytes(source, size - 1)
    return 0


@pytest.mark.parametrize("size", [1, 2, 7, 8, 63, 64])
def test_copying_and_clearing(compose, size):
    source, to = np.arange(1, 100, dtype=np.uint8), np.zeros(99, np.uint8)
    compose(move, INT, INT, INT)(to.ctypes.data + 3, source.ctypes.data + 2, size)
    expected = np.zeros(99, np.uint8)
    expected[3 : 3 + size] = np.arange(3, 3 + size)
    assert to.tolist() == expected.tolist()
    kept = np.arange(1, 100)
    kept[2 : 2 + size - 1] = 0
    assert source.tolist() == kept.tolist()


def atomics(address, out):
    out[0] = atomic_load(address)
    out[1] = atomic_add(address, 5)
    out[2] = atomic_add(address, -7)
    out[3] = atomic_swap(address, 0, 100)
    out[4] = atomic_swap(address, 1, 9_000_000_000_000_000_000)
    out[5] = atomic_load(address)
    spin_pause()
    atomic_store(address, -1)
    out[6] = atomic_load(address)
    return 0


def test_atomic_steps(compose):
    word, out = np.array([11, 3, 22]), np.zeros(7, np.int64)
    compose(atomics, INT, ArrayOf(np.int64))(word.ctypes.data + 8, out)
    assert out.tolist() == [3, 3, 8, 0, 1, 9_000_000_000_000_000_000, -1]
    assert word.tolist() == [11, -1, 22]


def fetch(address, size):
    prefetch(address)
    prefetch(address + size)
    prefetch(0)
    return record_at(address, STATE).size


def test_fetching_ahead_needs_no_valid_address(compose):
    states = np.zeros(1, STATE)
    states["size"] = 4
    assert compose(fetch, INT, INT)(states.ctypes.data, 1 << 60) == 4


def pass_on(state):
    return read_again(address_of(state))


def read_again(address):
    state = record_at(address, STATE)
    state.size *= 2
    return state.size


def test_a_record_that_is_passed_on_by_address(compose):
    states = np.zeros(2, STATE)
    states["size"] = [4, 6]
    assert compose(pass_on, RecordOf("state"), layouts={"state": STATE})(states[1]) == 12
    assert states["size"].tolist() == [4, 12]
