"""Collects under a rain of SIGINT from another process and compares with an engine left in peace.

`test_interrupts` runs this as a child, so that no signal goes astray into the test process.
"""

import os
import signal
import subprocess
import sys

from tests.engine.compositions import data, search_composition

COLLECTS = 15
armed = [False]


def interrupt(number, frame):
    """Raise as the usual handler does, but only while a collect runs."""
    if armed[0]:
        raise KeyboardInterrupt


def collect_stubbornly(engine, floor, network):
    """Collect until it works; return the batch and how often it was interrupted."""
    interrupts = 0
    while True:
        try:
            armed[0] = True
            batch = engine.collect(floor, network)
            armed[0] = False
            return batch, interrupts
        except KeyboardInterrupt:
            interrupts += 1
        finally:
            armed[0] = False


def main():
    """Return the exit status."""
    composition = search_composition()
    usual, engine = composition.engine(64, n_threads=2), composition.engine(64, n_threads=2)
    expected = [data(usual.collect(400, composition.network)) for _ in range(COLLECTS)]
    signal.signal(signal.SIGINT, interrupt)
    rain = subprocess.Popen(["sh", "-c", f"while kill -INT {os.getpid()}; do sleep 0.004; done"])
    found, interrupts = [], 0
    try:
        for _ in range(COLLECTS):
            batch, count = collect_stubbornly(engine, 400, composition.network)
            found.append(data(batch))
            interrupts += count
    finally:
        rain.kill()
        rain.wait()
    equal = found == expected
    print(f"{interrupts} interrupts; {'all batches are equal' if equal else 'batches differ'}")
    return 0 if equal and interrupts > 3 else 1


if __name__ == "__main__":
    sys.exit(main())
