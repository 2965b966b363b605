"""Ctrl-C and its like, wherever they strike, stop between windows and leave the engine as it would have been."""

import dis
import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import rinforza.engine
from rinforza.engine.interrupts import interrupts_held
from tests.engine.compositions import COMPOSITIONS, TinyAlphaZero, data, search_composition

ENGINE_FILES = os.path.dirname(rinforza.engine.__file__)
OTHERS = {"SIGTERM": SystemExit, "SIGALRM": TimeoutError}  # and what their handlers raise


class InterruptAtPoint:
    """Sends this process a signal at one of the points at which Python looks for signals.

    Those are: the start of a function, the way back after a call, and a jump backward.

    Args:
        number: Which of the points in the engine's Python code, counted from 0 as they are passed.
        sent: The signal.
    """

    def __init__(self, number, sent=signal.SIGINT):
        self.number, self.sent = number, sent
        self.points = 0
        self.where = None
        self._last = {}

    def trace(self, frame, event, argument):
        """Follow the engine's code, instruction by instruction."""
        if not frame.f_code.co_filename.startswith((ENGINE_FILES, signal.__file__)):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            last = self._last.get(id(frame), "")
            self._last[id(frame)] = dis.opname[frame.f_code.co_code[frame.f_lasti]]
            if last.startswith("CALL") or "JUMP_BACKWARD" in last or last == "RESUME":
                self._pass_point(frame)
        elif event == "return":
            self._last.pop(id(frame), None)
        return self.trace

    def _pass_point(self, frame):
        if self.points == self.number:
            self.where = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
            sys.settrace(None)
            signal.raise_signal(self.sent)
        self.points += 1

    def __enter__(self):
        gc.disable()  # the ends of other tests' engines are not what is interrupted
        self.before = sys.gettrace()
        sys.settrace(self.trace)
        return self

    def __exit__(self, *error):
        sys.settrace(self.before)
        gc.enable()


def collect_interrupted(engine, floor, network, number, sent=signal.SIGINT):
    """Collect with an interrupt at point `number`; return the batch, and where it struck."""
    with InterruptAtPoint(number, sent) as interrupt:
        try:
            return engine.collect(floor, network), interrupt.where
        except (KeyboardInterrupt, *OTHERS.values()):
            pass
    return engine.collect(floor, network), interrupt.where


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("name", COMPOSITIONS)
def test_an_interrupt_at_any_point_changes_nothing(name, n_threads):
    """One interrupt in each collect, one point later each time, until it comes too late."""
    composition = COMPOSITIONS[name]()
    options = {"n_games": 2, "batch_size": 2, "n_threads": n_threads}
    usual, engine = composition.engine(**options), composition.engine(**options)
    number = 0
    while True:
        expected = usual.collect(1, composition.network)
        batch, where = collect_interrupted(engine, 1, composition.network, number)
        assert data(batch) == data(expected), where
        if where is None:
            break
        number += 1 if number < 60 else 5  # the first points are passed once, later ones in every window
    assert number > 50


@pytest.mark.parametrize("number", range(0, 300, 12))
def test_an_interrupt_while_tables_grow_changes_nothing(number):
    composition = search_composition().with_policy(TinyAlphaZero(7))
    options = {"n_games": 6, "n_threads": 2}
    usual, engine = composition.engine(**options), composition.engine(**options)
    batch, where = collect_interrupted(engine, 80, composition.network, number)
    assert where is not None
    assert data(batch) == data(usual.collect(80, composition.network)), where


@pytest.fixture(params=[name for name in OTHERS if hasattr(signal, name)])
def other_signal(request):
    """A signal other than SIGINT, whose handler raises."""

    def handle(number, frame):
        raise OTHERS[request.param]

    number = getattr(signal, request.param)
    before = signal.signal(number, handle)
    yield number
    signal.signal(number, before)


def test_another_signal_at_any_point_changes_nothing(other_signal):
    composition = search_composition()
    options = {"n_games": 2, "batch_size": 2, "n_threads": 2}
    usual = data(composition.engine(**options).collect(1, composition.network))
    of_interrupts = signal.getsignal(signal.SIGINT)
    number = 0
    while True:
        engine = composition.engine(**options)  # whose helper is not running yet
        batch, where = collect_interrupted(engine, 1, composition.network, number, other_signal)
        assert data(batch) == usual, where
        assert signal.getsignal(signal.SIGINT) is of_interrupts, where
        if where is None:
            break
        number += 1 if number < 250 else 7  # the first points, where the engine enters, are passed once
    assert number > 300


def test_held_signals_are_all_handled_though_their_handlers_raise():
    told = []

    def tell(number, frame):
        told.append(number)
        raise ValueError(number)

    @interrupts_held()
    def raise_while_held():
        for number in numbers:
            signal.raise_signal(number)
        assert told == []

    numbers = [
        signal.SIGINT,
        *(getattr(signal, name) for name in ("SIGTERM", "SIGALRM") if hasattr(signal, name)),
    ]
    before = [signal.signal(number, tell) for number in numbers]
    try:
        with pytest.raises(ValueError, match=r"\d"):
            raise_while_held()
        assert sorted(told) == sorted(numbers)
        assert [signal.getsignal(number) for number in numbers] == [tell] * len(numbers)
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


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
