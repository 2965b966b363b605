"""Where compiled functions are kept between processes: one file each, named by its content digest.

A file is a line of JSON (symbol names), the object code and the interface bitcode, under a checksum. Nothing
in it is executed or unpickled before the checksum has passed, and a file that does not pass is compiled anew.
"""

import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

MAGIC = b"rinforza object 1\n"


class Entry(NamedTuple):
    """One compiled function as it lies on disk."""

    symbols: dict[str, str]
    object_code: bytes
    bitcode: bytes


def cache_folder() -> Path:
    """Return the folder for compiled code: `RINFORZA_CACHE_DIR`, or the user's cache folder."""
    chosen = os.environ.get("RINFORZA_CACHE_DIR")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "rinforza"


def load(digest: str) -> Entry | None:
    """Return the entry, or None when there is none that is whole."""
    try:
        raw = _path(digest).read_bytes()
    except OSError:
        return None
    if not raw.startswith(MAGIC):
        return None
    checksum, body = raw[len(MAGIC) : len(MAGIC) + 32], raw[len(MAGIC) + 32 :]
    if hashlib.sha256(digest.encode() + body).digest() != checksum:
        return None
    header, _, blob = body.partition(b"\n")
    fields = json.loads(header)
    size = fields.pop("object_size")
    return Entry(fields, blob[:size], blob[size:])


def save(digest: str, entry: Entry) -> None:
    """Write the entry beside its place and rename it there; a folder that cannot be written is no error."""
    header = json.dumps({**entry.symbols, "object_size": len(entry.object_code)}).encode()
    body = header + b"\n" + entry.object_code + entry.bitcode
    raw = MAGIC + hashlib.sha256(digest.encode() + body).digest() + body
    path = _path(digest)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(raw)
            os.replace(temporary, path)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError:
        return  # the next process compiles again


def _path(digest: str) -> Path:
    return cache_folder() / digest[:2] / digest[2:]
