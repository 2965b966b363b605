"""The program that runs one workload on one library."""

import json
import types

import numpy as np
import pytest

import rinforza as rf
from benchmarks import measure
from benchmarks.measure import timed
from benchmarks.workloads import LEDUC, ONE_GAME, WORKLOADS, ByHand, Reaching, SelfPlay, Solving, Traversing


def measured(*words):
    return measure.measure(measure.parse_arguments([*words, "--seconds", "0.001"]))


def test_a_search_reports_what_it_did():
    line = measured("--workload", "alphazero_connect4", "--games", "4", "--batch-size", "3")
    assert line["simulations"] == 64 * line["decisions"] > 0
    assert line["records"] >= 4 * 16
    assert line["infer_calls"] <= line["infer_rows"] <= 3 * line["infer_calls"]
    assert 0.0 < line["infer_seconds"] < line["seconds"]
    assert 0.0 < line["cpu_seconds"]
    assert 10.0 < line["peak_memory_mb"] < 100_000.0
    assert (line["library"], line["games"], line["threads"], line["batch_size"]) == ("rinforza", 4, 1, 3)


def test_a_workload_without_search_reports_no_simulations():
    line = measured("--workload", "dqn_connect4", "--games", "2")
    assert "simulations" not in line
    assert line["decisions"] > 0
    assert line["batch_size"] == 1


@pytest.mark.parametrize("workload", [name for name, entry in WORKLOADS.items() if isinstance(entry, ByHand)])
def test_a_game_by_hand_reports_its_steps(workload):
    line = measured("--workload", workload)
    assert line["steps"] >= measure.STEPS_PER_LOOP
    assert line["seconds"] > 0.0 < line["cpu_seconds"]


class CountedSolver:
    """Keeps how many iterations each call asked for."""

    def __init__(self, game, variant, seed):
        self.parts, self.asked = (game.name, variant, seed), []

    def iterate(self, iterations):
        self.asked.append(iterations)


@pytest.mark.parametrize(
    ("name", "parts", "asked"),
    [
        ("cfr_plus_leduc", ("leduc_poker", "plus", 0), [[16, 16, 16]]),
        ("cfr_external_holdem_2", ("texas_holdem", "external_mccfr", 0), [[4096]] * 3),
    ],
)
def test_a_solver_goes_on_unless_its_tables_grow_without_end(name, parts, asked):
    made = []

    def cfr(*arguments, seed):
        made.append(CountedSolver(*arguments, seed))
        return made[-1]

    library = types.SimpleNamespace(make_game=rf.make_game, solvers=types.SimpleNamespace(Cfr=cfr))
    workload = WORKLOADS[name]
    repetitions = measure.solving(library, workload)
    assert [next(repetitions)() for _ in range(3)] == [{"iterations": workload.iterations}] * 3
    assert [solver.parts for solver in made] == [parts] * len(asked)
    assert [solver.asked for solver in made] == asked


class ImprovingSolver:
    """Can be exploited by 1 / iterations."""

    iterations = 0

    def __init__(self, game, variant, seed):
        self.parts = game.name, variant, seed

    def iterate(self, iterations):
        self.iterations += iterations

    def exploitability(self):
        return 1.0 / (1 + self.iterations)


def test_a_solver_goes_all_the_way():
    library = types.SimpleNamespace(
        make_game=rf.make_game, solvers=types.SimpleNamespace(Cfr=ImprovingSolver)
    )
    repetitions = measure.reaching(library, Reaching(LEDUC, "plus", 0.01, {ONE_GAME: 1.0}))
    found = [next(repetitions)() for _ in range(2)]
    assert found[0] == found[1]
    assert found[0]["solutions"] == 1
    assert 99 <= found[0]["iterations"] < 99 + 2 * measure.FIRST_ITERATIONS


def test_neither_the_first_repetition_nor_making_one_is_measured(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(measure.time, "perf_counter", lambda: now[0])

    def repetitions():
        for rows in (100, 1, 2):
            now[0] += 10.0

            def repetition(rows=rows):
                now[0] += 1.0
                return {"rows": rows}

            yield repetition

    totals = timed(repetitions(), seconds=2.0)
    assert (totals["rows"], totals["seconds"]) == (3, 2.0)


def test_the_line_is_json():
    line = measured("--workload", "dqn_connect4", "--games", "2")
    assert json.loads(json.dumps(line)) == line


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_library_has_the_parts_of_every_workload(name):
    """Made, not composed: an engine compiles, and all of them would take minutes."""
    made = []
    parts = {kind: getattr(rf, kind) for kind in ("make_game", "make_policy", "make_learner", "solvers")}
    library = types.SimpleNamespace(**parts, Engine=lambda *parts, **sizes: made.append((parts, sizes)))
    workload = WORKLOADS[name]
    assert measure.make_game(library, workload.game).name == workload.game.name
    if isinstance(workload, SelfPlay):
        measure.self_play(library, workload, games=2, batch_size=1, threads=1)
        ((game, _, policy, learner, games), sizes) = made[0]
        assert (game.name, policy.name) == (workload.game.name, workload.policy.name)
        assert isinstance(learner, rf.Learner)
        assert (games, sizes) == (2, {"seed": 0, "batch_size": 1, "n_threads": 1})
    elif isinstance(workload, Solving):
        assert callable(next(measure.solving(library, workload)))
    elif isinstance(workload, Reaching):
        solved = next(measure.reaching(library, workload))()
        assert solved["solutions"] == 1
        assert solved["iterations"] > measure.FIRST_ITERATIONS
    elif isinstance(workload, Traversing):
        game = measure.make_game(library, workload.game)
        counts = next(measure.traversing(library, game, 3))()
        assert counts["traversals"] == 3
        assert counts["records"] > 3


@pytest.mark.parametrize("name", [name for name, entry in WORKLOADS.items() if isinstance(entry, SelfPlay)])
def test_the_null_network_answers_in_the_shape_of_the_policy(name):
    answer = measure.null_network(WORKLOADS[name], num_actions=5, max_rows=3)(np.zeros((2, 7), np.float32))
    shapes = [array.shape for array in answer] if isinstance(answer, tuple) else answer.shape
    asks_logits = name.startswith(("alphazero", "ppo"))
    assert shapes == ([(2, 5), (2,)] if asks_logits else (2, 1, 5))
