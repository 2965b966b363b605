"""Records in plain Python: a field is what its name says, whatever NumPy calls its own attributes."""

import numpy as np
import pytest

from rinforza.compiled import FLOAT, INT, Prototype, RecordOf, array_at, compile_function, record_at
from rinforza.compiled.memory import as_records

pytestmark = pytest.mark.lanes

POINT = np.dtype([("max", np.int32), ("data", np.int32)], align=True)
LAYOUT = np.dtype(
    [
        ("mean", np.float64),
        ("size", np.int64),
        ("type", np.int32),
        ("dtype", np.int32),
        ("cells", np.int8, (3,)),
        ("real", POINT),
        ("points", POINT, (2,)),
    ],
    align=True,
)


def test_fields_win_over_numpys_own_attributes():
    array = np.zeros(2, LAYOUT)
    record = as_records(array)[1]
    record.mean = 2.5
    record.size += 3
    record.type = 4
    record.dtype = 5
    record.cells[2] = 6
    record.real.max = 7
    record.points[1].data = 8
    expected = (2.5, 3, 4, 5, [0, 0, 6], (7, 0), [(0, 0), (0, 8)])
    found = array[1]
    assert (found["mean"], found["size"], found["type"], found["dtype"]) == expected[:4]
    assert [found["cells"].tolist(), found["real"].tolist(), found["points"].tolist()] == list(expected[4:])
    assert (record.mean, record.size, record.type, record.dtype) == expected[:4]
    assert not array[0].tobytes().strip(b"\0")


def test_unknown_fields_are_refused():
    record = as_records(np.zeros(1, POINT))[0]
    with pytest.raises(AttributeError, match="height"):
        _ = record.height
    with pytest.raises(ValueError, match="height"):
        record.height = 1


def read_all(address):
    record = record_at(address, LAYOUT)
    point = array_at(address, 1, LAYOUT)[0].points[1]
    return record.mean + 10 * record.size + 100 * record.real.max + 1000 * point.data


def test_both_lanes_read_the_same():
    array = np.zeros(1, LAYOUT)
    array["mean"], array["size"], array["real"]["max"], array["points"]["data"][0, 1] = 0.5, 1, 2, 3
    read = compile_function(read_all, Prototype("read", FLOAT, INT), {}, "read")
    assert read.entry(array.ctypes.data) == read_all(array.ctypes.data) == 3210.5


SHORT = np.dtype([("first", np.int64)], align=True)
LONG = np.dtype([("first", np.int64), ("second", np.int64)], align=True)


def first_of(record):
    return record.first


def twice_the_first(record):
    return 2 * first_of(record)


def test_a_record_that_begins_with_another_one():
    """A helper serves both; no warning of the compiler's gets through."""
    prototype = Prototype("twice_the_first", INT, RecordOf("record"))
    for layout in (SHORT, LONG):
        array = np.zeros(1, layout)
        array["first"] = 21
        function = compile_function(twice_the_first, prototype, {"record": layout}, "twice_the_first")
        assert function.entry(array.view(np.recarray)[0]) == 42
