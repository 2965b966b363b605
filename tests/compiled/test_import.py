"""What importing costs: Numba comes only when something is compiled."""

import statistics

import pytest

from tests.compiled.processes import Laboratory

LIST_MODULES = """
import sys
import rinforza
tell(sorted(name for name in ("numba", "llvmlite", "hypothesis", "torch", "pytest") if name in sys.modules))
"""


def test_importing_the_library_imports_no_numba(tmp_path):
    assert Laboratory(tmp_path).run(LIST_MODULES).values == [[]]


def test_plain_python_never_imports_numba(tmp_path):
    laboratory = Laboratory(tmp_path)
    laboratory.write(game="def step(x):\n    return x * 3\n")
    script = """
        import sys
        import game
        {context}
            value = compose(game.step)(5)
        tell(value, "numba" in sys.modules)
        """
    told = laboratory.run(script.format(context="if True:"), NUMBA_DISABLE_JIT="1")
    assert (told.values, told.compiled) == ([15, False], 0)
    told = laboratory.run(script.format(context="with without_compiling():"))
    assert (told.values, told.compiled) == ([15, False], 0)
    assert laboratory.entries() == []


@pytest.mark.slow
def test_importing_the_library_takes_little_more_than_numpy(tmp_path):
    """Measured in processor seconds, the middle of five."""
    laboratory = Laboratory(tmp_path)
    script = """
        import time
        before = time.process_time()
        import rinforza
        tell(time.process_time() - before)
        """
    assert statistics.median(laboratory.run(script).values[0] for _ in range(5)) < 0.5


def test_the_first_compilation_of_more_than_a_second_is_announced_once(tmp_path, capsys, monkeypatch):
    from rinforza.compiled import build

    monkeypatch.setattr(build, "_announced", [0.0])
    monkeypatch.delenv("RINFORZA_QUIET", raising=False)
    for label, seconds in [("Game.actor", 0.6), ("Game.step", 0.6), ("Game.valid", 5.0)]:
        build._progress(label, seconds)
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "rinforza: compiling (Game.step ...); the result is kept for the next run"
    monkeypatch.setattr(build, "_announced", [0.0])
    monkeypatch.setenv("RINFORZA_QUIET", "1")
    build._progress("Game.step", 5.0)
    assert capsys.readouterr().err == ""
