"""Components as plain values, and their fingerprint."""

import json

import numpy as np
import pytest

import rinforza as rf
from rinforza.contracts.component import Component
from rinforza.contracts.configuration import component_block, fingerprint

pytestmark = pytest.mark.lanes


class Part(Component):
    """A component of any parameters."""

    name = "part"

    def __init__(self, **parameters):
        super().__init__(parameters)


class Revised(Part):
    """One whose content has a revision."""

    name = "revised"
    revision = 3


def test_a_block_is_plain():
    part = Part(
        table=np.array([[1, 2], [3, 4]], np.int8),
        scalar=np.float32(0.5),
        pair=(1, None),
        nested=Revised(word="a"),
    )
    block = component_block(part)
    assert block == {
        "name": "part",
        "table": [[1, 2], [3, 4]],
        "scalar": 0.5,
        "pair": [1, None],
        "nested": {"name": "revised", "revision": 3, "word": "a"},
    }
    assert json.loads(json.dumps(block)) == block
    assert component_block(rf.games.TicTacToe())["encoder"] == {"name": "tictactoe"}


def test_a_fingerprint_does_not_depend_on_the_order_of_keys():
    first, second = fingerprint({"a": 1, "b": [2.5]}), fingerprint({"b": [2.5], "a": 1})
    assert first == second
    assert len({first, fingerprint({"a": 1, "b": [2]}), fingerprint({"a": 1})}) == 3
    # printf '{"a":1}' | sha256sum
    expected = "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    assert fingerprint({"a": 1}) == expected


def test_components_with_arrays_compare_by_value():
    first = Part(table=np.arange(3), size=1)
    assert first == Part(table=np.arange(3), size=1)
    assert hash(first) == hash(Part(table=np.arange(3), size=1))
    others = [
        Part(table=np.array([0, 1, 3]), size=1),
        Part(table=np.arange(4), size=1),
        Part(table=np.arange(3), size=2),
        Part(size=1),
        Revised(table=np.arange(3), size=1),
    ]
    assert first not in others
