"""Calls through a prototype, from compiled code and from plain Python."""

import gc

import numpy as np
import pytest

from rinforza.compiled import (
    FLOAT,
    INT,
    ArrayOf,
    Prototype,
    RecordOf,
    Scalar,
    address_of,
    compile_function,
    plain_python,
    without_compiling,
)
from rinforza.compiled.prototype import PYTHON_FUNCTIONS

STATE = np.dtype([("ply", np.int64), ("board", np.uint64)], align=True)
STEP = Prototype("step", INT, RecordOf("state"), ArrayOf(np.int32, 2), Scalar(np.uint64), FLOAT)
CALL = Prototype("call", INT, INT, RecordOf("state"), ArrayOf(np.int32, 2))
NOTHING = Prototype("nothing", None, INT)
CALL_NOTHING = Prototype("call_nothing", INT, INT)
ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)


def step(state, table, board, weight):
    state.ply += 1
    state.board = board
    table[1, 2] = 9
    return table.shape[0] * 100 + table.shape[1] * 10 + np.int64(weight)


def call(address, state, table):
    return STEP(address, address_of(state), address_of(table), table.shape[0], table.shape[1], ALL_BITS, 2.0)


def nothing(x):
    return


def call_nothing(address):
    NOTHING(address, 1)
    return 5


def fails(x):
    raise ValueError("from the callee")


def composed(function, prototype, layouts=None):
    return compile_function(function, prototype, layouts or {"state": STATE}, f"Part.{function.__name__}")


def check_a_call():
    callee, caller = composed(step, STEP), composed(call, CALL)
    state, table = np.zeros(1, STATE), np.zeros((2, 3), np.int32)
    assert caller.entry(callee.address, state[0], table) == 232
    assert (int(state["ply"][0]), int(state["board"][0]), int(table[1, 2])) == (1, int(ALL_BITS), 9)


@pytest.mark.lanes
def test_a_call_in_the_lane_of_the_process():
    check_a_call()


@pytest.mark.lanes
def test_a_call_in_plain_python():
    assert plain_python() == (composed(nothing, NOTHING).address < 1 << 16)
    with without_compiling():
        assert plain_python()
        check_a_call()
    check_a_call()


@pytest.mark.lanes
def test_a_call_without_a_result():
    callee = composed(nothing, NOTHING)
    assert composed(call_nothing, CALL_NOTHING).entry(callee.address) == 5


@pytest.mark.lanes
def test_an_error_in_the_callee_reaches_the_caller():
    callee = composed(fails, NOTHING)
    with pytest.raises(ValueError, match="from the callee"):
        composed(call_nothing, CALL_NOTHING).entry(callee.address)


@pytest.mark.lanes
@pytest.mark.parametrize("address", [0, 65535])
def test_no_function_at_the_address(address):
    with pytest.raises(RuntimeError, match="nothing was called, but there is no such function here"):
        composed(call_nothing, CALL_NOTHING).entry(address)


def test_the_lanes_do_not_mix():
    with without_compiling():
        plain_callee, plain_caller = composed(nothing, NOTHING), composed(call_nothing, CALL_NOTHING)
    callee, caller = composed(nothing, NOTHING), composed(call_nothing, CALL_NOTHING)
    for one, other in ((caller, plain_callee), (plain_caller, callee)):
        with pytest.raises(RuntimeError, match="without_compiling"):
            one.entry(other.address)


@pytest.mark.lanes
def test_a_call_of_plain_python_counts_its_words():
    with without_compiling():
        callee = composed(step, STEP)
        for words in ((), (1, 2, 3), (1,) * 7):
            with pytest.raises(TypeError, match=f"step takes 6 words, got {len(words)}"):
                STEP(callee.address, *words)


@pytest.mark.lanes
def test_results_of_plain_python_are_of_the_declared_kind():
    integer, number = Prototype("integer", INT, INT), Prototype("number", FLOAT, INT)
    results = {
        1: np.int8(5),
        2: np.bool_(True),
        3: np.uint64(1 << 63),
        4: True,
        5: 0.5,
        6: None,
        7: np.float32(2),
    }

    def pick(x):
        return results[x]

    with without_compiling():
        pick_integer, pick_number = composed(pick, integer).entry, composed(pick, number).entry
    assert [pick_integer(place) for place in (1, 2, 3, 4)] == [5, 1, -(1 << 63), 1]
    assert all(type(pick_integer(place)) is int for place in (1, 2, 3, 4))
    assert [pick_number(place) for place in (1, 2, 5, 7)] == [5.0, 1.0, 0.5, 2.0]
    for place in (5, 6, 7):
        with pytest.raises(TypeError, match=r"integer returned .* expected an integer on every path"):
            pick_integer(place)
    with pytest.raises(TypeError, match="number returned None; expected a number"):
        pick_number(6)


@pytest.mark.lanes
def test_the_owner_stands_for_self_in_plain_python():
    class Owner:
        size = 7

    def size(self):
        return self.size

    prototype = Prototype("size", INT, RecordOf("self"))
    layout = np.dtype([("size", np.int64)])
    record = np.array([(7,)], layout)
    with without_compiling():
        made = compile_function(size, prototype, {"self": layout}, "Owner.size", owner=Owner())
    assert prototype(made.address, record.ctypes.data) == 7
    assert made.entry(record[0]) == 7


def test_a_python_function_is_forgotten_with_its_last_holder():
    with without_compiling():
        made = composed(nothing, NOTHING)
    handle = made.address
    assert handle in PYTHON_FUNCTIONS
    del made
    gc.collect()
    assert handle not in PYTHON_FUNCTIONS
