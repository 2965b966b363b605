"""An engine with all that belongs to it, as one set of files on disk: either whole, or not there.

A folder of checkpoints holds one subfolder for each, numbered, and a file `latest` with the name of the newest. A
set is written beside the others, pushed to the disk, renamed, and only then pointed to. Whatever instant a
process is killed at, `latest` names a whole set, the new one or the one before.
"""

import hashlib
import json
import logging
import math
import os
import re
import reprlib
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from .contracts.arguments import integer
from .engine import Engine, EngineSnapshot

SCHEMA_VERSION = 1
POINTER, MANIFEST, SNAPSHOT = "latest", "manifest.json", "engine.snapshot"
UNFINISHED = ".writing-"  # how the folder of a set begins that is being written
DIGITS = 8
SET_NAME = re.compile(f"[0-9]{{{DIGITS}}}")
DIGEST = "sha256"  # in the manifest: that of all the rest of it
EXTRA_KINDS = ("bin", "npz", "file")
LOGGER = logging.getLogger(__name__)


class Checkpoint(NamedTuple):
    """What `load` returns.

    Attributes:
        path: The folder of the set.
        snapshot: For `Engine.restore`.
        config: For `engine_from_config`.
        extras: What `save` was given, by name: bytes, dicts of arrays and plain values as they were; for what
            a function wrote, the path of its file.
    """

    path: Path
    snapshot: EngineSnapshot
    config: dict[str, Any]
    extras: dict[str, Any]


def save(
    folder: str | os.PathLike[str],
    engine: Engine,
    *,
    policy_version: int | str | None = None,
    keep: int = 2,
    **extras: Any,
) -> Path:
    """Write an engine's snapshot, its configuration and extras as one set.

    Only one program at a time may write to a folder.

    Args:
        folder: The folder of the checkpoints; it is made if need be.
        engine: The engine, which nobody may be using.
        policy_version: As for `Engine.snapshot`.
        keep: How many sets to keep, the new one included, >= 1; older ones are deleted.
        **extras: What belongs to it: bytes, a dict of NumPy arrays, a value that JSON knows, or a function that
            is called with a path and writes a file there, such as
            `lambda path: torch.save(model.state_dict(), path)`.

    Returns:
        The folder of the set.

    Raises:
        TypeError: If `engine` is no engine, for an extra of another kind, or for arrays under a name that is no
            string.
        ValueError: If `keep` is below 1, the name of an extra is no identifier, or an archive cannot keep the
            name of an array.
        RuntimeError: If the engine is in use.
        OSError: If the disk is full, say. The sets before stay as they were.

    Example:
        >>> import tempfile
        >>> import rinforza as rf
        >>> engine = rf.Engine(rf.games.GridWorld(), None, rf.policies.EpsilonGreedyQ(), rf.learners.Dqn(), 2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = rf.checkpoint.save(folder, engine, epoch=3, model=b"weights")
        ...     checkpoint = rf.checkpoint.load(folder)
        >>> engine.restore(checkpoint.snapshot)
        >>> checkpoint.extras["epoch"]
        3
    """
    if not isinstance(engine, Engine):
        raise TypeError(
            f"engine must be a rinforza.Engine, got {reprlib.repr(engine)} of type {type(engine).__name__}"
        )
    if integer("keep", keep, 0) < 1:
        raise ValueError(f"keep must be >= 1, got {keep}")
    plain, files = _sorted_extras(extras)
    manifest = {"schema_version": SCHEMA_VERSION, "config": engine.resolved_config(), "values": plain}
    raw = engine.snapshot(policy_version).to_bytes()
    root = Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    for left_over in root.glob(f"{UNFINISHED}*"):
        shutil.rmtree(left_over)
    unfinished = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=root))
    try:
        for name, write in {SNAPSHOT: _writer(raw), **files}.items():
            write(unfinished / name)
        written = {name: _description(unfinished / name) for name in (SNAPSHOT, *files)}
        manifest["files"] = written
        text = json.dumps({**manifest, DIGEST: _digest(manifest)}, indent=1)
        _writer(text.encode())(unfinished / MANIFEST)
        for name in (*written, MANIFEST):
            _push_to_disk(unfinished / name)
        _push_to_disk(unfinished)
        path = root / f"{max(_numbers(root), default=0) + 1:0{DIGITS}}"
        os.rename(unfinished, path)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    _point_to(root, path.name)
    LOGGER.info("saved checkpoint %s", path)
    for number in sorted(_numbers(root))[:-keep]:
        shutil.rmtree(root / f"{number:0{DIGITS}}")
    return path


def load(folder: str | os.PathLike[str]) -> Checkpoint:
    """Read the newest set of a folder, or a set itself.

    Args:
        folder: The folder that `save` was given, or one that it returned.

    Raises:
        FileNotFoundError: If there is no checkpoint.
        ValueError: "invalid checkpoint ..." if a file is damaged or missing. Nothing in them is executed.
    """
    path = Path(folder)
    if not (path / MANIFEST).exists():
        if not (path / POINTER).is_file():
            raise FileNotFoundError(f"there is no checkpoint in {path}: it has no file {POINTER!r}")
        name = (path / POINTER).read_text(errors="replace").strip()
        _expect(
            path, SET_NAME.fullmatch(name), f"{reprlib.repr(name)} in {POINTER!r} is no name of a set in it"
        )
        path = path / name
    manifest = _manifest(path)
    extras: dict[str, Any] = dict(manifest["values"])
    for name, description in manifest["files"].items():
        stem = _stem(path, name)
        _expect(path, (path / name).is_file(), f"{name} is missing")
        _expect(path, _description(path / name) == description, f"{name} is damaged")
        if name != SNAPSHOT:
            _expect(path, stem not in extras, f"it has two extras {stem!r}")
            extras[stem] = _read_extra(path / name)
    _expect(path, SNAPSHOT in manifest["files"], "it has no snapshot")
    try:
        snapshot = EngineSnapshot.from_bytes((path / SNAPSHOT).read_bytes())
    except ValueError as error:
        raise ValueError(f"invalid checkpoint {path}: {SNAPSHOT} is damaged: {error}") from error
    return Checkpoint(path, snapshot, manifest["config"], extras)


def _sorted_extras(extras: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Callable[[Path], Any]]]:
    """Return the extras for the manifest, and what writes the files of the others."""
    plain: dict[str, Any] = {}
    files: dict[str, Callable[[Path], Any]] = {}
    for name, value in extras.items():
        if not name.isidentifier() or name == Path(SNAPSHOT).stem:
            raise ValueError(f"the name of an extra must be an identifier, and not 'engine'; got {name!r}")
        if isinstance(value, bytes | bytearray):
            files[f"{name}.bin"] = _writer(bytes(value))
        elif (
            isinstance(value, dict) and value and all(isinstance(item, np.ndarray) for item in value.values())
        ):
            files[f"{name}.npz"] = _writer(_packed(name, value))
        elif callable(value):
            files[f"{name}.file"] = value
        else:
            plain[name] = _plain(name, value)
    return plain, files


def _packed(name: str, arrays: dict[str, np.ndarray]) -> bytes:
    """Return arrays as `np.savez` writes them, which cannot take every name itself."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for key, array in arrays.items():
            if not isinstance(key, str):
                raise TypeError(
                    f"the arrays of {name!r} must have strings for names, "
                    f"got {reprlib.repr(key)} of type {type(key).__name__}"
                )
            if array.dtype.hasobject:
                raise TypeError(f"the arrays of {name!r} must hold numbers, not Python objects")
            member = f"{key}.npy"
            if not _keeps(member):
                raise ValueError(
                    f"an archive cannot keep the name {reprlib.repr(key)} of an array of {name!r}"
                )
            with archive.open(member, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    return buffer.getvalue()


def _keeps(member: str) -> bool:
    """Return whether an archive gives back a name as it is: not one with a NUL, or half a character."""
    try:
        return len(member.encode()) < 1 << 16 and zipfile.ZipInfo(member).filename == member
    except UnicodeEncodeError:
        return False


def _plain(name: str, value: Any) -> Any:
    copied, same = None, False
    try:
        if _is_plain(value):
            copied = json.loads(json.dumps(value))
            same = copied == value
    except (ValueError, RecursionError):
        pass  # too large a number, too deep a list
    if not same:
        raise TypeError(
            f"the extra {name!r} must be bytes, a dict of NumPy arrays, a value that JSON gives back as it is, "
            f"or a function that writes a file; got {type(value).__name__}"
        )
    return copied


def _is_plain(value: Any) -> bool:
    """Return whether a value consists of what JSON knows, and can so be compared."""
    if isinstance(value, list):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str | int)


def _writer(data: bytes) -> Callable[[Path], Any]:
    return lambda path: path.write_bytes(data)


def _description(path: Path) -> dict[str, Any]:
    """Return size and SHA-256 of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"size": path.stat().st_size, "sha256": digest}


def _push_to_disk(path: Path) -> None:
    """Wait until a file or folder has reached the disk."""
    if os.name == "nt" and path.is_dir():
        return  # Windows keeps folders itself
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _point_to(root: Path, name: str) -> None:
    """Make a set the latest."""
    beside = root / f".{POINTER}"
    beside.write_text(f"{name}\n")
    _push_to_disk(beside)
    os.replace(beside, root / POINTER)
    _push_to_disk(root)


def _numbers(root: Path) -> list[int]:
    return [int(path.name) for path in root.iterdir() if SET_NAME.fullmatch(path.name)]


def _expect(path: Path, condition: Any, problem: str) -> None:
    if not condition:
        raise ValueError(f"invalid checkpoint {path}: {problem}")


def _stem(path: Path, name: str) -> str:
    """Return the name of an extra from that of its file; refuse what `save` gives no file, such as a path."""
    stem, _, kind = name.partition(".")
    known = name == SNAPSHOT or (stem.isidentifier() and kind in EXTRA_KINDS)
    _expect(path, known and len(os.fsencode(name)) < 256, f"{reprlib.repr(name)} is no name of a file in it")
    return stem


def _digest(manifest: dict[str, Any]) -> str:
    """Return the SHA-256 of a manifest without its digest; how it is indented does not matter."""
    return hashlib.sha256(json.dumps(manifest).encode()).hexdigest()


def _manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((path / MANIFEST).read_bytes())
        stated = manifest.pop(DIGEST, None) if type(manifest) is dict else None
        whole = stated == _digest(manifest)
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"invalid checkpoint {path}: its {MANIFEST} cannot be read: {error}") from error
    _expect(path, type(manifest) is dict, f"its {MANIFEST} is no JSON object")
    version = manifest.get("schema_version")
    readable = type(version) is int and version == SCHEMA_VERSION
    _expect(path, readable, f"schema_version is {version!r}, this version reads {SCHEMA_VERSION}")
    _expect(path, whole, f"its {MANIFEST} is damaged (its digest does not match)")
    for name in ("config", "values", "files"):
        _expect(path, type(manifest.get(name)) is dict, f"its {MANIFEST} has no {name}")
    return manifest


def _read_extra(path: Path) -> Any:
    if path.suffix == ".bin":
        return path.read_bytes()
    if path.suffix == ".npz":
        try:
            return _unpacked(path)
        except Exception as error:  # NumPy and zipfile raise nearly anything, also for sizes that are made up
            raise ValueError(f"invalid checkpoint {path.parent}: {path.name} is damaged: {error}") from error
    return path


def _unpacked(path: Path) -> dict[str, np.ndarray]:
    """Read what `_packed` wrote; no more memory is taken than the file has bytes, and nothing is executed."""
    arrays: dict[str, np.ndarray] = {}
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > path.stat().st_size:
            raise ValueError("its arrays would be larger than the file")
        for member in members:
            key, dot, rest = member.filename.rpartition(".npy")
            if not dot or rest or key in arrays or member.compress_type != zipfile.ZIP_STORED:
                raise ValueError(f"{reprlib.repr(member.filename)} is no array as it was saved")
            with archive.open(member) as file:
                arrays[key] = _read_array(file)
    return arrays


def _read_array(file: IO[bytes]) -> np.ndarray:
    array = np.lib.format.read_array(file, allow_pickle=False)
    if file.read(1):
        raise ValueError("more follows an array than its header states")
    return array
