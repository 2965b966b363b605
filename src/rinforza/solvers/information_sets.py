"""The information states of a game, each once: from their bytes to a row number, compared byte by byte.

Open addressing with linear probing over 64-bit hashes; a slot holds the upper half of the hash beside the row,
so that a row is looked at only where that half agrees. Two keys are one row only if they have the same bytes.

Each row also has its player and its legal actions, as a slice of one pool, so that whatever belongs to an
action of an information state (a regret, a probability) lies at one place in arrays of the pool's length.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from ..compiled import (
    INT,
    Prototype,
    array_at,
    clear_bytes,
    compile_function,
    copy_bytes,
    plain_python,
    record_at,
)
from ..compiled.random import GOLDEN, mix
from ..contracts.game import Game
from ..contracts.rules import INFORMATION_STATE, legal_actions
from .arrays import Arrays

ENTRY = np.dtype(
    [
        ("first", np.int64),  # where the row's actions begin in the pool
        ("count", np.int32),  # actions
        ("player", np.int32),
        ("length", np.int64),  # bytes of the key
        ("hash", np.uint64),
    ]
)
SETS = np.dtype(
    [
        ("slots", np.int64),  # uint64[n_slots]: upper half of the hash, row plus 1; 0 for an empty slot
        ("n_slots", np.int64),  # a power of two, at least twice the room
        ("entries", np.int64),  # ENTRY[room]
        ("keys", np.int64),  # uint64[room, key_words], zero beyond the length
        ("key_words", np.int64),
        ("actions", np.int64),  # int32[pool_room]: the legal ids of row after row
        ("rows", np.int64),
        ("room", np.int64),
        ("used", np.int64),  # actions of all rows
        ("pool_room", np.int64),
        ("key", np.int64),  # uint64[key_words]: the key that is looked up
    ]
)
# What `row_of` answers when it finds no row.
NO_ROOM, CONTRADICTION, NO_ACTION = -1, -2, -3
FIRST_ROOM = 64
LARGE_ROOM = 1 << 16
FIND = Prototype("find", INT, INT, INT)
PLACE_ALL = Prototype("place_all", None, INT)
HASH_ALL = Prototype("hash_all", None, INT)
LOWER_HALF = np.uint64(0xFFFFFFFF)
NOTHING = np.uint64(0)
ONE = np.uint64(1)


def row_of(rules, scratch, sets, state, player):
    """Return the row of what `player`, who is to move, knows; a new one if need be. Or NO_ROOM and the like."""
    clear_bytes(sets.key, sets.key_words * 8)
    length = INFORMATION_STATE(
        rules.information_state, rules.game, state, player, sets.key, rules.information_size
    )
    count = legal_actions(rules, state, player, scratch.legal)
    if count == 0:
        return NO_ACTION
    code = hash_of(array_at(sets.key, sets.key_words, np.uint64), length)
    slot = slot_of(sets, length, code)
    slots = array_at(sets.slots, sets.n_slots, np.uint64)
    if slots[slot] != NOTHING:
        row = np.int64(slots[slot] & LOWER_HALF) - 1
        return row if agrees(sets, scratch, row, player, count) else CONTRADICTION
    row = sets.rows
    if row == sets.room or sets.used + count > sets.pool_room:
        return NO_ROOM
    slots[slot] = (code & ~LOWER_HALF) | np.uint64(row + 1)
    entry = array_at(sets.entries, sets.room, ENTRY)[row]
    entry.first = sets.used
    entry.count = count
    entry.player = player
    entry.length = length
    entry.hash = code
    copy_bytes(sets.keys + row * sets.key_words * 8, sets.key, sets.key_words * 8)
    copy_bytes(sets.actions + sets.used * 4, scratch.legal, count * 4)
    sets.rows = row + 1
    sets.used += count
    return row


def entry_of(sets, row):
    """Return the record of a row."""
    return array_at(sets.entries, sets.room, ENTRY)[row]


def hash_of(words, length):
    """Return 64 bits that stand for a key of `length` bytes."""
    code = np.uint64(length)
    for index in range((length + 7) // 8):
        code = mix((code ^ words[index]) + GOLDEN)
    return code


def slot_of(sets, length, code):
    """Return the slot of the key that is looked up, or the empty one where it belongs."""
    slots = array_at(sets.slots, sets.n_slots, np.uint64)
    last = np.uint64(sets.n_slots - 1)
    slot = code & last
    while slots[slot] != NOTHING:
        content = slots[slot]
        if content & ~LOWER_HALF == code & ~LOWER_HALF:
            if is_key(sets, np.int64(content & LOWER_HALF) - 1, length):
                break
        slot = (slot + ONE) & last
    return slot


def is_key(sets, row, length):
    """Return whether the key that is looked up is that of a row."""
    if entry_of(sets, row).length != length:
        return False
    own = array_at(sets.keys + row * sets.key_words * 8, sets.key_words, np.uint64)
    asked = array_at(sets.key, sets.key_words, np.uint64)
    for index in range((length + 7) // 8):
        if own[index] != asked[index]:
            return False
    return True


def agrees(sets, scratch, row, player, count):
    """Return whether a row has this player, and the legal actions in the scratch."""
    entry = entry_of(sets, row)
    if entry.player != player or entry.count != count:
        return False
    actions = array_at(sets.actions, sets.pool_room, np.int32)
    legal = array_at(scratch.legal, count, np.int32)
    for index in range(count):
        if actions[entry.first + index] != legal[index]:
            return False
    return True


def find_at(address, length):
    """Return the row of the key that was written to `sets.key`, or NO_ROOM if there is none."""
    sets = record_at(address, SETS)
    slot = slot_of(sets, length, hash_of(array_at(sets.key, sets.key_words, np.uint64), length))
    return np.int64(array_at(sets.slots, sets.n_slots, np.uint64)[slot] & LOWER_HALF) - 1


def place_all_at(address):
    """Enter all rows into empty slots."""
    sets = record_at(address, SETS)
    slots = array_at(sets.slots, sets.n_slots, np.uint64)
    last = np.uint64(sets.n_slots - 1)
    for row in range(sets.rows):
        code = entry_of(sets, row).hash
        slot = code & last
        while slots[slot] != NOTHING:
            slot = (slot + ONE) & last
        slots[slot] = (code & ~LOWER_HALF) | np.uint64(row + 1)


def hash_all_at(address):
    """Work out the hashes of all rows."""
    sets = record_at(address, SETS)
    for row in range(sets.rows):
        entry = entry_of(sets, row)
        words = array_at(sets.keys + row * sets.key_words * 8, sets.key_words, np.uint64)
        entry.hash = hash_of(words, entry.length)


class TableKernels:
    """The compiled entry points of this module; each takes the address of a SETS record first."""

    def __init__(self):
        self.find = _entry(find_at, FIND)
        self.place_all = _entry(place_all_at, PLACE_ALL)
        self.hash_all = _entry(hash_all_at, HASH_ALL)


def _entry(function: Callable, prototype: Prototype) -> Callable:
    return compile_function(function, prototype, {}, f"solvers.{prototype.name}").entry


@cache
def table_kernels(lane: bool) -> TableKernels:
    """Return the entry points of a lane (`plain_python()`); made once each."""
    return TableKernels()


class InformationSets:
    """The table for one game.

    Args:
        game: A game with information states.

    Attributes:
        arrays: The SETS record and its arrays.
    """

    def __init__(self, game: Game):
        self._game, self._kernels = game, table_kernels(plain_python())
        self.arrays = Arrays(SETS)
        key_words = -(-game.information_size // 8)
        self.arrays.record["key_words"] = key_words
        self.arrays.zeros("key", key_words, np.uint64)
        self.arrays.zeros("entries", 0, ENTRY)
        self.arrays.zeros("keys", (0, key_words), np.uint64)
        self.arrays.zeros("actions", 0, np.int32)
        self.grow()

    @property
    def rows(self) -> int:
        """How many information states there are."""
        return self.arrays.number("rows")

    @property
    def room(self) -> int:
        """How many rows there is room for."""
        return self.arrays.number("room")

    @property
    def pool_room(self) -> int:
        """How many actions there is room for."""
        return self.arrays.number("pool_room")

    @property
    def used(self) -> int:
        """How many actions all rows have together."""
        return self.arrays.number("used")

    @property
    def entries(self) -> np.ndarray:
        """A copy of the records of all rows, ENTRY[rows]."""
        return self.arrays["entries"][: self.rows].copy()

    @property
    def bounds(self) -> np.ndarray:
        """Where each row's actions begin in the pool, and where the last ones end: int64[rows + 1]."""
        return np.append(self.arrays["entries"]["first"][: self.rows], self.used)

    def grow(self, rows: int = 0, used: int = 0) -> None:
        """Make room for so many rows and actions at least, or for more of what is full."""
        if self.used + self._game.num_actions > self.pool_room or used:
            pool_room = max(used, _larger(self.pool_room), self.used + self._game.num_actions)
            self.arrays.lengthen("actions", pool_room)
            self.arrays.record["pool_room"] = pool_room
        if self.rows == self.room or rows:
            room = max(rows, _larger(self.room))
            self.arrays.lengthen("entries", room)
            self.arrays.lengthen("keys", room)
            self.arrays.record["room"] = room
            if 2 * room > self.arrays.number("n_slots"):
                self._make_slots(room)

    def _make_slots(self, room: int) -> None:
        n_slots = 1 << (2 * room - 1).bit_length()
        self.arrays.zeros("slots", n_slots, np.uint64)
        self.arrays.record["n_slots"] = n_slots
        self._kernels.place_all(self.arrays.address)

    def fill(self, entries: np.ndarray, keys: np.ndarray, actions: np.ndarray) -> None:
        """Enter rows that were saved, into an empty table.

        Args:
            entries: ENTRY[rows], without the hashes.
            keys: uint8[rows, a multiple of 8], zero beyond the length.
            actions: int32, the legal ids of row after row.
        """
        rows = len(entries)
        self.grow(max(rows, 1), max(len(actions), 1))
        self.arrays["entries"][:rows] = entries
        self.arrays["keys"][:rows] = keys.view(np.uint64)
        self.arrays["actions"][: len(actions)] = actions
        self.arrays.record["rows"], self.arrays.record["used"] = rows, len(actions)
        self._kernels.hash_all(self.arrays.address)
        self._make_slots(self.room)

    def find(self, key: bytes) -> int | None:
        """Return the row of a key, or None."""
        if len(key) > self._game.information_size:
            return None
        own = self.arrays["key"].view(np.uint8)
        own[:] = 0
        own[: len(key)] = np.frombuffer(key, np.uint8)
        row = self._kernels.find(self.arrays.address, len(key))
        return None if row < 0 else int(row)

    def key(self, row: int) -> bytes:
        """Return the bytes of a row."""
        return self.arrays["keys"][row].tobytes()[: self.arrays["entries"]["length"][row]]

    def bounds_of(self, row: int) -> slice:
        """Return where the actions of a row lie in the pool."""
        entry = self.arrays["entries"][row]
        return slice(int(entry["first"]), int(entry["first"] + entry["count"]))

    def actions(self, row: int) -> tuple[int, ...]:
        """Return the legal actions of a row."""
        return tuple(self.arrays["actions"][self.bounds_of(row)].tolist())

    def player(self, row: int) -> int:
        """Return the player whose information state a row is."""
        return int(self.arrays["entries"]["player"][row])


def _larger(room: int) -> int:
    """Return the next length of an array: twice as long, a quarter longer where fresh memory costs more than calls."""
    return max(FIRST_ROOM, 2 * room if room < LARGE_ROOM else room + room // 4)
