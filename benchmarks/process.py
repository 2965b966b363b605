"""Run one measurement in a process of its own, and read the JSON line that it prints.

This file and all that `__main__` imports stay clear of NumPy and of the libraries: a process
inherits the peak memory of the one that starts it, so that one has to be small.
"""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def run(command: list[str], environment: dict[str, str] | None = None) -> dict[str, Any]:
    """Run a command from the repository's root and return what it printed.

    Args:
        command: The program and its arguments.
        environment: Variables to add.

    Returns:
        The last line of its output, which is JSON, with `process_cores` added: processor seconds
        per second of the whole process, its start and its compiling included.

    Raises:
        RuntimeError: If it fails; the message holds what it wrote to standard error.
    """
    before, start = children_cpu_seconds(), time.perf_counter()
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "RINFORZA_QUIET": "1", **(environment or {})},
        capture_output=True,
        text=True,
    )
    wall = time.perf_counter() - start
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    result = json.loads(done.stdout.splitlines()[-1])
    result["process_cores"] = (children_cpu_seconds() - before) / wall
    return result


def run_module(name: str, *arguments: str) -> dict[str, Any]:
    """Run `python -m benchmarks.NAME` with this interpreter."""
    return run([sys.executable, "-m", f"benchmarks.{name}", *arguments])


def children_cpu_seconds() -> float:
    """Return the processor time of all children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
