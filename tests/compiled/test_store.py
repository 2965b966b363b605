"""The files of the cache: damaged, foreign, or in a folder that cannot be used, they never do harm."""

import os
import pwd
import subprocess
import sys
from pathlib import Path

import pytest

from rinforza.compiled import store
from tests.compiled.processes import Laboratory, finish

DIGEST = "ab" + "0" * 62
ENTRY = store.Entry(["PyErr_Clear"], 2, b"not really \n machine code \x00\xff")
GAME = "def step(x):\n    return x * 3\n"
COMPOSE = "import game\ntell(compose(game.step)(5))"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RINFORZA_CACHE_DIR", str(tmp_path))
    return tmp_path


def the_file(folder: Path) -> Path:
    (path,) = (path for path in folder.rglob("*") if path.is_file())
    return path


def test_an_entry_comes_back(folder):
    store.save(DIGEST, ENTRY)
    assert store.load(DIGEST) == ENTRY
    assert the_file(folder) == folder / "ab" / ("0" * 62)


def test_nothing_comes_back_for_another_digest(folder):
    store.save(DIGEST, ENTRY)
    other = "cd" + DIGEST[2:]
    assert store.load(other) is None
    the_file(folder).rename(folder / "moved")
    (folder / "cd").mkdir()
    (folder / "moved").rename(folder / "cd" / other[2:])
    assert store.load(other) is None  # the checksum covers the digest


def test_no_single_changed_bit_and_no_cut_is_accepted(folder):
    store.save(DIGEST, ENTRY)
    path = the_file(folder)
    whole = path.read_bytes()
    for place in range(len(whole)):
        for bit in (0, 7):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1 :])
            assert store.load(DIGEST) is None
        path.write_bytes(whole[:place])
        assert store.load(DIGEST) is None
    path.write_bytes(whole + b"x")
    assert store.load(DIGEST) is None
    path.write_bytes(whole)
    assert store.load(DIGEST) == ENTRY


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"{}", store.MAGIC, b"\x80\x04K\x01.", b"\x7fELF" + bytes(99)]
)
def test_foreign_files_are_nothing(folder, content):
    store.save(DIGEST, ENTRY)
    the_file(folder).write_bytes(content)
    assert store.load(DIGEST) is None


def test_a_folder_in_the_place_of_the_file(folder):
    (folder / "ab" / ("0" * 62)).mkdir(parents=True)
    assert store.load(DIGEST) is None
    store.save(DIGEST, ENTRY)
    assert [path for path in folder.rglob("*") if path.is_file()] == []  # no temporary file is left


def test_a_full_disk_leaves_no_temporary_file(folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    store.save(DIGEST, ENTRY)
    assert [path for path in folder.rglob("*") if path.is_file()] == []


def test_an_interrupt_leaves_no_temporary_file(folder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.save(DIGEST, ENTRY)
    assert [path for path in folder.rglob("*") if path.is_file()] == []


def test_where_the_folder_is(monkeypatch):
    monkeypatch.setenv("RINFORZA_CACHE_DIR", "/chosen")
    assert store.cache_folder() == Path("/chosen")
    monkeypatch.delenv("RINFORZA_CACHE_DIR")
    monkeypatch.setenv("HOME", "/home/somebody")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert store.cache_folder() == Path("/home/somebody/.cache/rinforza")
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert store.cache_folder() == Path("/elsewhere/rinforza")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert store.cache_folder() == Path("/home/somebody/Library/Caches/rinforza")


def test_a_user_without_a_home(monkeypatch):
    def unknown(_):
        raise KeyError("no such user")

    monkeypatch.delenv("RINFORZA_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(RuntimeError):
        store.cache_folder()
    store.save(DIGEST, ENTRY)
    assert store.load(DIGEST) is None


@pytest.mark.parametrize("damage", ["cut", "changed", "foreign", "folder"])
def test_a_damaged_file_is_compiled_anew(tmp_path, damage):
    laboratory = Laboratory(tmp_path)
    laboratory.write(game=GAME)
    laboratory.run(COMPOSE)
    (path,) = laboratory.entries()
    whole = path.read_bytes()
    if damage == "cut":
        path.write_bytes(whole[: len(whole) // 2])
    elif damage == "changed":
        path.write_bytes(whole[:-50] + bytes([whole[-50] ^ 4]) + whole[-49:])
    elif damage == "foreign":
        path.write_bytes(b"#!/bin/sh\n")
    else:
        path.unlink()
        path.mkdir()
    told = laboratory.run(COMPOSE)
    assert (told.values, told.compiled) == ([15], 1)
    if damage != "folder":
        assert path.read_bytes()[:18] == whole[:18]
        assert laboratory.run(COMPOSE).loaded == 1


def test_an_object_that_needs_an_unknown_symbol_is_compiled_anew(tmp_path):
    """To link it would end the process."""
    laboratory = Laboratory(tmp_path)
    laboratory.write(game=GAME)
    laboratory.run(COMPOSE)
    laboratory.run(
        """
        from rinforza.compiled import store
        from pathlib import Path
        import os
        (path,) = (path for path in Path(os.environ["RINFORZA_CACHE_DIR"]).rglob("*") if path.is_file())
        digest = path.parent.name + path.name
        entry = store.load(digest)
        store.save(digest, entry._replace(symbols=[*entry.symbols, "no_such_symbol_anywhere"]))
        tell()
        """
    )
    told = laboratory.run(COMPOSE)
    assert (told.values, told.compiled, told.loaded) == ([15], 1, 0)
    assert laboratory.run(COMPOSE).loaded == 1


@pytest.mark.parametrize("where", ["cache", "home", "missing home", "no home"])
def test_a_folder_that_cannot_be_written(tmp_path, where):
    """A file stands where the folder should be: that holds for every user, root too."""
    laboratory = Laboratory(tmp_path)
    laboratory.write(game=GAME)
    blocked = tmp_path / "blocked"
    blocked.write_text("a file")
    if where == "cache":
        environment = {"RINFORZA_CACHE_DIR": str(blocked)}
    elif where == "home":
        environment = {"RINFORZA_CACHE_DIR": "", "XDG_CACHE_HOME": "", "HOME": str(blocked)}
    elif where == "missing home":
        environment = {"RINFORZA_CACHE_DIR": "", "XDG_CACHE_HOME": "", "HOME": "/dev/null/nobody"}
    else:
        environment = {"RINFORZA_CACHE_DIR": "~no-such-user/cache"}
    for _ in range(2):
        told = laboratory.run(COMPOSE, **environment)
        assert (told.values, told.compiled, told.loaded) == ([15], 1, 0)
    assert blocked.read_text() == "a file"


def test_six_processes_on_an_empty_cache_agree(tmp_path):
    laboratory = Laboratory(tmp_path)
    laboratory.write(
        game="""
            def helper(x, y):
                return x * y + 1

            def step(x):
                total = 0
                for place in range(x):
                    total += helper(place, x)
                return total

            def other(x):
                return helper(x, x)
            """
    )
    script = """
        import game
        import numba
        print("ready", flush=True)
        sys.stdin.readline()
        tell(compose(game.step)(10), compose(game.other)(4))
        """
    processes = [laboratory.start(script) for _ in range(6)]
    told = [finish(process) for process in release(processes)]
    assert {tuple(one.values) for one in told} == {(460, 17)}
    assert all(one.compiled + one.loaded == 2 for one in told)
    assert len(laboratory.entries()) == 2
    assert not [path for path in laboratory.entries() if path.name.startswith(".")]
    again = laboratory.run("import game\ntell(compose(game.step)(10), compose(game.other)(4))")
    assert (again.values, again.loaded) == ([460, 17], 2)


def release(processes: list[subprocess.Popen]) -> list[subprocess.Popen]:
    """Wait until all have started, then let them go at once."""
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    return processes
