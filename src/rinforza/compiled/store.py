"""Where compiled functions are kept between processes: one file each, named by its content digest.

A file is a line of JSON and the object code, under a checksum. Nothing in it is read before the checksum has
passed, and a file that does not pass is compiled anew.
"""

import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

MAGIC = b"rinforza object 2\n"
CHECKSUM_SIZE = 32


class Entry(NamedTuple):
    """One compiled function as it lies on disk.

    Attributes:
        symbols: What the object code needs from the process, by name.
        environments: How many of Numba's environment pointers it holds.
        object_code: The machine code, as the system's linker would take it.
    """

    symbols: list[str]
    environments: int
    object_code: bytes


def cache_folder() -> Path:
    """Return the folder for compiled code: `RINFORZA_CACHE_DIR`, or the user's cache folder.

    Raises:
        RuntimeError: If the system knows no home folder.
    """
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
    except (OSError, RuntimeError):
        return None
    if not raw.startswith(MAGIC):
        return None
    raw = raw[len(MAGIC) :]
    checksum, body = raw[:CHECKSUM_SIZE], raw[CHECKSUM_SIZE:]
    if _checksum(digest, body) != checksum:
        return None
    header, _, object_code = body.partition(b"\n")
    return Entry(**json.loads(header), object_code=object_code)


def save(digest: str, entry: Entry) -> None:
    """Write the entry beside its place and rename it there; a folder that cannot be written is no error."""
    header = json.dumps({"symbols": entry.symbols, "environments": entry.environments}).encode()
    body = header + b"\n" + entry.object_code
    try:
        path = _path(digest)
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, MAGIC + _checksum(digest, body) + body)
    except (OSError, RuntimeError):
        return  # the next process compiles again


def _write(path: Path, content: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.replace(temporary, path)
    except BaseException:  # Ctrl-C too leaves nothing behind
        Path(temporary).unlink(missing_ok=True)
        raise


def _checksum(digest: str, body: bytes) -> bytes:
    return hashlib.sha256(digest.encode() + body).digest()


def _path(digest: str) -> Path:
    return cache_folder() / digest[:2] / digest[2:]
