"""An engine with all that belongs to it, as one set of files on disk: either whole, or not there.

A folder of checkpoints holds one subfolder for each, numbered, and a file `latest` with the name of the newest. A
set is written beside the others, pushed to the disk, renamed, and only then pointed to. Whatever instant a
process is killed at, `latest` names a whole set, the new one or the one before.
"""

import hashlib
import json
import logging
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .contracts.arguments import integer
from .engine import Engine, EngineSnapshot

SCHEMA_VERSION = 1
POINTER, MANIFEST, SNAPSHOT = "latest", "manifest.json", "engine.snapshot"
UNFINISHED = ".writing-"  # how the folder of a set begins that is being written
DIGITS = 8
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
        TypeError: For an extra of another kind.
        ValueError: If `keep` is below 1 or the name of an extra is no identifier.
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
        text = json.dumps({**manifest, "files": written}, indent=1)
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
        if not (path / POINTER).exists():
            raise FileNotFoundError(f"there is no checkpoint in {path}: it has no file {POINTER!r}")
        path = path / _checked_name(path, (path / POINTER).read_text(errors="replace").strip())
    manifest = _manifest(path)
    extras: dict[str, Any] = dict(manifest["values"])
    for name, description in manifest["files"].items():
        _expect(path, _checked_name(path, name) and (path / name).is_file(), f"{name} is missing")
        _expect(path, _description(path / name) == description, f"{name} is damaged")
        stem, _, kind = name.partition(".")
        if name != SNAPSHOT:
            extras[stem] = _read_extra(path / name, kind)
    _expect(path, SNAPSHOT in manifest["files"], "it has no snapshot")
    snapshot = EngineSnapshot.from_bytes((path / SNAPSHOT).read_bytes())
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
    if any(array.dtype.hasobject for array in arrays.values()):
        raise TypeError(f"the arrays of {name!r} must hold numbers, not Python objects")
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:  # as `np.savez`, which cannot take every name
        for key, array in arrays.items():
            with archive.open(f"{key}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    return buffer.getvalue()


def _plain(name: str, value: Any) -> Any:
    try:
        copied = json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError) as error:
        copied = error
    if copied != value:
        raise TypeError(
            f"the extra {name!r} must be bytes, a dict of NumPy arrays, a value that JSON gives back as it is, "
            f"or a function that writes a file; got {type(value).__name__}"
        )
    return copied


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
    return [int(path.name) for path in root.iterdir() if path.name.isdecimal() and len(path.name) == DIGITS]


def _expect(path: Path, condition: Any, problem: str) -> None:
    if not condition:
        raise ValueError(f"invalid checkpoint {path}: {problem}")


def _checked_name(path: Path, name: str) -> str:
    """Refuse a name that leads out of the folder."""
    _expect(path, name and Path(name).name == name, f"{name!r} is no name of a file in it")
    return name


def _manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((path / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"invalid checkpoint {path}: its {MANIFEST} cannot be read: {error}") from error
    _expect(path, type(manifest) is dict, f"its {MANIFEST} is no JSON object")
    version = manifest.get("schema_version")
    readable = type(version) is int and version == SCHEMA_VERSION
    _expect(path, readable, f"schema_version is {version!r}, this version reads {SCHEMA_VERSION}")
    for name in ("config", "values", "files"):
        _expect(path, type(manifest.get(name)) is dict, f"its {MANIFEST} has no {name}")
    return manifest


def _read_extra(path: Path, kind: str) -> Any:
    if kind == "bin":
        return path.read_bytes()
    if kind == "npz":
        try:
            with np.load(path, allow_pickle=False) as arrays:
                return dict(arrays)
        except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(
                f"invalid checkpoint {path.parent}: {path.name} cannot be read: {error}"
            ) from error
    return path
