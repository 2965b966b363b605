"""A solver's tables as bytes: a sealed header that names each array, then the arrays, little-endian.

Reading them executes nothing.
"""

from typing import Any

import numpy as np

from ..contracts.envelope import Envelope, is_count

SCHEMA_VERSION = 1
LARGEST_HEADER = 4096
ENVELOPE = Envelope("Cfr", SCHEMA_VERSION, LARGEST_HEADER)
LARGEST_LENGTH = 1 << 40
KINDS = {"i1": 1, "u1": 1, "i4": 4, "i8": 8, "u8": 8, "f8": 8}


def to_bytes(fingerprint: str, arrays: dict[str, np.ndarray]) -> bytes:
    """Return one-dimensional arrays, and what they belong to, as bytes."""
    listed = [
        [name, f"{array.dtype.kind}{array.dtype.itemsize}", len(array)] for name, array in arrays.items()
    ]
    payload = b"".join(array.astype(array.dtype.newbyteorder("<")).tobytes() for array in arrays.values())
    return ENVELOPE.seal({"fingerprint": fingerprint, "arrays": listed}, payload)


def from_bytes(data: bytes, fingerprint: str, expected: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays, which have the names and dtypes of `expected`, and only finite numbers.

    Raises:
        TypeError: If `data` is not bytes.
        ValueError: "invalid Cfr: ..." if they are damaged, cut, or belong to something else.
    """
    header, payload = ENVELOPE.open(data, {"fingerprint", "arrays"})
    same = header["fingerprint"] == fingerprint
    ENVELOPE.expect(same, "it was saved by another composition (game, encoder, variant or parameters)")
    listed = _checked_listing(header["arrays"])
    kinds = {name: f"{array.dtype.kind}{array.dtype.itemsize}" for name, array in expected.items()}
    same = len(listed) == len(kinds) and {name: kind for name, kind, _ in listed} == kinds
    ENVELOPE.expect(same, "it has other tables")
    sizes = [KINDS[kind] * length for _, kind, length in listed]
    ENVELOPE.expect(sum(sizes) == len(payload), "its size is not the one that the header states")
    arrays, begin = {}, 0
    for (name, kind, _), size in zip(listed, sizes, strict=True):
        array = np.frombuffer(payload[begin : begin + size], f"<{kind}").astype(np.dtype(kind))
        ENVELOPE.expect(np.isfinite(array).all(), f"{name} is not finite throughout")
        arrays[name] = array
        begin += size
    return arrays


def _checked_listing(listed: Any) -> list[tuple[str, str, int]]:
    """Return name, dtype and length of each array, as a header lists them."""
    ENVELOPE.expect(isinstance(listed, list) and all(map(_is_entry, listed)), "it lists no arrays")
    return [(name, kind, length) for name, kind, length in listed]


def _is_entry(entry: Any) -> bool:
    if type(entry) is not list or len(entry) != 3:
        return False
    name, kind, length = entry
    return type(name) is str and kind in KINDS and is_count(length, LARGEST_LENGTH)
