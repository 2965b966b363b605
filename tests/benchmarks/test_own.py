"""The workloads on this library, and that they are the peer's."""

import ast
import json

import pytest

from benchmarks import own
from benchmarks.cases import GAME_OF_WORKLOAD
from benchmarks.process import ROOT

OURS, THEIRS = (
    ast.parse((ROOT / "benchmarks" / name).read_text()) for name in ("own.py", "peer_reinfors.py")
)

BY_HAND = ("BY_HAND", "STEPS_PER_LOOP", "measure_by_hand", "play_by_hand")


def body_of(tree, name):
    """Return a top-level definition as text, without comments, annotations and docstring."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return "\n".join(ast.unparse(statement) for statement in node.body[1:])
        if isinstance(node, ast.Assign) and node.targets[0].id == name:
            return ast.unparse(node.value)
    raise AssertionError(f"nothing is called {name}")


def options_of(tree):
    """Return the lines that declare command-line options."""
    lines = body_of(tree, "parse_arguments").splitlines()
    return [line for line in lines if "add_argument" in line]


@pytest.mark.parametrize("name", ["WORKLOADS", "null_network", "build_engine", *BY_HAND])
def test_both_sides_run_the_same_workload(name):
    assert body_of(OURS, name) == body_of(THEIRS, name)


def test_both_sides_take_the_same_arguments():
    assert len(options_of(OURS)) == 6
    assert options_of(OURS) == options_of(THEIRS)


def measured(*words):
    return own.measure(own.parse_arguments([*words, "--seconds", "0.001"]))


def test_a_search_reports_what_it_did():
    line = measured(
        "--workload", "alphazero_connect4", "--games", "4", "--simulations", "8", "--batch-size", "3"
    )
    assert line["simulations"] == 8 * line["decisions"] > 0
    assert line["records"] >= 4 * 16
    assert line["infer_calls"] <= line["infer_rows"] <= 3 * line["infer_calls"]
    assert 0.0 < line["infer_seconds"] < line["seconds"]
    assert 0.0 < line["cpu_seconds"]
    assert 10.0 < line["peak_memory_mb"] < 100_000.0
    assert (line["games"], line["threads"], line["batch_size"]) == (4, 1, 3)


def test_a_workload_without_search_reports_no_simulations():
    line = measured("--workload", "dqn_connect4", "--games", "2")
    assert line["simulations"] == 0 < line["decisions"]
    assert line["batch_size"] == 1


@pytest.mark.parametrize("workload", own.BY_HAND)
def test_a_game_by_hand_reports_its_steps(workload):
    line = measured("--workload", workload)
    assert line["steps"] >= own.STEPS_PER_LOOP
    assert line["seconds"] > 0.0 < line["cpu_seconds"]


def test_the_line_is_json():
    line = measured("--workload", "dqn_connect4", "--games", "2")
    assert json.loads(json.dumps(line)) == line


def test_every_workload_has_its_game():
    games = {name: workload.game().name for name, workload in own.WORKLOADS.items()}
    by_hand = {name: game().name for name, game in own.BY_HAND.items()}
    assert {**games, **by_hand} == GAME_OF_WORKLOAD
