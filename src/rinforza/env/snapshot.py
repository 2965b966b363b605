"""One game at one moment, as a value and as bytes.

The header names schema, fingerprint, layout, sizes, ticks, done; the payload is the state and the random
stream (key and counter, little-endian uint64s). That a state is safe to use is checked against the game, in
`Env.restore`.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ..contracts.envelope import Envelope, is_count, is_hex
from ..contracts.state_bytes import clear_padding, size_in_tables

SCHEMA_VERSION = 2
STREAM_BYTES = 16
LARGEST_HEADER = 1024
LARGEST_TICKS = (1 << 63) - 1
ENVELOPE = Envelope("EnvSnapshot", SCHEMA_VERSION, LARGEST_HEADER)


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

    schema_version: ClassVar[int] = SCHEMA_VERSION

    fingerprint: str
    layout: str
    ticks: int
    done: bool
    state: bytes = field(repr=False)
    stream: tuple[int, int] = field(repr=False)

    def __post_init__(self):
        ENVELOPE.expect(is_hex(self.fingerprint, 64), "fingerprint is not 64 hex digits")
        ENVELOPE.expect(is_hex(self.layout, 16), "layout is not 16 hex digits")
        ENVELOPE.expect(is_count(self.ticks, LARGEST_TICKS), f"ticks is not an int of 0 to {LARGEST_TICKS}")
        ENVELOPE.expect(type(self.done) is bool, "done is not a bool")
        ENVELOPE.expect(type(self.state) is bytes and len(self.state) > 0, "state is not bytes")
        words = self.stream if type(self.stream) is tuple and len(self.stream) == 2 else (None,)
        ENVELOPE.expect(all(is_count(word, (1 << 64) - 1) for word in words), "stream is not two uint64s")

    def to_bytes(self) -> bytes:
        """Return the snapshot as bytes that `from_bytes` reads."""
        header = {
            "fingerprint": self.fingerprint,
            "layout": self.layout,
            "ticks": self.ticks,
            "done": self.done,
            "state_size": len(self.state),
        }
        stream = b"".join(word.to_bytes(8, "little") for word in self.stream)
        return ENVELOPE.seal(header, self.state + stream)

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
        names = {"fingerprint", "layout", "ticks", "done", "state_size"}
        header, payload = ENVELOPE.open(data, names)
        size = header.pop("state_size")
        ENVELOPE.expect(is_count(size, len(payload)), "state_size is not a size")
        ENVELOPE.expect(len(payload) == size + STREAM_BYTES, "its size is not the one that the header states")
        stream = payload[size:]
        words = int.from_bytes(stream[:8], "little"), int.from_bytes(stream[8:], "little")
        return cls(**header, state=payload[:size], stream=words)


def canonical_state(raw: bytes, layout: np.dtype) -> bytes:
    """Return a state read from outside with its padding cleared.

    Raises:
        ValueError: If it has another size than the layout, or a flag that is neither 0 nor 1.
    """
    size = size_in_tables(layout)
    ENVELOPE.expect(len(raw) == size, f"the state has {len(raw)} bytes, not the {size} of this game's")
    state = np.frombuffer(raw, np.uint8).copy()
    ENVELOPE.expect(clear_padding(state[None], layout), "the state has a flag that is no bool")
    return state.tobytes()
