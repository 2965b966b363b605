"""Threads: composing at once in one process, and atomic steps from several at once."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rinforza.compiled import (
    INT,
    Prototype,
    array_at,
    atomic_add,
    atomic_load,
    atomic_store,
    atomic_swap,
    compile_function,
    plain_python,
    spin_pause,
)
from tests.compiled.processes import Laboratory

THREADS = 4
ROUNDS = 200_000


def test_composing_in_eight_threads_at_once(tmp_path):
    laboratory = Laboratory(tmp_path)
    laboratory.write(
        game="""
            def make(weight):
                def helper(x):
                    return x * weight

                def step(x):
                    return helper(x) + 1

                return step
            """
    )
    script = """
        import threading
        from concurrent.futures import ThreadPoolExecutor
        import game
        barrier = threading.Barrier(8)

        def work(number):
            barrier.wait()
            return [compose(game.make(weight))(10) for weight in (number, 1, 2)]

        with ThreadPoolExecutor(8) as pool:
            tell(list(pool.map(work, range(8))))
        """
    expected = [[10 * number + 1, 11, 21] for number in range(8)]
    first, second = laboratory.run(script), laboratory.run(script)
    assert first.values[0] == second.values[0] == expected
    assert (first.compiled, second.compiled, second.loaded) == (8, 0, 8)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_no_process_is_forked_in_the_midst_of_composing(tmp_path):
    """The child could never compose, for the thread that has the lock is not in it."""
    script = """
        import os, signal, threading, time
        composing, composed = threading.Event(), []

        def work():
            with build._lock:
                composing.set()
                time.sleep(0.3)
                composed.append(True)

        worker = threading.Thread(target=work)
        worker.start()
        composing.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(10)
            with build._lock:
                os._exit(0 if composed else 1)
        worker.join()
        with build._lock:
            tell(os.waitpid(child, 0)[1])
        """
    assert Laboratory(tmp_path).run(script).values == [0]


COUNT = Prototype("count", INT, INT, INT)
LOCK = Prototype("locked", INT, INT, INT, INT)


def count(address, rounds):
    for _ in range(rounds):
        atomic_add(address, 1)
    return 0


def count_by_swapping(address, rounds):
    for _ in range(rounds):
        before = atomic_load(address)
        while not atomic_swap(address, before, before + 1):
            before = atomic_load(address)
    return 0


def count_under_a_lock(lock, address, rounds):
    total = array_at(address, 1, np.int64)
    for _ in range(rounds):
        while not atomic_swap(lock, 0, 1):
            spin_pause()
        total[0] += 1
        atomic_store(lock, 0)
    return 0


def in_threads(entry, *arguments):
    """Call `entry` in several threads that start together."""
    barrier = threading.Barrier(THREADS)

    def work(_):
        barrier.wait()
        return entry(*arguments)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, range(THREADS)))


@pytest.mark.skipif(
    plain_python(), reason="one Python thread runs at a time: nothing is atomic or needs to be"
)
@pytest.mark.parametrize("function", [count, count_by_swapping])
def test_atomic_steps_lose_no_count(function):
    entry = compile_function(function, COUNT, {}, "Part.count").entry
    word = np.zeros(1, np.int64)
    in_threads(entry, word.ctypes.data, ROUNDS)
    assert word[0] == THREADS * ROUNDS


@pytest.mark.skipif(
    plain_python(), reason="one Python thread runs at a time: nothing is atomic or needs to be"
)
def test_a_lock_of_atomic_steps_orders_plain_memory():
    entry = compile_function(count_under_a_lock, LOCK, {}, "Part.count").entry
    lock, word = np.zeros(1, np.int64), np.zeros(1, np.int64)
    in_threads(entry, lock.ctypes.data, word.ctypes.data, ROUNDS // 10)
    assert (word[0], lock[0]) == (THREADS * ROUNDS // 10, 0)


@pytest.mark.skipif(plain_python(), reason="plain Python holds the interpreter's lock")
def test_compiled_code_does_not_hold_the_interpreters_lock():
    """One thread waits in compiled code for a word that another, in Python, sets."""

    def wait(address, unused):
        while atomic_load(address) == 0:
            spin_pause()
        return 1

    entry = compile_function(wait, COUNT, {}, "Part.wait").entry
    word = np.zeros(1, np.int64)
    waiter = threading.Thread(target=entry, args=(word.ctypes.data, 0))
    waiter.start()
    assert waiter.is_alive()
    word[0] = 1
    waiter.join(timeout=60)
    assert not waiter.is_alive()


def rounds_until(address, wanted):
    """Wait until a counter has reached a number, but not for ever; return how long in rounds."""
    rounds = 0
    while atomic_load(address) < wanted and rounds < 20_000_000:
        spin_pause()
        rounds += 1
    return rounds


@pytest.mark.skipif(plain_python(), reason="Python itself always holds its lock")
@pytest.mark.parametrize("holds_gil", [False, True])
def test_a_call_lets_other_threads_of_python_run_unless_it_is_short(holds_gil):
    prototype = Prototype("rounds_until", INT, INT, INT, holds_gil=holds_gil)
    entry = compile_function(rounds_until, prototype, {}, "Part.rounds_until").entry
    counter = np.zeros(1, np.int64)
    go_on = threading.Event()

    def count():
        go_on.wait()
        counter[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    go_on.set()  # the thread asks for the interpreter's lock, which it gets when this one lets it go
    seen = counter[0] > 0
    rounds = entry(counter.ctypes.data, 1)
    thread.join()
    assert seen or (rounds == 20_000_000) == holds_gil
