"""Traversals of Deep CFR under a network that finds all actions alike."""

import itertools
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np


def traversing(library: ModuleType, game: Any, traversals: int) -> Iterator[Callable[[], dict[str, float]]]:
    """Return collects of a solver, for the first player."""
    solver = library.solvers.DeepCfr(game, seed=0)
    solver.next_iteration()
    advantages = np.ones((traversals, game.action_space().n), np.float32)  # a traversal waits for one row

    def collect() -> dict[str, float]:
        batch = solver.collect(0, traversals, lambda observations: advantages[: len(observations)])
        records = len(batch.advantage_obs) + len(batch.strategy_obs)
        return {"traversals": traversals, "records": records, "infer_calls": batch.telemetry["infer_calls"]}

    return itertools.repeat(collect)
