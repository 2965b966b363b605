"""An engine at one moment, as a value and as bytes.

The header holds the composition, versions and counts, and lists the arrays by name, type and shape; the
payload is those arrays, one after the other, little-endian. Here is checked what can be checked without an
engine; that the content makes sense for one is checked in `restoring`.
"""

import reprlib
from collections.abc import Mapping
from math import prod
from typing import Any, ClassVar

import numpy as np

from ..contracts.configuration import fingerprint
from ..contracts.envelope import Envelope, is_count, is_hex

SCHEMA_VERSION = 1
LARGEST_HEADER = 1 << 24  # a composition may have tables among its parameters
LARGEST_COUNT = (1 << 63) - 1
DTYPES = ("|b1", "|u1", "|i1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8")
ENVELOPE = Envelope("EngineSnapshot", SCHEMA_VERSION, LARGEST_HEADER)

PolicyVersion = int | str | None


class EngineSnapshot:
    """Many games in progress that `Engine.restore` continues.

    Made by `Engine.snapshot` or `EngineSnapshot.from_bytes`; equal moments are equal.

    Args:
        header: What is not an array.
        arrays: The arrays by name.

    Attributes:
        fingerprint: 64 hex digits that stand for the composition it goes with.
        composition: The part of `Engine.resolved_config()` on which the games depend.
        policy_version: What `Engine.snapshot` was given.
        weights_generation: How often `Engine.weights_updated` had been called.
        schema_version: The version of the format, 1.

    Raises:
        ValueError: For a header that no snapshot can have.

    Example:
        >>> import numpy as np
        >>> import rinforza as rf
        >>> engine = rf.Engine(
        ...     rf.games.TicTacToe(), None, rf.policies.AlphaZero(8), rf.learners.AlphaZero(), n_games=4
        ... )
        >>> batch = engine.collect(8, lambda obs: (np.zeros((len(obs), 9)), np.zeros(len(obs))))
        >>> raw = engine.snapshot(policy_version=1).to_bytes()
        >>> engine.restore(rf.EngineSnapshot.from_bytes(raw), expect_policy_version=1)
    """

    schema_version: ClassVar[int] = SCHEMA_VERSION

    def __init__(self, header: dict[str, Any], arrays: dict[str, np.ndarray]):
        self._header, self.arrays = header, arrays
        _check_header(header)
        self.composition: dict[str, Any] = header["composition"]
        self.fingerprint = fingerprint(self.composition)
        self.policy_version: PolicyVersion = header["policy_version"]
        self.weights_generation: int = header["weights_generation"]

    @property
    def header(self) -> Mapping[str, Any]:
        """What is not an array."""
        return self._header

    def to_bytes(self) -> bytes:
        """Return the snapshot as bytes that `from_bytes` reads."""
        listed = [[name, array.dtype.str, list(array.shape)] for name, array in self.arrays.items()]
        parts = [np.ascontiguousarray(array).tobytes() for array in self.arrays.values()]
        return ENVELOPE.seal({**self._header, "arrays": listed}, b"".join(parts))

    @classmethod
    def from_bytes(cls, data: bytes) -> "EngineSnapshot":
        """Read what `to_bytes` wrote.

        Args:
            data: The bytes; from anywhere, since nothing in them is executed.

        Raises:
            TypeError: If `data` is not bytes.
            ValueError: "invalid EngineSnapshot: ..." if they are damaged, cut, of another schema, or followed
                by more.
        """
        header, payload = ENVELOPE.open(data, {*HEADER, "arrays"})
        return cls(header, _read_arrays(header.pop("arrays"), payload))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EngineSnapshot) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __repr__(self) -> str:
        size = sum(array.nbytes for array in self.arrays.values())
        return (
            f"<EngineSnapshot {self.fingerprint[:8]}, policy_version={self.policy_version!r}, "
            f"weights_generation={self.weights_generation}, {size} bytes>"
        )


def _read_arrays(listed: Any, payload: bytes) -> dict[str, np.ndarray]:
    """Cut the payload into the listed arrays, which are read-only views of it."""
    ENVELOPE.expect(type(listed) is list, "arrays is not a list")
    arrays: dict[str, np.ndarray] = {}
    place = 0
    for entry in listed:
        ENVELOPE.expect(
            type(entry) is list and len(entry) == 3, "an array is not listed by name, type, shape"
        )
        name, array = _read_array(entry[0], entry[1], entry[2], payload, place)
        ENVELOPE.expect(name not in arrays, f"it has two arrays {name!r}")
        arrays[name] = array
        place += array.nbytes
    ENVELOPE.expect(place == len(payload), "its size is not the one that the header states")
    return arrays


def _read_array(name: Any, kind: Any, shape: Any, payload: bytes, place: int) -> tuple[str, np.ndarray]:
    """Check how an array is listed; return its name, and a view of the payload from `place` on."""
    ENVELOPE.expect(type(name) is str, "the name of an array is no string")
    ENVELOPE.expect(kind in DTYPES, f"the array {name!r} has no known type")
    known = type(shape) is list and len(shape) < 8 and all(is_count(axis, LARGEST_COUNT) for axis in shape)
    ENVELOPE.expect(known, f"the array {name!r} has no shape")
    dtype, count = np.dtype(kind), prod(shape)
    ENVELOPE.expect(count * dtype.itemsize <= len(payload) - place, f"the array {name!r} is cut")
    array = np.frombuffer(payload, dtype, count, place).reshape(shape)
    flags = kind != "|b1" or array.view(np.uint8).max(initial=0) < 2
    ENVELOPE.expect(flags, f"the array {name!r} holds what is no bool")
    return name, array


def check_goes_with(
    snapshot: EngineSnapshot, composition: dict[str, Any], layout: str, policy_version: PolicyVersion
) -> None:
    """Refuse a snapshot of another composition or version.

    Args:
        snapshot: The snapshot.
        composition: The engine's.
        layout: The digest of its states' layout.
        policy_version: The version that is expected; None for any.

    Raises:
        ValueError: Naming the first difference.
    """
    own = fingerprint(composition)
    if snapshot.fingerprint != own:
        raise ValueError(
            f"snapshot is from a different composition: its fingerprint is {snapshot.fingerprint}, "
            f"this engine's is {own}; {difference(snapshot.composition, composition)}"
        )
    if snapshot.header["layout"] != layout:
        raise ValueError(
            "snapshot is from a different composition: the states of "
            f"{composition['game']['name']!r} had another layout when it was made"
        )
    if policy_version is not None and snapshot.policy_version != policy_version:
        raise ValueError(
            f"policy_version mismatch: the snapshot has {snapshot.policy_version!r}, "
            f"expected {policy_version!r}"
        )


def difference(theirs: Any, own: Any, path: str = "") -> str:
    """Say where two configurations first differ."""
    if isinstance(theirs, dict) and isinstance(own, dict):
        for key in [*own, *theirs]:
            if theirs.get(key, _ABSENT) != own.get(key, _ABSENT):
                where = f"{path}.{key}" if path else key
                return difference(theirs.get(key, _ABSENT), own.get(key, _ABSENT), where)
    return f"{path} is {_short(theirs)} in the snapshot and {_short(own)} here"


_ABSENT = object()


def _short(value: Any) -> str:
    return "absent" if value is _ABSENT else reprlib.repr(value)


def is_policy_version(value: Any) -> bool:
    """Return whether a value can be a policy_version: an int, a string or None."""
    return value is None or type(value) in (int, str)


def _is_settings(value: Any) -> bool:
    return type(value) is dict and all(type(number) in (int, float, bool) for number in value.values())


def _is_counters(value: Any) -> bool:
    return type(value) is dict and all(
        type(number) in (int, float) and 0 <= number <= LARGEST_COUNT for number in value.values()
    )


# What each entry of the header must be.
HEADER = {
    "composition": lambda value: type(value) is dict,
    "layout": lambda value: is_hex(value, 16),  # of the states
    "policy_version": is_policy_version,
    "weights_generation": lambda value: is_count(value, LARGEST_COUNT),
    "settings": _is_settings,  # what `Engine.set` has set
    "active": _is_settings,  # and what of it the collection under way began with
    "sweep": lambda value: type(value) is int and -1 <= value <= LARGEST_COUNT,
    "collecting": lambda value: type(value) is bool,  # whether a collection was cut short
    "counters": _is_counters,  # what it has measured
    "n_queues": lambda value: is_count(value, LARGEST_COUNT),
    "window_queue": lambda value: is_count(value, LARGEST_COUNT),
}


def _check_header(header: dict[str, Any]) -> None:
    for name, is_right in HEADER.items():
        ENVELOPE.expect(is_right(header[name]), f"{name} is not what it should be")
