"""The demo runs without a framework and shows what it promises."""

import ast
import sys

import pytest

from rinforza.learners import AlphaZeroBatch

from .programs import EXAMPLES, percentages, run_example

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def output():
    return run_example("demo.py", "--quick", seconds=300)


def test_table_of_strength(output):
    rows = [line for line in output.splitlines() if "|" in line and "%" in line]
    assert len(rows) == 5
    assert all(len(percentages(row)) == 3 for row in rows)
    games = [int(row.split()[0].replace(",", "")) for row in rows]
    assert games[0] == 0
    assert games == sorted(set(games))


def test_progress_in_plain_lines(output):
    assert "\r" not in output
    assert "25% done" in output
    assert "100% done" in output


def test_every_field_is_described(output):
    for field in AlphaZeroBatch.fields:
        (line,) = [line for line in output.splitlines() if line.strip().startswith(field + " ")]
        assert line.split(")", 1)[1].strip()


def test_telemetry_is_printed(output):
    shown = dict(line.strip().split(": ", 1) for line in output.splitlines() if line.startswith("  infer_"))
    assert int(shown["infer_rows"].replace(",", "")) > int(shown["infer_calls"].replace(",", "")) > 0


def test_a_finished_game_is_drawn(output):
    assert ("X wins." in output) + ("O wins." in output) + ("A draw." in output) == 1
    boards = [line for line in output.splitlines() if line and set(line) <= set(" .XO")]
    assert len(boards) % 6 == 0
    assert all(len(row) == 7 for line in boards for row in line.split())


@pytest.mark.parametrize("name", ["demo.py", "evaluate.py", "numpy_network.py", "progress.py"])
def test_it_needs_numpy_only(name):
    tree = ast.parse((EXAMPLES / name).read_text())
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    own = {path.stem for path in EXAMPLES.glob("*.py")}
    assert modules <= own | set(sys.stdlib_module_names) | {"numpy", "rinforza"}
