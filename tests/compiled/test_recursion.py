"""Recursive functions in the store: what another process loads must not miss a part."""

import os
import subprocess
import sys

SCRIPT = """
import numpy as np
from rinforza.compiled import INT, Prototype, array_at, build, compile_function

def count(reached, depth, ply):
    array_at(reached, depth + 1, np.int64)[ply] += 1
    if ply < depth:
        count(reached, depth, ply + 1)
        count(reached, depth, ply + 1)
    return 0

def from_a_literal(reached, depth):
    count(reached, depth, 0)
    return 0

def from_an_argument(reached, depth):
    count(reached, depth, depth - depth)
    return 0

for function in (from_a_literal, from_an_argument):
    reached = np.zeros(4, np.int64)
    prototype = Prototype("count", INT, INT, INT)
    compile_function(function, prototype, {}, "count").entry(reached.ctypes.data, 3)
    print(*reached, build.counts["loaded"])
"""


def test_a_second_process_counts_the_same(tmp_path):
    environment = {**os.environ, "RINFORZA_CACHE_DIR": str(tmp_path)}
    environment.pop("NUMBA_DISABLE_JIT", None)
    outputs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for _ in range(2)
    ]
    assert outputs[0] == ["1 2 4 8 0", "1 2 4 8 0"]
    assert outputs[1] == ["1 2 4 8 0", "1 2 4 8 1"]
