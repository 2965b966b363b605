"""Run one workload on one library, and print one JSON line.

    python -m benchmarks.measure --workload alphazero_connect4 --games 128

The peers, `reinfors` 0.4.0 and `open_spiel` 2.0.2 from PyPI, are used through their public interfaces only;
an interpreter needs `numpy` and the peer, and `--library reinfors` or `open_spiel`. Both sides go through the
same lines of this file.

The network is null: the callback hands back views of arrays of zeros made beforehand, so the time
measured is the library's own. One repetition warms up; then they follow one another until `--seconds`
have been measured. The counts of the printed line are totals over the measured ones:

    cpu_seconds     processor time of all threads, for `seconds` of wall time
    simulations     decisions times those of each, where a policy has them
    decisions       the more even measure where records appear only when an episode ends
    batch_size      the size in force, also when the default was asked for
    steps           of an `Env`
    iterations      of a solver
    solutions       of a game, each from the first iteration on
    traversals      of Deep CFR
    peak_memory_mb  the most memory that the process has held, in units of 10**6 bytes

With `--threads 1` reinfors keeps most of two cores busy, one of them with the calling thread.
Pinned to one core (`taskset -c 0`) it is slower, its two threads then taking turns.
"""

import argparse
import importlib
import itertools
import json
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from .traversals import traversing
from .workloads import WORKLOADS, ByHand, Part, Reaching, SelfPlay, Solving, Traversing

LIBRARIES = {"rinforza": "rinforza", "reinfors": "reinfors", "open_spiel": "benchmarks.open_spiel"}  # modules
STEPS_PER_LOOP = 2_000
FIRST_ITERATIONS = 16  # of a solver, before it is asked how far it is
POLICIES_WITH_LOGITS = ("alphazero", "ppo")
TELEMETRY = ("decisions", "infer_rows", "infer_calls", "infer_seconds")

Counts = dict[str, float]
Repetitions = Iterator[Callable[[], Counts]]


def measure(args: argparse.Namespace) -> dict[str, object]:
    """Run the workload and return the line to print."""
    library = importlib.import_module(LIBRARIES[args.library])
    workload = WORKLOADS[args.workload]
    line: dict[str, object] = {"workload": args.workload, "library": args.library}
    if isinstance(workload, SelfPlay):
        batch_size = args.batch_size or max(1, args.games // 2)
        line |= {"games": args.games, "threads": args.threads, "batch_size": batch_size}
        repetitions = self_play(library, workload, args.games, batch_size, args.threads)
    elif isinstance(workload, ByHand):
        repetitions = by_hand(library, workload)
    elif isinstance(workload, Traversing):
        repetitions = traversing(library, make_game(library, workload.game), workload.traversals)
    elif isinstance(workload, Reaching):
        repetitions = reaching(library, workload)
    else:
        repetitions = solving(library, workload)
    return {**line, **timed(repetitions, args.seconds), "peak_memory_mb": peak_memory_mb()}


def timed(repetitions: Repetitions, seconds: float) -> Counts:
    """Run one to warm up and then more for so long; return the sums of their counts, and both clocks."""
    next(repetitions)()
    totals: Counts = {"seconds": 0.0, "cpu_seconds": 0.0}
    while totals["seconds"] < seconds:
        repetition = next(repetitions)  # what it takes to have it is not measured
        start, cpu_start = time.perf_counter(), time.process_time()
        counts = repetition()
        totals["seconds"] += time.perf_counter() - start
        totals["cpu_seconds"] += time.process_time() - cpu_start
        for name, count in counts.items():
            totals[name] = totals.get(name, 0) + count
    return totals


# ------------------------------------------------------------------------------ self-play


def self_play(
    library: ModuleType, workload: SelfPlay, games: int, batch_size: int, threads: int
) -> Repetitions:
    """Return equal collects of an engine."""
    game = make_game(library, workload.game)
    policy = library.make_policy(workload.policy.name, **workload.policy.options)
    learner = library.make_learner(workload.learner.name, **workload.learner.options)
    engine = library.Engine(
        game, None, policy, learner, games, seed=0, batch_size=batch_size, n_threads=threads
    )
    infer = null_network(workload, game.action_space().n, batch_size)
    floor = games * workload.records_per_game

    def collect() -> Counts:
        batch = engine.collect(floor, infer)
        counts = {name: batch.telemetry[name] for name in TELEMETRY}
        if workload.simulations:
            counts["simulations"] = counts["decisions"] * workload.simulations
        return {"records": len(batch.obs), **counts}

    return itertools.repeat(collect)


def make_game(library: ModuleType, game: Part) -> Any:
    """Return the rules."""
    return library.make_game(game.name, **game.options)


def null_network(workload: SelfPlay, num_actions: int, max_rows: int) -> Callable[[np.ndarray], object]:
    """Return a callback that answers with zeros; its answer for every row count is made here."""
    if workload.policy.name in POLICIES_WITH_LOGITS:
        logits = np.zeros((max_rows, num_actions), np.float32)
        values = np.zeros(max_rows, np.float32)
        answers = [(logits[:rows], values[:rows]) for rows in range(max_rows + 1)]
    else:
        q_values = np.zeros((max_rows, 1, num_actions), np.float32)
        answers = [q_values[:rows] for rows in range(max_rows + 1)]
    return lambda observations: answers[len(observations)]


# ------------------------------------------------------------------------------ by hand


def by_hand(library: ModuleType, workload: ByHand) -> Repetitions:
    """Return loops of random steps with `Env`."""
    env = library.Env(make_game(library, workload.game), library.Reward(), seed=0)
    choice = random.Random(0).choice

    def play() -> Counts:
        for _ in range(STEPS_PER_LOOP):
            if env.done():
                env.reset()
            env.step({agent: choice(env.legal_actions(agent)) for agent in env.active_agents()})
        return {"steps": STEPS_PER_LOOP}

    return itertools.repeat(play)


# ------------------------------------------------------------------------------ solvers


def solving(library: ModuleType, workload: Solving) -> Repetitions:
    """Yield calls of a solver, of a new one each time if the workload wants that."""
    game = make_game(library, workload.game)
    solver = None

    def iterate() -> Counts:
        solver.iterate(workload.iterations)
        return {"iterations": workload.iterations}

    while True:
        if solver is None or workload.fresh:
            solver = library.solvers.Cfr(game, workload.variant, seed=0)
        yield iterate


def reaching(library: ModuleType, workload: Reaching) -> Repetitions:
    """Return ways of new solvers to the end."""
    game = make_game(library, workload.game)

    def solve() -> Counts:
        solver = library.solvers.Cfr(game, workload.variant, seed=0)
        while solver.exploitability() > workload.exploitability:
            solver.iterate(FIRST_ITERATIONS + solver.iterations // 8)
        return {"solutions": 1, "iterations": solver.iterations}

    return itertools.repeat(solve)


# ------------------------------------------------------------------------------ the program


def peak_memory_mb() -> float:
    """Return the most memory that this process has held, in units of 10**6 bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def parse_arguments(words: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Run one benchmark workload on one library.")
    parser.add_argument("--workload", choices=WORKLOADS, required=True)
    parser.add_argument("--library", choices=LIBRARIES, default="rinforza")
    parser.add_argument("--games", type=int, default=128)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch-size", type=int, default=0, help="0: the library's default")
    parser.add_argument("--seconds", type=float, default=3.0, help="measure at least this long")
    return parser.parse_args(words)


if __name__ == "__main__":
    print(json.dumps(measure(parse_arguments())))
