"""Wrong arguments are errors of Python, in both lanes, and never a crash or a number out of nowhere."""

from contextlib import nullcontext

import numpy as np
import pytest

from rinforza.compiled import (
    FLOAT,
    INT,
    MOST_PAIRS,
    PAIRS,
    ArrayOf,
    Prototype,
    RecordOf,
    Scalar,
    compile_function,
    without_compiling,
)

STATE = np.dtype([("ply", np.int64), ("cells", np.int8, (9,))], align=True)
MIXED = Prototype("mixed", FLOAT, RecordOf("state"), ArrayOf(np.float64, 2), INT, FLOAT, Scalar(np.uint64))
NUMBERS = Prototype("numbers", INT, INT, INT)


def mixed(state, table, count, weight, board):
    table[1, 0] = 7.0
    state.ply = state.ply + count
    return state.ply + table.shape[1] * weight + (board >> np.uint64(63)) * 1000


def numbers(one, other):
    return one * 10 + other


@pytest.fixture(params=["compiled", "plain"])
def entry(request):
    if request.param == "plain":
        with without_compiling():
            return compile_function(mixed, MIXED, {"state": STATE}, "Part.mixed").entry
    return compile_function(mixed, MIXED, {"state": STATE}, "Part.mixed").entry


def good():
    return [np.zeros(1, STATE)[0], np.zeros((2, 3)), 4, 0.5, np.uint64(1 << 63)]


def test_what_fits_is_written_in_place(entry):
    states, table = np.zeros(2, STATE), np.zeros((2, 3))
    assert entry(states[1], table, 4, 0.5, np.uint64(1 << 63)) == 4 + 1.5 + 1000
    assert states["ply"].tolist() == [0, 4]
    assert table[1, 0] == 7.0


@pytest.mark.parametrize(
    "values",
    [
        (np.int32(4), 2, 1 << 63),
        (np.uint8(4), np.float32(2.0), np.uint64(1 << 63)),
        (True, True, 0),
        (-1, np.int64(3), 5),
    ],
)
def test_numbers_of_other_types_are_converted(entry, values):
    count, weight, board = values
    state, table, *_ = good()
    assert entry(state, table, count, weight, board) == count + 3 * weight + (int(board) >> 63) * 1000


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (0, 3, "got int for the record 'state'"),
        (0, None, "got NoneType for the record 'state'"),
        (0, np.int32(3), "got int32 for the record 'state'"),
        (0, np.zeros(1, STATE), "for the record 'state'"),
        (0, np.zeros(1, [("ply", np.int64)])[0], "for the record 'state'"),
        (1, [[0.0]], "got list, expected an array of float64"),
        (
            1,
            np.zeros((2, 3), np.float32),
            "got an array of float32 with 2 dimensions, expected float64 with 2",
        ),
        (1, np.zeros((2, 3), np.int64), "got an array of int64"),
        (1, np.zeros((2, 3), ">f8"), "got an array of >f8"),
        (1, np.zeros(6), "with 1 dimensions, expected float64 with 2"),
        (1, np.zeros((3, 2)).T, "not contiguous"),
        (1, np.zeros((2, 6))[:, ::2], "not contiguous"),
        (1, np.broadcast_to(0.0, (2, 3)), "not contiguous, or a read-only array"),
        (2, "4", "got '4', expected an integer"),
        (2, 4.0, "got 4.0, expected an integer"),
        (2, None, "got None, expected an integer"),
        (3, "0.5", "got '0.5', expected a number"),
        (3, 1j, "got 1j, expected a number"),
        (4, 1.0, "got 1.0, expected an integer"),
    ],
)
def test_what_does_not_fit_is_a_type_error(entry, place, value, message):
    arguments = good()
    arguments[place] = value
    with pytest.raises(TypeError, match=r"Part\.mixed: ") as caught:
        entry(*arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize(("place", "value"), [(2, 1 << 63), (2, -(1 << 63) - 1), (4, 1 << 64), (4, -1)])
def test_an_integer_of_more_than_64_bits_is_an_overflow_error(entry, place, value):
    arguments = good()
    arguments[place] = value
    with pytest.raises(OverflowError, match=r"Part\.mixed: got .* expected an integer of 64 bits"):
        entry(*arguments)


def test_the_number_of_arguments(entry):
    for arguments in ([], good()[:-1], [*good(), 1]):
        with pytest.raises(TypeError, match=f"takes 5 arguments, got {len(arguments)}"):
            entry(*arguments)


def test_a_function_of_numbers_alone():
    """Its machine code checks every argument."""
    entry = compile_function(numbers, NUMBERS, {}, "Part.numbers").entry
    assert entry(np.int8(3), 4) == 34
    for arguments in ((), (1,), (1, 2, 3), (None, 2), ([], 2), (1.0, 2)):
        with pytest.raises(TypeError):
            entry(*arguments)
    with pytest.raises(OverflowError):
        entry(1 << 64, 2)


class Table(dict):
    """A dict of another type."""


ITEMS = Prototype("items", INT, INT, PAIRS)


def weighed(start, items):
    total = start + len(items) * 1_000_000
    for index in range(len(items)):
        total += items[index, 0] * 1000 + items[index, 1] * (index + 1)
    return total


@pytest.mark.parametrize("lane", ["compiled", "plain"])
@pytest.mark.parametrize(
    ("items", "answer"),
    [
        ({}, 0),
        ({3: 5}, 1_003_005),
        ({3: 5, 1: -7, 0: 2}, 3_004_000 + 5 - 14 + 6),
        (Table({3: 5}), 1_003_005),
        (dict.fromkeys(range(MOST_PAIRS), 0), MOST_PAIRS * 1_000_000 + 1000 * sum(range(MOST_PAIRS))),
        (dict.fromkeys(range(MOST_PAIRS + 1), 0), 0),
        ({2**63 - 1: 0}, 1_000_000 - 1000),  # sums wrap around
        ({0: -(2**63)}, 1_000_000 - 2**63),
        ({1: 2**63}, 0),
        ({-(2**63) - 1: 1}, 0),
        ({1: True}, 0),
        ({False: 1}, 0),
        ({1: 2, 3: 4.0}, 0),
        ({1.0: 2}, 0),
        ({1: np.int64(2)}, 0),
        ({"1": 2}, 0),
        ({1: None}, 0),
        ([(1, 2)], 0),
        (None, 0),
        (7, 0),
        ("ab", 0),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_dict_of_integers_and_what_is_none(lane, items, answer):
    with nullcontext() if lane == "compiled" else without_compiling():
        entry = compile_function(weighed, ITEMS, {}, "Part.weighed").entry
        came = entry(0, items)
    assert came == answer


@pytest.mark.parametrize("lane", ["compiled", "plain"])
@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def step(x): pass", "takes (x), 1 arguments; expected 2"),
        ("def step(x, y, z): pass", "takes (x, y, z), 3 arguments; expected 2"),
        ("def step(x, y, *z): pass", "must be a plain function"),
        ("def step(x, y, **z): pass", "must be a plain function"),
        ("def step(x, y, *, z=1): pass", "must be a plain function"),
        ("def step(x, y): yield x", "must be a plain function"),
        ("async def step(x, y): pass", "must be a plain function"),
        ("step = max", "must be a plain Python function, got builtin_function_or_method"),
        ("class step: pass", "must be a plain Python function, got type"),
    ],
)
def test_a_function_of_another_form_is_refused(source, message, lane):
    namespace = {}
    exec(source, namespace)
    context = nullcontext() if lane == "compiled" else without_compiling()
    with context, pytest.raises(TypeError, match=r"Part\.step") as caught:
        compile_function(namespace["step"], NUMBERS, {}, "Part.step")
    assert message in str(caught.value)


def test_defaults_of_the_outermost_function_are_arguments_like_others():
    def step(one, other=5):
        return one * 10 + other

    assert compile_function(step, NUMBERS, {}, "Part.step").entry(1, 2) == 12
