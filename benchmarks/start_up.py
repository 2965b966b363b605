"""Time fresh processes: the import, and the first batch with a cold and with a filled cache.

    python -m benchmarks.start_up

The clock starts at the first line that the new process runs, so the import of NumPy, of Numba where
it is needed, and of the library itself all count. The batch is one of AlphaZero on Connect 4, 128
games at 64 simulations. A cold run has an empty `RINFORZA_CACHE_DIR`; the cached runs use what the
last cold one left.
"""

import argparse
import json
import sys
import tempfile

from .process import run

IMPORT = """
import time; start = time.perf_counter()
import json, rinforza
print(json.dumps({"seconds": time.perf_counter() - start}))
"""

FIRST_BATCH = """
import time; start = time.perf_counter()
import json, numpy, rinforza as rf
parts = rf.games.Connect4(), None, rf.policies.AlphaZero(64), rf.learners.AlphaZero()
engine = rf.Engine(*parts, n_games=128, n_threads=1)
engine.collect(1, lambda obs: (numpy.zeros((len(obs), 7)), numpy.zeros(len(obs))))
print(json.dumps({"seconds": time.perf_counter() - start}))
"""


def seconds_of(program: str, cache_folder: str) -> float:
    """Run a program in a new process and return the seconds that it measured."""
    line = run([sys.executable, "-c", program], {"RINFORZA_CACHE_DIR": cache_folder})
    return line["seconds"]


def measure(repeats: int, cold_repeats: int) -> dict[str, list[float]]:
    """Return the seconds of every run of each kind: `import`, `cached` and `cold`."""
    cold = []
    for _ in range(cold_repeats - 1):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(seconds_of(FIRST_BATCH, folder))
    with tempfile.TemporaryDirectory() as folder:
        cold.append(seconds_of(FIRST_BATCH, folder))
        cached = [seconds_of(FIRST_BATCH, folder) for _ in range(repeats)]
        imports = [seconds_of(IMPORT, folder) for _ in range(repeats)]
    return {"import": imports, "cached": cached, "cold": cold}


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Time the start of fresh processes.")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--cold-repeats", type=int, default=3, help="each compiles everything anew")
    return parser.parse_args()


if __name__ == "__main__":
    args = parse_arguments()
    print(json.dumps({"seconds": measure(args.repeats, args.cold_repeats)}))
