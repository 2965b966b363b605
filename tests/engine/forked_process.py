"""Engines, streams and forks; `test_forks` runs this as a child, and each part forks children of its own.

Each part prints a line of its name and what it found, as JSON. A child that hangs is ended by an alarm.
"""

import hashlib
import json
import multiprocessing
import os
import signal
import threading
import time

from tests.engine.compositions import data, search_composition

COMPOSITION = search_composition()
FLOOR = 60
SECONDS = 30  # a child may take


def engine():
    """Return an engine with a helper."""
    return COMPOSITION.engine(30, n_threads=2, batch_size=8)


def collected(of, network=COMPOSITION.network):
    """Collect a batch and return it as a short text."""
    return hashlib.sha256(repr(data(of.collect(FLOOR, network))).encode()).hexdigest()[:12]


def outcome(function):
    """Return what a function returns, or its error as text."""
    try:
        return function()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def forked(function):
    """Return the outcome of a function in a child."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.write(writer, json.dumps(outcome(function)).encode())
        os._exit(0)
    os.close(writer)
    return ended(reader, child)


def ended(reader, child):
    """Return what a child told, when it has ended."""
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    return json.loads(text) if status == 0 else f"the child ended with status {status}"


def an_engine_at_rest():
    """Fork between two collects; parent and child go on."""
    own = engine()
    collected(own)
    helpers = own._machine.helpers
    first_child = forked(lambda: [collected(own), sum(helper.is_alive() for helper in helpers._threads)])
    return first_child, collected(own)


def an_engine_that_never_ran():
    """Fork before the first collect."""
    own = engine()
    return forked(lambda: collected(own))


def an_engine_of_the_child():
    """Make the engine after the fork, while the parent has one with helpers."""
    own = engine()
    collected(own)
    return forked(lambda: collected(engine()))


def a_callback_forks():
    """Fork in the callback, often while the helper is at work; each child goes on from there."""
    own, children = engine(), []

    def network(obs):
        if own._machine.record["n_running"][0] > 0 and len(children) < 20:
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                signal.alarm(SECONDS)
                children[:] = [writer] * 20  # it forks no more
            else:
                os.close(writer)
                children.append((reader, child))
        return COMPOSITION.network(obs)

    found = [outcome(lambda: collected(own, network)), outcome(lambda: collected(own))]
    if isinstance(children[0], int):
        os.write(children[0], json.dumps([*found, collected(engine())]).encode())
        os._exit(0)
    return found, [ended(*child) for child in children]


def a_stream():
    """Fork while a stream has a batch that waits, and its thread the next one."""
    own = engine()
    with own.collect_stream(FLOOR, COMPOSITION.network) as stream:
        while stream.pending() == 0:
            time.sleep(0.001)

        def child():
            texts = [outcome(lambda: len(stream.next().obs) >= FLOOR), outcome(stream.next)]
            return [*texts, outcome(stream.stop), outcome(lambda: collected(own)), collected(engine())]

        return forked(child)


def the_callback_of_a_stream():
    """Fork in a stream's callback and return from it in the child too, whose only thread is the stream's."""
    children, own = [], engine()  # the engine outlives the stream, in the child too

    def network(obs):
        children.append(os.fork())
        if children[-1] == 0:
            signal.alarm(SECONDS)
        return COMPOSITION.network(obs)

    with own.collect_stream(FLOOR, network) as stream:
        stream.next()
    return [os.waitpid(child, 0)[1] for child in children]


def an_engine_in_another_thread():
    """Fork while another thread is in a callback."""
    own, entered, may_end = engine(), threading.Event(), threading.Event()

    def network(obs):
        entered.set()
        may_end.wait(SECONDS)
        return COMPOSITION.network(obs)

    worker = threading.Thread(target=collected, args=(own, network))
    worker.start()
    entered.wait(SECONDS)

    def in_child():
        """Fork once more, in a thread that may have the number of the one that is gone."""
        forks = []
        forking = threading.Thread(target=lambda: forks.append(forked(lambda: "again")))
        forking.start()
        forking.join()
        return [outcome(lambda: collected(own)), collected(engine()), *forks]

    found = forked(in_child)
    may_end.set()
    worker.join()
    return found


def a_pool(method):
    """Make engines in two processes of a pool."""
    with multiprocessing.get_context(method).Pool(2) as pool:
        return pool.map(of_a_pool, range(2), chunksize=1)


def of_a_pool(number):
    """Return what the first batch of an engine is, in a process of a pool."""
    return collected(engine())


def main():
    """Run every part."""
    own = engine()
    parts = {
        "usual": lambda: [collected(own), collected(own)],
        "at rest": an_engine_at_rest,
        "never ran": an_engine_that_never_ran,
        "of the child": an_engine_of_the_child,
        "callback": a_callback_forks,
        "stream": a_stream,
        "stream's callback": the_callback_of_a_stream,
        "another thread": an_engine_in_another_thread,
        "fork": lambda: a_pool("fork"),
        "spawn": lambda: a_pool("spawn"),
    }
    for name, part in parts.items():
        print(json.dumps([name, part()]), flush=True)


if __name__ == "__main__":
    main()
