"""Arrays of the engine: clear, aligned, nobody else's, and back with the system once they are gone."""

import mmap
import os
from pathlib import Path

import numpy as np
import pytest

from rinforza.engine import batch_tables, machine, start_tables, tables
from rinforza.engine.memory import CACHE_LINE, LARGE, aligned_zeros, new_array
from rinforza.engine.ownership import only_ours
from tests.engine.compositions import COMPOSITIONS, data

SIZES = [1, 1000, LARGE - 1, LARGE, LARGE + 1, 5 << 20]


@pytest.mark.parametrize("size", SIZES)
def test_zeros_are_clear_and_begin_at_a_cache_line(size):
    for _ in range(3):
        array = aligned_zeros(size)
        assert array.shape == (size,)
        assert array.dtype == np.uint8
        assert array.ctypes.data % CACHE_LINE == 0
        assert not array.any()
        array[:] = 1  # what comes next may get this memory


@pytest.mark.parametrize("shape", [(3, 5), (300, 500), 7, 70_000, (0, 4)])
def test_arrays_have_their_shape_and_type(shape):
    for made in (aligned_zeros(shape, np.float64), new_array(shape, np.float64)):
        expected = np.zeros(shape)
        assert made.shape == expected.shape
        assert made.flags.c_contiguous
        made[...] = 1.0
        assert made.sum() == expected.size


@pytest.mark.parametrize("size", [1000, LARGE, 5 << 20])
def test_a_view_of_an_array_is_seen(size):
    held = [new_array((size, 2), np.float32)]
    assert only_ours(held, 0)
    views = [held[0][:3]]
    views.append(views[0].T)
    views.append(views[1].view(np.int32))
    while views:
        assert not only_ours(held, 0)
        del views[0]
    assert only_ours(held, 0)


@pytest.mark.parametrize("size", [1 << 50, 1 << 62, 1 << 70])
def test_more_than_there_is_is_refused(size):
    with pytest.raises(MemoryError):
        aligned_zeros(size)


def test_where_nothing_more_is_mapped_the_heap_serves(monkeypatch):
    def refuse(*arguments, **keywords):
        raise OSError("no more maps")

    monkeypatch.setattr(mmap, "mmap", refuse)
    array = aligned_zeros((LARGE, 2), np.float64)
    assert array.ctypes.data % CACHE_LINE == 0
    assert not array.any()
    assert new_array(LARGE, np.uint8).shape == (LARGE,)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
def test_large_arrays_go_back_though_others_lie_behind_them():
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    before = resident()
    arrays = []
    for _ in range(64):
        arrays += [new_array(1 << 20, np.uint8), np.ones(100)]
        arrays[-2][:] = 1
    assert resident() > before + (60 << 20)
    del arrays[::2]
    assert resident() < before + (10 << 20)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize("size", [1000, LARGE])
def test_what_a_child_writes_stays_there(size):
    array = aligned_zeros(size)
    child = os.fork()
    if child == 0:
        array[:] = 1
        os._exit(int(array.sum() != size))
    assert os.waitpid(child, 0)[1] == 0
    assert not array.any()


class Shortage:
    """Makes the allocations of tables fail one after the other.

    Args:
        monkeypatch: Pytest's.
    """

    def __init__(self, monkeypatch):
        self.before = -1  # allocations that succeed before one fails; none fails if negative
        for module in (batch_tables, machine, start_tables, tables):
            for name in ("new_array", "aligned_zeros"):
                if hasattr(module, name):
                    monkeypatch.setattr(module, name, self._scarce(getattr(module, name)))

    def _scarce(self, allocate):
        def scarce(*arguments):
            self.before -= 1
            if self.before == -1:
                raise MemoryError
            return allocate(*arguments)

        return scarce


@pytest.mark.parametrize("name", ["search", "q", "windows", "simultaneous", "starts"])
def test_where_memory_is_wanting_nothing_is_lost(name, monkeypatch):
    """Every allocation fails once: of the first batch's arrays, and of each table that grows."""
    composition = COMPOSITIONS[name]()
    options, floors = {"n_games": 12, "n_threads": 2, "batch_size": 4}, (1, 300, 3)
    usual = composition.engine(**options)
    expected = [data(usual.collect(floor, composition.network)) for floor in floors]
    shortage = Shortage(monkeypatch)
    allocations = 0
    while True:
        engine, failed, found = composition.engine(**options), False, []
        shortage.before = allocations
        for floor in floors:
            try:
                found.append(data(engine.collect(floor, composition.network)))
            except MemoryError:
                failed = True
                found.append(data(engine.collect(floor, composition.network)))
        assert found == expected, allocations
        shortage.before = -1
        if not failed:
            break
        allocations += 1
    assert allocations > 10
