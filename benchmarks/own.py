"""Run one benchmark workload on this library and print one JSON line.

    python -m benchmarks.own --workload alphazero_connect4 --games 128 --simulations 64

The workloads, the arguments and the printed counts are those of `peer_reinfors.py`, whose heading explains
them. One number is added: `peak_memory_mb`, the most memory the process has held, in units of 10**6 bytes.
"""

import argparse
import json
import random
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import rinforza as rf


@dataclass(frozen=True)
class Workload:
    """A composition to measure."""

    game: Callable[[], rf.Game]
    searches: bool
    records_per_game: int
    """Floor of one collect, per game: long enough to hide how a collect starts and ends."""


WORKLOADS = {
    "alphazero_connect4": Workload(rf.games.Connect4, searches=True, records_per_game=16),
    "dqn_connect4": Workload(rf.games.Connect4, searches=False, records_per_game=256),
    "dqn_gridworld": Workload(rf.games.GridWorld, searches=False, records_per_game=1024),
}

# Games that the caller plays by hand, one at a time, at random, through the public face of `Env`.
BY_HAND = {
    "env_connect4": rf.games.Connect4,
    "env_gridworld": rf.games.GridWorld,
    "env_snake": rf.games.Snake,
}
STEPS_PER_LOOP = 2_000


def null_network(workload: Workload, num_actions: int, max_rows: int) -> Callable[[np.ndarray], object]:
    """Return a callback that answers with zeros; its answer for every row count is made here."""
    if workload.searches:
        logits = np.zeros((max_rows, num_actions), np.float32)
        values = np.zeros(max_rows, np.float32)
        answers = [(logits[:rows], values[:rows]) for rows in range(max_rows + 1)]
    else:
        q_values = np.zeros((max_rows, 1, num_actions), np.float32)
        answers = [q_values[:rows] for rows in range(max_rows + 1)]
    return lambda observations: answers[len(observations)]


def build_engine(workload: Workload, game: rf.Game, args: argparse.Namespace) -> rf.Engine:
    """Compose the engine; what the arguments do not name keeps the library's default."""
    if workload.searches:
        policy = rf.policies.AlphaZero(num_simulations=args.simulations)
        learner = rf.learners.AlphaZero()
    else:
        policy = rf.policies.EpsilonGreedyQ(n_heads=1, epsilon=0.1)
        learner = rf.learners.Dqn()
    return rf.Engine(
        game,
        None,
        policy,
        learner,
        args.games,
        seed=0,
        batch_size=args.batch_size,
        n_threads=args.threads,
    )


def measure(args: argparse.Namespace) -> dict[str, object]:
    """Run the workload and return the line to print."""
    if args.workload in BY_HAND:
        return measure_by_hand(args)
    workload = WORKLOADS[args.workload]
    game = workload.game()
    batch_size = args.batch_size or max(1, args.games // 2)
    engine = build_engine(workload, game, args)
    infer = null_network(workload, game.action_space().n, batch_size)
    floor = args.games * workload.records_per_game

    engine.collect(floor, infer)
    seconds = cpu_seconds = 0.0
    totals = {"records": 0, "decisions": 0, "infer_rows": 0, "infer_calls": 0, "infer_seconds": 0.0}
    while seconds < args.seconds:
        start, cpu_start = time.perf_counter(), time.process_time()
        batch = engine.collect(floor, infer)
        seconds += time.perf_counter() - start
        cpu_seconds += time.process_time() - cpu_start
        totals["records"] += len(batch.obs)
        for key in ("decisions", "infer_rows", "infer_calls", "infer_seconds"):
            totals[key] += batch.telemetry[key]

    return {
        "workload": args.workload,
        "games": args.games,
        "threads": args.threads,
        "batch_size": batch_size,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "peak_memory_mb": peak_memory_mb(),
        "simulations": totals["decisions"] * args.simulations if workload.searches else 0,
        **totals,
    }


def measure_by_hand(args: argparse.Namespace) -> dict[str, object]:
    """Play with `Env` and return the line to print."""
    env = rf.Env(BY_HAND[args.workload](), rf.Reward(), seed=0)
    choice = random.Random(0).choice
    play_by_hand(env, choice, STEPS_PER_LOOP)
    seconds = cpu_seconds = 0.0
    steps = 0
    while seconds < args.seconds:
        start, cpu_start = time.perf_counter(), time.process_time()
        play_by_hand(env, choice, STEPS_PER_LOOP)
        seconds += time.perf_counter() - start
        cpu_seconds += time.process_time() - cpu_start
        steps += STEPS_PER_LOOP
    return {"workload": args.workload, "seconds": seconds, "cpu_seconds": cpu_seconds, "steps": steps}


def play_by_hand(env: rf.Env, choice: Callable[[list[int]], int], steps: int) -> None:
    """Play random games for so many steps."""
    for _ in range(steps):
        if env.done():
            env.reset()
        env.step({agent: choice(env.legal_actions(agent)) for agent in env.active_agents()})


def peak_memory_mb() -> float:
    """Return the most memory that this process has held, in units of 10**6 bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def parse_arguments(words: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Run one benchmark workload on rinforza.")
    parser.add_argument("--workload", choices=sorted([*WORKLOADS, *BY_HAND]), required=True)
    parser.add_argument("--games", type=int, default=128)
    parser.add_argument("--simulations", type=int, default=64, help="per decision; for searches only")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch-size", type=int, default=0, help="0: the library's default")
    parser.add_argument("--seconds", type=float, default=3.0, help="measure at least this long")
    return parser.parse_args(words)


if __name__ == "__main__":
    print(json.dumps(measure(parse_arguments())))
