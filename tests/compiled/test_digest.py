"""The content digest: equal for equal content, different for everything that changes machine code."""

import math
from collections import namedtuple
from enum import IntEnum
from types import FunctionType

import numpy as np
import pytest

from rinforza.compiled import INT, ArrayOf, Prototype, RecordOf
from rinforza.compiled.digest import Digester, settings, toolchain
from rinforza.compiled.prototype import layout_text


class Side(IntEnum):
    LEFT = 1
    RIGHT = 2


class Shy(int):
    def __repr__(self):
        return "shy"


def holding(value):
    def function(x):
        return x + value

    return function


def key(function, signature=""):
    return Digester().key(function, signature)


Pair = namedtuple("Pair", "one two")
Swapped = namedtuple("Pair", "two one")
TABLE = np.arange(6).reshape(2, 3)
DIFFERENT = [
    0,
    False,
    0.0,
    -0.0,
    0j,
    "0",
    None,
    math.nan,
    math.inf,
    (0,),
    (0, 0),
    ((0,), 0),
    Pair(0, 0),
    Swapped(0, 0),
    Side.LEFT,
    Side.RIGHT,
    Shy(1),
    Shy(2),
    np.int64(0),
    np.uint64(0),
    np.float64(0),
    np.float32(0),
    np.bool_(False),
    TABLE,
    TABLE.T,
    TABLE.copy(order="F"),
    TABLE.astype(np.int32),
    TABLE.ravel(),
    TABLE + 1,
    np.zeros(1, "i8,i4")[0],
    np.zeros(1, "i4,i8")[0],
    np.zeros(1, "i8,i4"),
    np.dtype("i8,i4"),
    np.dtype("i8,i4", align=True),
    np.dtype("i8"),
    np.int64,
    int,
    math,
    np,
    math.sqrt,
    np.sqrt,
    len,
    INT.dtype,
    Prototype("one", INT, INT),
    Prototype("one", None, INT),
    Prototype("one", INT, RecordOf("state")),
    Prototype("one", INT, ArrayOf(np.int64)),
    Prototype("one", INT, ArrayOf(np.int64, 2)),
]


def test_every_value_has_a_digest_of_its_own():
    keys = [key(holding(value)) for value in DIFFERENT if value is not INT.dtype]
    assert len(set(keys)) == len(keys)


def test_equal_content_has_equal_digests():
    for value in DIFFERENT:
        assert key(holding(value)) == key(holding(value))
    assert key(holding(np.int64)) == key(holding(INT.dtype))


def variant(source):
    namespace = {}
    exec(source, namespace)
    return namespace["function"]


SOURCES = [
    "def function(x):\n    return x + 1",
    "def function(x):\n    return x + 2",
    "def function(x):\n    return x + 1.0",
    "def function(x):\n    return x - 1",
    "def function(x, y=1):\n    return x + 1",
    "def function(x, y=2):\n    return x + 1",
    "def function(y):\n    return y + 1",
    "def function(x):\n    return abs(x)",
    "def function(x):\n    return int(x)",
    "def function(x):\n    return (lambda y: y + 1)(x)",
    "def function(x):\n    return (lambda y: y + 2)(x)",
    "def function(x):\n    return x in {1, 2}",
    "def function(x):\n    return x in {1, 3}",
    "def function(x):\n    return function(x)",
    "def function(x):\n    return other(x)\ndef other(x):\n    return function(x)",
    "def function(x):\n    return other(x)\ndef other(x):\n    return other(x)",
    "def function(x):\n    return b(x)\ndef b(x):\n    return c(x)\ndef c(x):\n    return function(x)",
    "def function(x):\n    return b(x)\ndef b(x):\n    return c(x)\ndef c(x):\n    return b(x)",
    "def function(x):\n    a, b = x\n    return a",
    "\ndef function(x):\n    a, b = x\n    return a",
    "def function(x):\n    assert x\n    return x",
    "\ndef function(x):\n    assert x\n    return x",
    "def function(x):\n    assert x, 'a message'\n    return x",
]


def test_every_source_has_a_digest_of_its_own():
    keys = [key(variant(source)) for source in SOURCES]
    assert len(set(keys)) == len(keys)


def test_a_digest_does_not_depend_on_what_was_digested_before():
    """A function in a circle must not get the digest that it has within another function."""
    for source in SOURCES:
        function = variant(source)
        functions = [value for value in function.__globals__.values() if isinstance(value, FunctionType)]
        alone = [key(one) for one in functions]
        together, backwards = Digester(), Digester()
        assert [together.key(one, "") for one in functions] == alone
        assert [backwards.key(one, "") for one in reversed(functions)] == alone[::-1]


def test_the_signature_counts():
    def function(state):
        return 0

    layouts = [np.dtype("i8,i4"), np.dtype("i8,i4", align=True), np.dtype("i8,i8"), np.dtype([("a", "i8")])]
    texts = [Prototype("f", INT, RecordOf("state")).digest_text({"state": layout}) for layout in layouts]
    assert len({key(function, text) for text in texts}) == len(layouts)


def test_a_layout_is_told_to_the_last_byte():
    nested = np.dtype([("inner", np.dtype([("a", "i4"), ("b", "f8", (2, 3))]), (4,)), ("last", "u1")])
    assert layout_text(nested) == "{inner@0:{a@0:<i4,b@4:<f8(2, 3);52}(4,),last@208:|u1;209}"
    spread = np.dtype({"names": ["a"], "formats": ["i4"], "offsets": [8], "itemsize": 32})
    assert layout_text(spread) == "{a@8:<i4;32}"


@pytest.mark.parametrize("name", ["NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_CPU_NAME", "NUMBA_LOOP_VECTORIZE"])
def test_numbas_settings_count(monkeypatch, name):
    before = settings()
    monkeypatch.setenv(
        name, {"NUMBA_CPU_NAME": "generic"}.get(name, "0" if name != "NUMBA_BOUNDSCHECK" else "1")
    )
    changed = settings()
    monkeypatch.undo()
    assert changed != before
    assert settings() == before


def test_the_toolchain_names_versions_and_processor():
    import numba

    told = toolchain()
    assert numba.__version__ in told
    assert np.__version__ in told
