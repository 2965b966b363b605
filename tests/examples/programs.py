"""Running the example programs as a user does."""

import re
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run_example(name: str, *arguments: str, seconds: int) -> str:
    """Run a program of `examples/` and return what it printed."""
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def percentages(text: str) -> list[float]:
    """Return every percentage in a text, in order."""
    return [float(number) for number in re.findall(r"([\d.]+)%", text)]
