"""Bytes that say what they are: a magic line, a line of JSON, a payload, and the SHA-256 of all of that.

Reading them executes nothing. The digest tells damage; whether the content makes sense is for the reader to
check.
"""

import hashlib
import json
from typing import Any

DIGEST_SIZE = 32


class Envelope:
    """One kind of sealed bytes.

    Args:
        kind: Its name, in the magic line and in messages.
        schema_version: The version of the format, which the header states.
        largest_header: Bytes that a header has at most.

    Attributes:
        magic: The first line.
    """

    def __init__(self, kind: str, schema_version: int, largest_header: int):
        self.kind = kind
        self.magic = f"rinforza {kind}\n".encode()
        self._schema_version, self._largest_header = schema_version, largest_header

    def seal(self, header: dict[str, Any], payload: bytes) -> bytes:
        """Return header and payload as bytes that `open` reads."""
        line = json.dumps({"schema_version": self._schema_version, **header}).encode()
        self.expect(len(line) < self._largest_header, f"its header would have {len(line)} bytes")
        body = b"".join([self.magic, line, b"\n", payload])
        return body + hashlib.sha256(body).digest()

    def open(self, data: bytes, names: set[str]) -> tuple[dict[str, Any], bytes]:
        """Return header and payload.

        Args:
            data: The bytes; from anywhere.
            names: The names in the header, besides `schema_version`.

        Raises:
            TypeError: If `data` is not bytes.
            ValueError: "invalid KIND: ..." if they are damaged, cut, of another schema, or have another
                header.
        """
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(f"data must be bytes, got {type(data).__name__}")
        data = bytes(data)
        self.expect(data.startswith(self.magic), f"it does not start with {self.magic!r}")
        body, digest = data[:-DIGEST_SIZE], data[-DIGEST_SIZE:]
        whole = hashlib.sha256(body).digest() == digest
        self.expect(whole, "it is cut or damaged (its digest does not match)")
        end = body.find(b"\n", len(self.magic), len(self.magic) + self._largest_header)
        self.expect(end >= 0, f"it has no header of less than {self._largest_header} bytes")
        header = self._header(body[len(self.magic) : end])
        version = header.pop("schema_version", None)
        self.expect(
            type(version) is int and version == self._schema_version,
            f"schema_version is {version!r}, this version reads {self._schema_version}",
        )
        self.expect(header.keys() == names, f"the header does not name just {sorted(names)}")
        return header, body[end + 1 :]

    def _header(self, text: bytes) -> dict[str, Any]:
        try:
            header = json.loads(text.decode("ascii"), parse_constant=_refuse)
        except (ValueError, RecursionError):
            header = None
        if type(header) is not dict:
            raise ValueError(f"invalid {self.kind}: its header is no JSON object")
        return header

    def expect(self, condition: Any, problem: str) -> None:
        """Raise ValueError "invalid KIND: PROBLEM" unless the condition holds."""
        if not condition:
            raise ValueError(f"invalid {self.kind}: {problem}")


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def is_count(value: Any, largest: int) -> bool:
    """Return whether a value from a header is an int from 0 to `largest`."""
    return type(value) is int and 0 <= value <= largest


def is_hex(value: Any, digits: int) -> bool:
    """Return whether a value from a header is a string of that many hex digits."""
    return type(value) is str and len(value) == digits and set(value) <= set("0123456789abcdef")
