"""The table of information states compares bytes, not hashes."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import without_compiling
from rinforza.solvers import information_sets
from rinforza.solvers.information_sets import ENTRY, InformationSets
from rinforza.solvers.tree import Composition, GameTree


def filled(rows, seed=0):
    """Return a table with random keys of different lengths, and the keys; some are others and a zero."""
    generator = np.random.default_rng(seed)
    keys = []
    while len(keys) < rows:
        keys += [generator.bytes(int(generator.integers(3, 13)))]
        keys += [keys[-1] + b"\0"]
    keys = keys[:rows]
    sets = InformationSets(rf.games.LeducPoker())
    table = np.zeros((rows, 8 * sets.arrays.number("key_words")), np.uint8)
    entries = np.zeros(rows, ENTRY)
    for row, key in enumerate(keys):
        table[row, : len(key)] = np.frombuffer(key, np.uint8)
        entries[row] = (2 * row, 2, row % 2, len(key), 0)
    sets.fill(entries, table, np.tile(np.array([0, 1], np.int32), rows))
    return sets, keys


@pytest.mark.lanes
@pytest.mark.parametrize("rows", [0, 1, 64, 65, 300])
def test_keys_are_found_again(rows):
    sets, keys = filled(rows)
    assert sets.rows == rows
    for row, key in enumerate(keys):
        assert sets.find(key) == row
        assert sets.key(row) == key
        assert sets.player(row) == row % 2
        assert sets.actions(row) == (0, 1)
    for key in (b"", b"\x00", bytes(13), bytes(200)):
        assert sets.find(key) is None or key in keys


@pytest.mark.lanes
def test_a_key_is_not_its_beginning_nor_its_end():
    sets, keys = filled(50)
    for key in keys:
        for other in (
            key[:-1],
            key + b"\x00",
            bytes([key[0] ^ 1]) + key[1:],
            key[:-1] + bytes([key[-1] ^ 128]),
        ):
            assert sets.find(other) == (keys.index(other) if other in keys else None)


@pytest.mark.lanes
def test_keys_with_the_same_hash_stay_apart(monkeypatch):
    """With one hash for all, every look-up compares the bytes of every row before."""
    with without_compiling():
        expected = GameTree(Composition(rf.games.KuhnPoker(players=3)))
    monkeypatch.setattr(information_sets, "hash_of", lambda words, length: np.uint64(0xABC00000001))
    information_sets.table_kernels.cache_clear()
    try:
        with without_compiling():
            tree = GameTree(Composition(rf.games.KuhnPoker(players=3)))
            assert tree.sets.rows == 48
            for row in range(48):
                assert tree.sets.key(row) == expected.sets.key(row)
                assert tree.sets.find(tree.sets.key(row)) == row
    finally:
        information_sets.table_kernels.cache_clear()


@pytest.mark.lanes
def test_half_hashes_that_agree_are_not_enough(monkeypatch):
    """The slots hold the upper half of a hash; rows whose lower halves differ can meet there by probing."""
    hashes = {}

    def meeting(words, length):
        return np.uint64((7 << 32) + hashes.setdefault((words.tobytes(), int(length)), len(hashes) % 2))

    monkeypatch.setattr(information_sets, "hash_of", meeting)
    information_sets.table_kernels.cache_clear()
    try:
        with without_compiling():
            sets, keys = filled(40)
            assert [sets.find(key) for key in keys] == list(range(40))
    finally:
        information_sets.table_kernels.cache_clear()
