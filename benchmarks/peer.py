"""A peer library, in a virtual environment of its own under `.cache/peers`."""

import subprocess
import sys
from typing import Any

from .cases import Case
from .process import ROOT, run

PEERS = {"reinfors": "0.4.0", "open_spiel": "2.0.2"}


class Peer:
    """A library to compare with; the first use installs it from PyPI.

    Args:
        name: A key of `PEERS`.
    """

    def __init__(self, name: str):
        self.name = name
        self.title = f"{name} {PEERS[name]}"
        self._requirement = f"{name}=={PEERS[name]}"
        self._folder = ROOT / ".cache" / "peers" / f"{name}-{PEERS[name]}"

    def install(self) -> None:
        """Make the environment, unless it is there and whole."""
        done = self._folder / ".done"
        if done.exists():
            return
        print(f"installing {self._requirement} into {self._folder}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(self._folder)], check=True)
        pip = [self._python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        subprocess.run([*pip, self._requirement, "numpy"], check=True)
        done.touch()

    def run(self, case: Case, seconds: float) -> dict[str, Any]:
        """Measure a case on the peer, in a new process."""
        command = [self._python, "-m", "benchmarks.measure", "--library", self.name]
        return run([*command, *case.arguments(seconds)])

    @property
    def _python(self) -> str:
        return str(self._folder / "bin" / "python")
