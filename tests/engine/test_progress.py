"""The line that `collect(progress=True)` draws on stderr, and that it changes nothing."""

import re
import sys
import threading

import numpy as np
import pytest

from rinforza.engine import progress
from tests.engine.compositions import data, search_composition, window_composition

LINE = re.compile(r"([\d,]+) of ([\d,]+) records, ([\d,]+) episodes, [\d,]+ rows/s, (.+)")


@pytest.fixture(autouse=True)
def no_word_of_compiling(monkeypatch):
    """The first engine may have to compile, which is told on stderr too."""
    monkeypatch.setenv("RINFORZA_QUIET", "1")


def drawn(capsys):
    """The lines that were drawn over each other, and the last one; nothing goes to stdout."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("\r")
    assert err.endswith("\n")
    *lines, last = err[1:-1].split("\r")
    return lines, last


def collect(composition, floor=12, **options):
    return composition.engine(4).collect(floor, composition.network, **options)


@pytest.mark.lanes
def test_nothing_is_written_unless_asked(capsys):
    collect(search_composition())
    collect(search_composition(), progress=False)
    assert capsys.readouterr() == ("", "")


@pytest.mark.lanes
@pytest.mark.parametrize(("composed", "begun"), [(search_composition, 0), (window_composition, 2)])
def test_what_the_line_says(composed, begun, capsys, monkeypatch):
    monkeypatch.setattr(progress, "INTERVAL", 0.0)  # draws before every call of the network
    composition = composed()
    expected = collect(composition)
    batch = collect(composition, progress=True)
    assert data(batch) == data(expected)
    lines, last = drawn(capsys)
    assert len(lines) == batch.telemetry["infer_calls"]
    shown = [LINE.fullmatch(line.rstrip()) for line in lines]
    records = [int(match[1]) for match in shown]
    assert records == sorted(records)
    assert records[0] == begun  # with windows, a decision counts when it is begun: those of the first call
    assert {match[2] for match in shown} == {"12"}
    assert shown[0][4] == "? left" or begun
    assert any(re.fullmatch(r"[\d.]+ s left", match[4]) for match in shown)
    final = LINE.fullmatch(last.rstrip())
    assert int(final[1]) == len(batch.obs)
    assert int(final[3]) == len(batch.telemetry["episodes"])
    assert re.fullmatch(r"[\d.]+ s", final[4])


def test_it_is_drawn_now_and_then_only(capsys, monkeypatch):
    times = iter(np.arange(0.0, 1000.0, 0.005))
    monkeypatch.setattr(progress.time, "perf_counter", lambda: next(times))
    calls = 0

    def network(obs):
        nonlocal calls
        calls += 1
        return composition.network(obs)

    composition = search_composition()
    composition.engine(4).collect(40, network, progress=True)
    lines, _ = drawn(capsys)
    assert 2 <= len(lines) <= calls / 8


def test_a_batch_that_goes_on_is_told_as_one(capsys, monkeypatch):
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    composition = search_composition()
    engine = composition.engine(4)
    left = iter(range(120))

    def network(obs):
        if next(left, None) is None:
            raise OSError("no network")
        return composition.network(obs)

    with pytest.raises(OSError, match="no network"):
        engine.collect(1000, network, progress=True)
    _, last = drawn(capsys)
    before = int(LINE.fullmatch(last.rstrip())[1])
    assert before > 0
    engine.collect(before + 10, composition.network, progress=True)
    lines, last = drawn(capsys)
    assert lines[0].startswith(f"{before} of {before + 10} records")
    assert "? left" in lines[0]
    assert int(LINE.fullmatch(last.rstrip())[1]) >= before + 10


def test_no_thread_is_started(capsys):
    before, threads = threading.active_count(), set()
    composition = search_composition()

    def network(obs):
        threads.add(threading.active_count())
        return composition.network(obs)

    composition.engine(4, n_threads=1).collect(12, network, progress=True)
    assert threads == {before}
    drawn(capsys)


@pytest.mark.lanes
def test_a_narrow_terminal_gets_one_line(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    collect(search_composition(), progress=True)
    lines, last = drawn(capsys)
    assert {len(line) for line in [*lines, last]} == {19}


@pytest.mark.lanes
def test_a_longer_line_leaves_nothing_behind(capsys):
    line = progress.Progress(collect_machine(), 10)
    line._draw("a long line")
    line._draw("short")
    assert capsys.readouterr().err == "\ra long line\rshort      "


def collect_machine():
    """A machine that a collection has begun on."""
    return search_composition().engine(4)._machine


class Broken:
    """A stderr whose reader has gone."""

    def __init__(self, error):
        self.error = error

    def write(self, text):
        raise self.error


@pytest.mark.parametrize(
    "stderr", [None, Broken(BrokenPipeError()), Broken(ValueError("I/O operation on closed file"))]
)
def test_a_stderr_that_is_gone_stops_nothing(stderr, monkeypatch):
    monkeypatch.setattr(sys, "stderr", stderr)
    batch = collect(search_composition(), progress=True)
    monkeypatch.undo()
    assert data(batch) == data(collect(search_composition()))


@pytest.mark.lanes
@pytest.mark.parametrize("wrong", [1, None, "yes"])
def test_it_is_a_bool(wrong):
    with pytest.raises(TypeError, match="progress must be a bool, got"):
        collect(search_composition(), progress=wrong)


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (59.9, "59.9 s"), (60.0, "1:00"), (3599.0, "59:59"), (36061.2, "10:01:01")],
)
def test_durations(seconds, text):
    assert progress._duration(seconds) == text
