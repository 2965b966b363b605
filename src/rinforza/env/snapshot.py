"""One game at one moment, as a value and as bytes.

The bytes are a magic line, a line of JSON (schema, fingerprint, layout, sizes, ticks, done), the
state, the random stream (key and counter, little-endian uint64s), and the SHA-256 of all of that.
Reading them executes nothing. The digest tells damage; that a state is safe to use is checked
against the game, in `Env.restore`.
"""

import hashlib
import json
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

import numpy as np

from ..compiled.digest import layout_text

MAGIC = b"rinforza EnvSnapshot\n"
DIGEST_SIZE = 32
STREAM_BYTES = 16
LARGEST_HEADER = 1024
LARGEST_TICKS = (1 << 63) - 1


@dataclass(frozen=True)
class EnvSnapshot:
    """A game in progress that `Env.restore` continues: state, chance to come, ticks.

    Made by `Env.snapshot` or `EnvSnapshot.from_bytes`; equal moments are equal.

    Attributes:
        fingerprint: `Env.config_fingerprint()` of the environment it is from.
        layout: 16 hex digits that stand for the layout of the state.
        ticks: Ticks played since the last reset.
        done: Whether the game is over.
        state: The state's bytes.
        stream: Key and counter of the random stream.
        schema_version: The version of the format, 2.

    Raises:
        ValueError: For a field that no snapshot can have.

    Example:
        >>> import rinforza as rf
        >>> env = rf.Env(rf.games.TicTacToe())
        >>> raw = env.snapshot().to_bytes()
        >>> rf.EnvSnapshot.from_bytes(raw) == env.snapshot()
        True
    """

    schema_version: ClassVar[int] = 2

    fingerprint: str
    layout: str
    ticks: int
    done: bool
    state: bytes = field(repr=False)
    stream: tuple[int, int] = field(repr=False)

    def __post_init__(self):
        _expect(_is_hex(self.fingerprint, 64), "fingerprint is not 64 hex digits")
        _expect(_is_hex(self.layout, 16), "layout is not 16 hex digits")
        _expect(_is_count(self.ticks, LARGEST_TICKS), f"ticks is not an int of 0 to {LARGEST_TICKS}")
        _expect(type(self.done) is bool, "done is not a bool")
        _expect(type(self.state) is bytes and len(self.state) > 0, "state is not bytes")
        words = self.stream if type(self.stream) is tuple and len(self.stream) == 2 else (None,)
        _expect(all(_is_count(word, (1 << 64) - 1) for word in words), "stream is not two uint64s")

    def to_bytes(self) -> bytes:
        """Return the snapshot as bytes that `from_bytes` reads."""
        header = {
            "schema_version": self.schema_version,
            "fingerprint": self.fingerprint,
            "layout": self.layout,
            "ticks": self.ticks,
            "done": self.done,
            "state_size": len(self.state),
        }
        stream = b"".join(word.to_bytes(8, "little") for word in self.stream)
        body = MAGIC + json.dumps(header).encode() + b"\n" + self.state + stream
        return body + hashlib.sha256(body).digest()

    @classmethod
    def from_bytes(cls, data: bytes) -> "EnvSnapshot":
        """Read what `to_bytes` wrote.

        Args:
            data: The bytes; from anywhere, since nothing in them is executed.

        Raises:
            TypeError: If `data` is not bytes.
            ValueError: "invalid EnvSnapshot: ..." if they are damaged, cut, of another schema, or
                followed by more.
        """
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(f"data must be bytes, got {type(data).__name__}")
        header, payload = _opened(bytes(data))
        version = header.pop("schema_version", None)
        _expect(
            type(version) is int and version == cls.schema_version,
            f"schema_version is {version!r}, this version reads {cls.schema_version}",
        )
        expected = {"fingerprint", "layout", "ticks", "done", "state_size"}
        _expect(header.keys() == expected, f"the header does not name just {sorted(expected)}")
        size = header.pop("state_size")
        _expect(_is_count(size, len(payload)), "state_size is not a size")
        _expect(len(payload) == size + STREAM_BYTES, "its size is not the one that the header states")
        stream = payload[size:]
        words = int.from_bytes(stream[:8], "little"), int.from_bytes(stream[8:], "little")
        return cls(**header, state=payload[:size], stream=words)


def _opened(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Check magic and digest; return the header and what follows it."""
    _expect(data.startswith(MAGIC), f"it does not start with {MAGIC!r}")
    body, digest = data[:-DIGEST_SIZE], data[-DIGEST_SIZE:]
    _expect(hashlib.sha256(body).digest() == digest, "it is cut or damaged (its digest does not match)")
    end = body.find(b"\n", len(MAGIC), len(MAGIC) + LARGEST_HEADER)
    _expect(end >= 0, f"it has no header of less than {LARGEST_HEADER} bytes")
    return _header(body[len(MAGIC) : end]), body[end + 1 :]


def _header(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text.decode("ascii"))
    except (ValueError, RecursionError):
        header = None
    if type(header) is not dict:
        raise ValueError("invalid EnvSnapshot: its header is no JSON object")
    return header


def _expect(condition: bool, problem: str) -> None:
    if not condition:
        raise ValueError(f"invalid EnvSnapshot: {problem}")


def _is_count(value: Any, largest: int) -> bool:
    return type(value) is int and 0 <= value <= largest


def _is_hex(value: Any, digits: int) -> bool:
    return type(value) is str and len(value) == digits and set(value) <= set("0123456789abcdef")


def canonical_state(raw: bytes, layout: np.dtype) -> bytes:
    """Return a state read from outside with its padding cleared.

    Raises:
        ValueError: If it has another size than the layout, or a flag that is neither 0 nor 1.
    """
    size = max(8, -(-layout.itemsize // 8) * 8)
    _expect(len(raw) == size, f"the state has {len(raw)} bytes, not the {size} of this game's")
    state = np.frombuffer(raw, np.uint8).copy()
    fields, flags = _bytes_of_fields(layout)
    _expect(not np.any(state[: layout.itemsize][flags] > 1), "the state has a flag that is no bool")
    state[: layout.itemsize][~fields] = 0
    state[layout.itemsize :] = 0
    return state.tobytes()


@cache
def layout_digest(layout: np.dtype) -> str:
    """Return 16 hex digits that change when a state's layout does."""
    return hashlib.sha256(layout_text(layout).encode()).hexdigest()[:16]


@cache
def _bytes_of_fields(layout: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Return two bool masks over a state's bytes: those of any field, and those of bool fields."""
    fields, flags = np.zeros((2, layout.itemsize), bool)
    _mark(layout, 0, fields, flags)
    return fields, flags


def _mark(layout: np.dtype, offset: int, fields: np.ndarray, flags: np.ndarray) -> None:
    if layout.fields is not None:
        for inner, within, *_ in layout.fields.values():
            _mark(inner, offset + within, fields, flags)
    elif layout.shape:
        for place in range(offset, offset + layout.itemsize, layout.base.itemsize):
            _mark(layout.base, place, fields, flags)
    else:
        fields[offset : offset + layout.itemsize] = True
        flags[offset : offset + layout.itemsize] = layout == np.bool_
