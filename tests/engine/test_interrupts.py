"""Ctrl-C, wherever it strikes, stops between windows and leaves the engine as it would have been."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import rinforza.engine
from tests.engine.compositions import COMPOSITIONS, TinyAlphaZero, data, rows, search_composition

ENGINE_FILES = os.path.dirname(rinforza.engine.__file__)


class InterruptAtLine:
    """Sends this process SIGINT when the engine's Python code reaches a line.

    Args:
        number: Which of the lines that are run, counted from 0.
    """

    def __init__(self, number):
        self.number = number
        self.lines = 0
        self.where = None

    def trace(self, frame, event, argument):
        """Count lines of the engine's files."""
        if not frame.f_code.co_filename.startswith(ENGINE_FILES):
            return None
        if event == "line":
            if self.lines == self.number:
                self.where = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
                sys.settrace(None)
                signal.raise_signal(signal.SIGINT)
            self.lines += 1
        return self.trace

    def __enter__(self):
        self.before = sys.gettrace()
        sys.settrace(self.trace)
        return self

    def __exit__(self, *error):
        sys.settrace(self.before)


def collect_interrupted(engine, floor, network, number):
    """Collect with an interrupt at line `number`; return the batches that came, and where it struck."""
    with InterruptAtLine(number) as interrupt:
        try:
            return [engine.collect(floor, network)], interrupt.where
        except KeyboardInterrupt:
            pass
    return [engine.collect(floor, network)], interrupt.where


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("name", COMPOSITIONS)
def test_an_interrupt_at_any_line_changes_nothing(name, n_threads):
    """One interrupt in each collect, one line later each time, until it comes too late."""
    composition = COMPOSITIONS[name]()
    options = {"n_games": 4, "batch_size": 4, "n_threads": n_threads}
    usual, engine = composition.engine(**options), composition.engine(**options)
    number = 0
    while True:
        expected = usual.collect(3, composition.network)
        (batch,), where = collect_interrupted(engine, 3, composition.network, number)
        assert sorted(rows([batch])) == sorted(rows([expected])), where
        assert data(batch) == data(expected), where
        if where is None:
            break
        number += 1
    assert number > 50


@pytest.mark.parametrize("number", range(0, 200, 8))
def test_an_interrupt_while_tables_grow_changes_nothing(number):
    composition = search_composition().with_policy(TinyAlphaZero(7))
    options = {"n_games": 6, "n_threads": 2}
    usual, engine = composition.engine(**options), composition.engine(**options)
    (batch,), where = collect_interrupted(engine, 80, composition.network, number)
    assert where is not None
    assert data(batch) == data(usual.collect(80, composition.network)), where


def test_interrupts_from_another_process():
    """A child is sent SIGINT every few milliseconds while it collects; it checks its own batches."""
    script = Path(__file__).with_name("interrupted_process.py")
    root = Path(__file__).parents[2]
    child = subprocess.run(
        [sys.executable, str(script)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert child.returncode == 0, child.stdout + child.stderr
    assert "all batches are equal" in child.stdout
