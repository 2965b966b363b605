"""Checkpoints: matched sets that are whole or not there."""

import hashlib
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import rinforza as rf
from tests.engine.compositions import data, q_composition, search_composition
from tests.engine.test_failures import Flaky, NetworkError

ROOT = Path(__file__).parents[1]


def test_what_is_saved_is_loaded(tmp_path):
    composition = search_composition()
    engine = composition.engine(3)
    with pytest.raises(NetworkError):
        engine.collect(20, Flaky(composition.network, {9}))
    weights = {"layer.0/weight": np.arange(6.0).reshape(2, 3), "file": np.ones(2, np.int8)}
    extras = {"epoch": 3, "note": {"rate": [0.5, None]}, "raw": b"\0\xff", "weights": weights}
    path = rf.checkpoint.save(
        tmp_path / "run", engine, policy_version=3, text=lambda path: path.write_text("by hand"), **extras
    )
    for place in (tmp_path / "run", path, str(path)):
        loaded = rf.checkpoint.load(place)
        assert Path(loaded.path) == path
        assert loaded.snapshot == engine.snapshot(3)
        assert loaded.config == engine.resolved_config()
        assert loaded.extras.pop("text").read_text() == "by hand"
        found = loaded.extras.pop("weights")
        assert {key: array.tolist() for key, array in found.items()} == {
            key: array.tolist() for key, array in weights.items()
        }
        assert found["file"].dtype == np.int8
        assert loaded.extras == {key: value for key, value in extras.items() if key != "weights"}
    other = composition.engine(3)
    other.restore(loaded.snapshot, expect_policy_version=3)
    assert data(other.collect(20, composition.network)) == data(engine.collect(20, composition.network))


def test_older_sets_are_deleted(tmp_path):
    engine = q_composition().engine(2)
    paths = [rf.checkpoint.save(tmp_path, engine, keep=3, number=number) for number in range(5)]
    assert [path.exists() for path in paths] == [False, False, True, True, True]
    assert [rf.checkpoint.load(path).extras["number"] for path in paths[2:]] == [2, 3, 4]
    assert rf.checkpoint.load(tmp_path).path == paths[-1]
    rf.checkpoint.save(tmp_path, engine, keep=1)
    assert len(list(tmp_path.iterdir())) == 2  # the set, and what points to it


class Crash(BaseException):
    """The power fails."""


class PowerCut:
    """Lets every call of the system functions fail after a number of them, as if the process had ended.

    Args:
        monkeypatch: Replaces them.
        calls: How many calls go well.
        late: Whether the first one that fails has its effect.
    """

    names = ("fsync", "rename", "replace", "close", "mkdir")

    def __init__(self, monkeypatch, calls, late):
        self.left = calls
        self.late = late
        for name in self.names:
            monkeypatch.setattr(os, name, self.failing(getattr(os, name)))
        monkeypatch.setattr(shutil, "rmtree", self.failing(shutil.rmtree))

    def failing(self, function):
        def call(*arguments, **keywords):
            self.left -= 1
            if self.left == -1 and self.late:
                function(*arguments, **keywords)
            if self.left < 0:
                raise Crash
            return function(*arguments, **keywords)

        return call


@pytest.mark.parametrize("late", [False, True])
def test_a_crash_at_any_instant_leaves_a_whole_set(tmp_path, late):
    engine = q_composition().engine(2)
    newest, crashes = 0, 0
    rf.checkpoint.save(tmp_path, engine, number=0, model=b"0")
    for calls in range(60):
        with pytest.MonkeyPatch.context() as monkeypatch:
            PowerCut(monkeypatch, calls, late)
            try:
                rf.checkpoint.save(tmp_path, engine, number=newest + 1, model=b"%d" % (newest + 1))
            except Crash:
                crashes += 1
        loaded = rf.checkpoint.load(tmp_path)
        assert loaded.extras["number"] in (newest, newest + 1)
        assert loaded.extras["model"] == b"%d" % loaded.extras["number"]
        newest = loaded.extras["number"]
    assert 50 > crashes > 8
    rf.checkpoint.save(tmp_path, engine)
    assert all(name.isdecimal() or name == "latest" for name in os.listdir(tmp_path))


def train(folder, kill_after=None):
    """Run the training script, kill it after some lines or batches; return what it printed last."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    child = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("training_process.py")), str(folder)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    last = ""
    with child:
        for number, line in enumerate(child.stdout):
            last = line.strip()
            if number == kill_after:
                child.send_signal(signal.SIGKILL)
                break
    return last


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no process can be killed at any instant here")
@pytest.mark.parametrize("kills", [4, pytest.param(50, marks=pytest.mark.slow)])
def test_a_killed_training_goes_on_as_if_it_had_not_been(tmp_path, kills):
    generator = random.Random(3)
    expected = train(tmp_path / "usual")
    assert len(expected) == 64
    for _ in range(kills):
        train(tmp_path / "killed", generator.randrange(max(2, 40 // kills)))
    assert train(tmp_path / "killed") == expected


def nested(depth):
    """A list in a list, and so on."""
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("extras", "error", "words"),
    [
        ({"keep": 0}, ValueError, "keep must be >= 1"),
        ({"x": object()}, TypeError, "the extra 'x' must be bytes"),
        ({"x": (1, 2)}, TypeError, "gives back as it is"),
        ({"x": {1: 2}}, TypeError, "gives back as it is"),
        ({"x": float("nan")}, TypeError, "gives back as it is"),
        ({"x": np.zeros(3)}, TypeError, "a dict of NumPy arrays.*got ndarray"),
        ({"x": np.zeros(1)}, TypeError, "a dict of NumPy arrays.*got ndarray"),
        ({"x": [1, np.zeros(3)]}, TypeError, "a dict of NumPy arrays.*got list"),
        ({"x": {"a": np.zeros(3), "b": 1}}, TypeError, "a dict of NumPy arrays.*got dict"),
        ({"x": nested(5000)}, TypeError, "gives back as it is"),
        ({"x": 10**5000}, TypeError, "gives back as it is"),
        ({"x": {"a": np.array([object()])}}, TypeError, "must hold numbers"),
        ({"x": {1: np.zeros(1), "1": np.ones(1)}}, TypeError, "strings for names, got 1 of type int"),
        ({"x": {None: np.zeros(1)}}, TypeError, "strings for names, got None"),
        ({"x": {"a\0b": np.zeros(1), "a\0c": np.ones(1)}}, ValueError, "cannot keep the name"),
        ({"x": {"\ud800": np.zeros(1)}}, ValueError, "cannot keep the name"),
        ({"x": {"a" * 70000: np.zeros(1)}}, ValueError, "cannot keep the name"),
        ({"a b": 1}, ValueError, "must be an identifier"),
        ({"../up": b""}, ValueError, "must be an identifier"),
        ({"policy_version": 1.5}, TypeError, "policy_version must be"),
    ],
)
def test_what_cannot_be_saved(tmp_path, extras, error, words):
    engine = q_composition().engine(2)
    with pytest.raises(error, match=words):
        rf.checkpoint.save(tmp_path, engine, **extras)
    with pytest.raises(FileNotFoundError, match="there is no checkpoint"):
        rf.checkpoint.load(tmp_path)


@pytest.mark.parametrize("engine", [3, None, "engine", rf.Engine])
def test_what_is_no_engine(tmp_path, engine):
    with pytest.raises(TypeError, match=r"engine must be a rinforza.Engine, got .* of type"):
        rf.checkpoint.save(tmp_path / "run", engine)
    assert not (tmp_path / "run").exists()


def test_a_function_that_fails_leaves_nothing_behind(tmp_path):
    engine = q_composition().engine(2)
    rf.checkpoint.save(tmp_path, engine, number=1)

    def failing(path):
        path.write_text("half")
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        rf.checkpoint.save(tmp_path, engine, model=failing)
    assert rf.checkpoint.load(tmp_path).extras == {"number": 1}
    assert len(list(tmp_path.iterdir())) == 2


def rewrite(path, **changes):
    """Change the manifest of a set, and state the digest that then belongs to it."""
    manifest = {**json.loads((path / "manifest.json").read_text()), **changes}
    manifest.pop("sha256")
    digest = hashlib.sha256(json.dumps(manifest).encode()).hexdigest()
    (path / "manifest.json").write_text(json.dumps({**manifest, "sha256": digest}))


def replace_file(path, name, content, **more):
    """Put another file into a set, with the right digest."""
    (path / name).write_bytes(content)
    files = json.loads((path / "manifest.json").read_text())["files"]
    described = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    rewrite(path, files={**files, name: described}, **more)


def edit(path, old, new):
    """Change the text of a manifest by hand."""
    text = (path / "manifest.json").read_text()
    assert text.count(old) == 1
    (path / "manifest.json").write_text(text.replace(old, new))


def point_to(name):
    return lambda path: (path.parent / "latest").write_text(name)


NAMES_OF_NO_SET = (
    "",
    ".",
    "..",
    "../..",
    "/",
    "latest",
    "00000001/",
    "./00000001",
    "../set/00000001",
    "1",
    "\0",
)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda path: (path / "model.bin").write_bytes(b"other"), "model.bin is damaged"),
        (lambda path: (path / "model.bin").unlink(), "model.bin is missing"),
        (lambda path: (path / "engine.snapshot").write_bytes(b""), "engine.snapshot is damaged"),
        (lambda path: (path / "manifest.json").write_text("{"), "manifest.json cannot be read"),
        (lambda path: (path / "manifest.json").write_text("[]"), "is no JSON object"),
        (lambda path: rewrite(path, schema_version=2), "schema_version is 2, this version reads 1"),
        (lambda path: rewrite(path, schema_version=True), "schema_version is True"),
        (lambda path: rewrite(path, files={}), "it has no snapshot"),
        (lambda path: rewrite(path, files=[]), "has no files"),
        (lambda path: rewrite(path, files={"../latest": {}}), "no name of a file in it"),
        (lambda path: rewrite(path, files={"..": {}}), "no name of a file in it"),
        (lambda path: rewrite(path, files={"a\0.bin": {}}), "no name of a file in it"),
        (lambda path: rewrite(path, files={"a" * 300 + ".bin": {}}), "no name of a file in it"),
        (lambda path: rewrite(path, values={"model": 1}), "two extras 'model'"),
        (lambda path: replace_file(path, "engine.snapshot", b"?"), "engine.snapshot is damaged"),
        (lambda path: edit(path, '"epoch": 3', '"epoch": 4'), "manifest.json is damaged"),
        (lambda path: edit(path, '"epoch"', '"epoc"'), "manifest.json is damaged"),
        (
            lambda path: edit(path, '"epoch": 3', '"epoch": 3, "another": 1'),
            "manifest.json is damaged",
        ),
        (lambda path: edit(path, '"n_games": 2', '"n_games": 3'), "manifest.json is damaged"),
        (lambda path: (path / "manifest.json").write_text("[" * 100000), "manifest.json cannot be read"),
        (point_to("00000009"), "manifest.json cannot be read"),
        *((point_to(name), "no name of a set in it") for name in NAMES_OF_NO_SET),
    ],
)
def test_damaged_sets(tmp_path, damage, words):
    path = rf.checkpoint.save(tmp_path, q_composition().engine(2), model=b"weights", epoch=3)
    damage(path)
    with pytest.raises(ValueError, match=f"invalid checkpoint .*{words}"):
        rf.checkpoint.load(tmp_path)


def test_no_character_of_a_manifest_can_be_changed_unnoticed(tmp_path):
    """Either the set is refused, or (white space, 1.0 for 1.00) it says what it said."""
    path = rf.checkpoint.save(tmp_path, q_composition().engine(2), epoch=3, note=[0.5, "text"])
    text = (path / "manifest.json").read_text()
    usual = rf.checkpoint.load(path)
    refusals = []
    for place, character in enumerate(text):
        other = "1" if character != "1" else "2"
        (path / "manifest.json").write_text(text[:place] + other + text[place + 1 :])
        try:
            assert rf.checkpoint.load(path) == usual
        except ValueError as error:
            refusals.append(str(error))
    assert len(refusals) > len(text) / 2
    assert all("invalid checkpoint" in refusal for refusal in refusals)


def array_file(array=None, header=None):
    """The bytes of an .npy file, with another header if one is given."""
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(3) if array is None else array)
    if header is None:
        return buffer.getvalue()
    return b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header + b"\0" * 24


def archive(*members, kind=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", kind) as file:
        for name, content in members:
            file.writestr(name, content)
    return buffer.getvalue()


def shape(text):
    return b"{'descr': '<f8', 'fortran_order': False, 'shape': %s}\n" % text


def spoiled(content, old, new):
    assert old in content
    assert len(old) == len(new)
    return content.replace(old, new)


DEFLATED = archive(("a.npy", array_file(np.arange(50.0))), kind=zipfile.ZIP_DEFLATED)
HOSTILE = {
    "nothing": b"",
    "no archive": b"text",
    "an array": array_file(),
    "a pickle": b"\x80\x04]q\x00.",
    "objects": archive(("a.npy", array_file(np.array([{}], object)))),
    "deflated": DEFLATED,
    "badly deflated": DEFLATED[:40] + b"\xff" * 20 + DEFLATED[60:],
    "a wrong checksum": spoiled(archive(("a.npy", array_file(np.ones(1)))), np.ones(1).tobytes(), b"\0" * 8),
    "cut": archive(("a.npy", array_file()[:-1])),
    "too long": archive(("a.npy", array_file() + b"0")),
    "another file": archive(("a.txt", b"text")),
    "no array in it": archive(("a.npy", b"text")),
    "no header": archive(("a.npy", array_file(header=b"{'descr': '<f8"))),
    "tokens": archive(("a.npy", array_file(header=b'(\n"""'))),
    "deep": archive(("a.npy", array_file(header=b"(" * 9000))),
    "73 TB": archive(("a.npy", array_file(header=shape(b"(10000000000000,)")))),
    "more than 64 bits": archive(("a.npy", array_file(header=shape(b"(%d,)" % (10**40))))),
    "a negative shape": archive(("a.npy", array_file(header=shape(b"(-1,)")))),
    "a size that is made up": spoiled(
        archive(("a.npy", array_file())), (152).to_bytes(4, "little"), (1 << 31).to_bytes(4, "little")
    ),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_arrays_that_are_none(tmp_path, content):
    path = rf.checkpoint.save(tmp_path, q_composition().engine(2), weights={"a": np.zeros(3)})
    replace_file(path, "weights.npz", content)
    with pytest.raises(ValueError, match=r"invalid checkpoint .*weights.npz is damaged"):
        rf.checkpoint.load(tmp_path)
