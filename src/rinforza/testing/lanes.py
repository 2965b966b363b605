"""A game in one lane, compiled or plain Python: every method called by address, between walls.

A lane takes and gives states as uint8 arrays; each call works on a fresh copy, and two buffers take
turns, so that nothing can depend on where a state lies. What no caller could survive is refused
here: writes outside an array, changes to a state that is only looked at, results that are no
integers or beyond the array they count.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from ..compiled import without_compiling
from ..compiled.memory import as_records
from ..compiled.random import STREAM
from ..contracts.composition import Rules, scratch_shapes
from ..contracts.game import Game
from ..contracts.rules import ENCODER_METHODS, SCRATCH
from ..contracts.state_bytes import bytes_of_fields
from .drivers import GAME_DRIVERS, entries_of
from .guarded import Guarded
from .verdict import blame, broken

ENCODERS_OWN = tuple(prototype.name for prototype in ENCODER_METHODS)
STAY_INSIDE = (
    "write only out[0] to out[count - 1], events[player, column] and the fields of the state, with "
    "indices from 0 and below the lengths that the game states"
)


def in_lane(plain: bool) -> AbstractContextManager:
    """Return the context in which things are composed for a lane."""
    return without_compiling() if plain else nullcontext()


class GameLane:
    """A game with its encoder, composed for one lane.

    Args:
        game: The game.
        plain: Whether it runs as plain Python.

    Raises:
        ConformanceError: If the game cannot be composed.
    """

    def __init__(self, game: Game, plain: bool):
        self.game, self.plain = game, plain
        self.lane = "plain Python" if plain else "compiled"
        with in_lane(plain):
            with blame(
                type(game).__name__,
                "state every claim and define every method as the Game contract says",
            ):
                self.rules = Rules(game, None)
            self._drivers = entries_of(GAME_DRIVERS)
        self.size = self.rules.state_size
        players, columns = game.num_players, len(game.events)
        self._states = Guarded(self.size, np.uint8), Guarded(self.size, np.uint8)
        self._legal = Guarded(game.num_actions, np.int32)
        self._joint = Guarded(players, np.int64)
        self._events = Guarded((players, columns), np.float64)
        self._probabilities = Guarded(game.most_outcomes, np.float64)
        self._information = Guarded(game.information_size, np.uint8)
        self._observation = Guarded(game.encoder.shape(game), np.float32)
        self._key = Guarded(self.rules.key_words, np.uint64)
        self._transformed = Guarded(game.encoder.shape(game), np.float32)
        self._stream = Guarded(1, STREAM)
        self._guarded = {
            "a state": self._states,
            "the list of legal actions": (self._legal,),
            "the joint action": (self._joint,),
            "the events": (self._events,),
            "the probabilities": (self._probabilities,),
            "the information state": (self._information,),
            "the observation": (self._observation,),
            "the key": (self._key,),
            "the transformed observation": (self._transformed,),
            "the stream": (self._stream,),
        }
        self._turn = 0
        self._gaps = np.ones(self.size, bool)
        self._gaps[: game.state_dtype.itemsize] = ~bytes_of_fields(game.state_dtype)[0]

    # ---- the game's methods ----

    def initial(self) -> np.ndarray:
        """Return the first state."""
        return self._changed("initial", np.zeros(self.size, np.uint8))

    def actor(self, state: np.ndarray) -> int:
        """Return whose turn it is."""
        return self._asked("actor", state)

    def legal(self, state: np.ndarray, player: int) -> np.ndarray:
        """Return the legal actions of a player."""
        self._legal.bytes[:] = 0x5A  # what was there before must not matter
        count = self._asked("legal_actions", state, player, self._legal.address)
        return self._legal.array[: self._counted("legal_actions", count, self._legal)].copy()

    def step(self, state: np.ndarray, joint: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play a joint action; return the next state and the events."""
        self._joint.array[:] = joint
        self._events.bytes[:] = 0
        after = self._changed("step", state, self._joint.address, self._events.address)
        if not np.array_equal(self._joint.array, joint):
            raise broken(self.where("step"), "changed the actions it was given", "only read `actions`")
        return after, self._events.array.copy()

    def chance(self, state: np.ndarray) -> np.ndarray:
        """Return the probabilities of a chance node's outcomes."""
        self._probabilities.array[:] = np.nan
        count = self._asked("chance", state, self._probabilities.address)
        return self._probabilities.array[: self._counted("chance", count, self._probabilities)].copy()

    def sample_chance(self, state: np.ndarray, key: int) -> int:
        """Draw an outcome from the stream of a key."""
        self._stream.array["key"], self._stream.array["counter"] = key, 0
        return self._asked("sample_chance", state, self._stream.address)

    def resolve_chance(self, state: np.ndarray, outcome: int) -> tuple[np.ndarray, np.ndarray]:
        """Apply an outcome; return the next state and the events."""
        self._events.bytes[:] = 0
        after = self._changed("resolve_chance", state, outcome, self._events.address)
        return after, self._events.array.copy()

    def information_state(self, state: np.ndarray, player: int) -> bytes:
        """Return what a player knows."""
        self._information.bytes[:] = 0
        room = self._information.array
        count = self._asked("information_state", state, player, self._information.address, len(room))
        return room[: self._counted("information_state", count, self._information)].tobytes()

    def truncate(self, state: np.ndarray, events: np.ndarray) -> np.ndarray:
        """Return the events of a tick as amended when the horizon cuts the episode there."""
        self._events.array[:] = events
        self._asked("truncate", state, self._events.address)
        return self._events.array.copy()

    def cell(self, state: np.ndarray) -> int:
        """Return the cell of a state, or -1 where it has none."""
        found, n_cells = self._asked("cell", state), self.game.n_cells
        if not -1 <= found < n_cells:
            mend = f"return a cell from 0 to n_cells - 1 = {n_cells - 1}, or -1 to keep the state out"
            raise broken(self.where("cell"), f"returned {found}", mend)
        return found

    def valid(self, state: np.ndarray) -> int:
        """Return 1 if the game calls a state safe, else 0."""
        verdict = self._asked("valid", state)
        if verdict not in (0, 1):
            raise broken(self.where("valid"), f"returned {verdict}", "return 1 for a safe state, else 0")
        return verdict

    # ---- the encoder's methods ----

    def observe(self, state: np.ndarray, player: int) -> np.ndarray:
        """Return the observation of a player."""
        self._asked("encode", state, player, self._observation.address)
        return self._observation.array.copy()

    def key(self, state: np.ndarray, player: int) -> bytes:
        """Return the words that stand for the observation of a player."""
        self._asked("key", state, player, self._key.address)
        return self._key.array.tobytes()

    def head_index(self, action: int, player: int) -> int:
        """Return what the encoder calls the network column of an action."""
        return self._called("head_index", action, player)

    def game_action(self, head: int, player: int) -> int:
        """Return what the encoder calls the action of a network column."""
        return self._called("game_action", head, player)

    def transform(self, symmetry: int, observation: np.ndarray) -> np.ndarray:
        """Return an observation under a symmetry."""
        self._observation.array[...] = observation
        self._called("transform", symmetry, self._observation.address, self._transformed.address)
        if not np.array_equal(self._observation.array, observation):
            mend = "only read `observation`, and write to `out`"
            raise broken(self.where("transform"), "changed the observation it was given", mend)
        return self._transformed.array.copy()

    def transform_head(self, symmetry: int, head: int) -> int:
        """Return what becomes of a network column under a symmetry."""
        return self._called("transform_head", symmetry, head)

    # ---- for the checks ----

    def defines(self, method: str) -> bool:
        """Return whether the game has an optional method."""
        return bool(self.rules.table[method][0])

    def label(self, method: str) -> str:
        """Name a method, for messages."""
        of_encoder = method in ENCODERS_OWN
        return f"{type(self.game.encoder if of_encoder else self.game).__name__}.{method}"

    def where(self, method: str) -> str:
        """Name a method in this lane, for messages."""
        return f"{self.label(method)} ({self.lane})"

    def record(self, state: np.ndarray) -> Any:
        """Return a copy of a state as a record whose fields are attributes."""
        layout = self.game.state_dtype
        return as_records(state[: layout.itemsize].copy().view(layout))[0]

    def play_out(self, key: int, longest: int) -> int:
        """Play a whole game at random; return its ticks, or -1 if it is longer than `longest`."""
        self._stream.array["key"], self._stream.array["counter"] = key, 0
        scratch, keep = new_scratch(self.game, evaluation=1)
        place = self._put(self.initial())
        arguments = (scratch.ctypes.data, place.address, self._stream.address, longest)
        with blame(f"{type(self.game).__name__} (random games, {self.lane})"):
            ticks = self._drivers["play_out"](self.rules.address, *arguments)
        del keep
        return int(ticks)

    def _put(self, state: np.ndarray) -> Guarded:
        self._turn = 1 - self._turn
        place = self._states[self._turn]
        place.bytes[:] = state
        return place

    def _called(self, method: str, *words: int) -> int:
        with blame(self.where(method)):
            value = self._drivers[method](self.rules.address, *words)
        for what, arrays in self._guarded.items():
            if any([array.breached() for array in arrays]):
                raise broken(self.where(method), f"wrote outside {what}", STAY_INSIDE)
        if value is not None and int(value) != value:
            raise broken(self.where(method), f"returned {value!r}", "return an integer")
        return 0 if value is None else int(value)

    def _asked(self, method: str, state: np.ndarray, *words: int) -> int:
        place = self._put(state)
        value = self._called(method, place.address, *words)
        if place.bytes.tobytes() != state.tobytes():
            fields = ", ".join(self._fields_that_differ(place.bytes, state))
            raise broken(
                self.where(method),
                f"changed the state it was asked about ({fields})",
                "only step, resolve_chance and initial may write to the state",
            )
        return value

    def _changed(self, method: str, state: np.ndarray, *words: int) -> np.ndarray:
        place = self._put(state)
        self._called(method, place.address, *words)
        after = place.bytes.copy()
        if after[self._gaps].any():
            raise broken(
                self.where(method),
                "wrote to bytes of the state that belong to no field",
                "assign to the fields of the state one by one, and index array fields within their length",
            )
        return after

    def _counted(self, method: str, count: int, array: Guarded) -> int:
        most = len(array.array)
        if not 0 <= count <= most:
            raise broken(
                self.where(method),
                f"returned the count {count}; the array has room for {most}",
                "return how many entries were written, at most num_actions, most_outcomes or len(out)",
            )
        return count

    def _fields_that_differ(self, one: np.ndarray, other: np.ndarray) -> list[str]:
        return differing_fields(self.game.state_dtype, one, other) or ["padding"]


def differing_fields(layout: np.dtype, one: np.ndarray, other: np.ndarray) -> list[str]:
    """Return the names of the fields that differ; floats may differ in the last bits."""
    first, second = (state[: layout.itemsize].copy().view(layout)[0] for state in (one, other))
    return [name for name in layout.names or () if not alike(first[name], second[name])]


def alike(one: Any, other: Any) -> bool:
    """Return whether two values are equal; floats may differ in the last bits.

    Compiled code and Python take their mathematical functions from different libraries.
    """
    one, other = np.asarray(one), np.asarray(other)
    if one.shape != other.shape:
        return False
    if one.dtype.names is not None:
        return all(alike(one[name], other[name]) for name in one.dtype.names)
    if one.dtype.kind == "f":
        relative, absolute = (1e-5, 1e-6) if one.dtype.itemsize < 8 else (1e-9, 1e-12)
        return bool(np.allclose(one, other, relative, absolute, equal_nan=True))
    return bool(np.array_equal(one, other))


def new_scratch(game: Game, evaluation: int) -> tuple[np.ndarray, list[Guarded]]:
    """Return a SCRATCH record with the arrays behind it."""
    scratch, keep = np.zeros(1, SCRATCH), []
    for field, (shape, dtype) in scratch_shapes(game, evaluation).items():
        guarded = Guarded(shape, dtype)
        scratch[field] = guarded.address
        keep.append(guarded)
    return scratch, keep
