"""A function of JAX arrays as a callback, with a stand-in for JAX."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import rinforza as rf
from tests.engine.compositions import data, q_composition, search_composition

pytestmark = pytest.mark.lanes


class OnDevice:
    """An array that only `device_get` can read."""

    def __init__(self, array, device):
        self.array, self.device = array, device


class Jax:
    """A stand-in: what is put on the device comes back from there, each way in one call."""

    def __init__(self):
        self.transfers = 0

    def device_put(self, array, device):
        self.transfers += 1
        return OnDevice(array, device)

    def device_get(self, answer):
        self.transfers += 1
        if isinstance(answer, tuple):
            return tuple(part.array for part in answer)
        return answer.array if isinstance(answer, OnDevice) else answer


@pytest.fixture
def library(monkeypatch):
    jax = Jax()
    monkeypatch.setitem(
        sys.modules, "jax", SimpleNamespace(device_put=jax.device_put, device_get=jax.device_get)
    )
    return jax


def on_device(network):
    """The network as a function of arrays on the device."""

    def function(given):
        answer = network(given.array)
        if isinstance(answer, tuple):
            return tuple(OnDevice(part, given.device) for part in answer)
        return OnDevice(answer, given.device)

    return function


@pytest.mark.parametrize("rows", [None, 16])
@pytest.mark.parametrize("composed", [search_composition, q_composition])
def test_an_engine_collects_the_same_with_it(composed, rows, library):
    composition = composed()
    composition.network.dtype = np.float32
    expected = data(composition.engine(2).collect(4, composition.network))
    infer = rf.infer.jax(on_device(composition.network), rows=rows)
    assert data(composition.engine(2).collect(4, infer)) == expected


def test_one_transfer_each_way(library):
    devices = []

    def function(given):
        devices.append(given.device)
        rows = given.array.reshape(len(given.array), -1)
        return OnDevice(rows, given.device), OnDevice(rows[:, :1], given.device)

    logits, values = rf.infer.jax(function, "the device", shape=(2, 3))(np.ones((4, 6), np.float32))
    assert library.transfers == 2
    assert devices == ["the device"]
    assert logits.shape == (4, 6)
    assert values.shape == (4,)


def test_q_values_of_one_head(library):
    infer = rf.infer.jax(lambda given: given, one_head=True)
    assert infer(np.ones((4, 6), np.float32)).shape == (4, 1, 6)


def test_only_functions_are_taken(library):
    with pytest.raises(TypeError, match=r"rf\.infer\.jax takes a function of an array, got int"):
        rf.infer.jax(3)
