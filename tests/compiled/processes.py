"""Fresh Python processes that compose functions of small modules, with a cache folder of their own."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

PREAMBLE = """
import json, sys
import numpy as np
from rinforza.compiled import *
from rinforza.compiled import build

def compose(function, *kinds, layouts=None, result=INT, label=None):
    prototype = Prototype(function.__name__, result, *(kinds or [INT]))
    return compile_function(function, prototype, layouts or {}, label or f"Part.{function.__name__}").entry

def tell(*values):
    print(json.dumps({"values": values, **build.counts}))
"""


class Told:
    """What a process printed with `tell`."""

    def __init__(self, line: str):
        answer = json.loads(line)
        self.values: list[Any] = answer["values"]
        self.compiled: int = answer["compiled"]
        self.loaded: int = answer["loaded"]


class Laboratory:
    """A folder of modules, a cache folder, and processes that use both."""

    def __init__(self, folder: Path):
        self.folder = folder / "modules"
        self.cache = folder / "cache"
        self.folder.mkdir()

    def write(self, **modules: str) -> None:
        """Write modules, given by name."""
        for name, text in modules.items():
            (self.folder / f"{name}.py").write_text(textwrap.dedent(text))

    def replace(self, module: str, old: str, new: str) -> None:
        """Edit a module; the text must be there."""
        path = self.folder / f"{module}.py"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def start(self, script: str, **environment: str) -> subprocess.Popen:
        """Start a process on a script that has `compose` and `tell`, and may read its standard input."""
        variables = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
        variables |= {
            "RINFORZA_CACHE_DIR": str(self.cache),
            "RINFORZA_QUIET": "1",
            "PYTHONPATH": os.pathsep.join([str(self.folder), os.environ.get("PYTHONPATH", "")]).rstrip(
                os.pathsep
            ),
            "PYTHONDONTWRITEBYTECODE": "1",  # a second edit within one second would go unnoticed
            **environment,
        }
        command = [sys.executable, "-c", PREAMBLE + textwrap.dedent(script)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, env=variables, text=True, cwd=self.folder, **pipes)

    def run(self, script: str, **environment: str) -> Told:
        """Run a script to its end and return what it told last."""
        return finish(self.start(script, **environment))

    def entries(self) -> list[Path]:
        """List the files in the cache folder, temporary ones too."""
        return sorted(path for path in self.cache.rglob("*") if path.is_file())


def finish(process: subprocess.Popen) -> Told:
    """Wait for a process and return what it told last."""
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, f"exit code {process.returncode}\n{output}{errors}"
    return Told(output.splitlines()[-1])
