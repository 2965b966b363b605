"""OpenSpiel's solvers, written in C++, behind the few names of this library that `measure` uses."""

from types import SimpleNamespace
from typing import Any

import pyspiel

SOLVERS = {"vanilla": pyspiel.CFRSolver, "plus": pyspiel.CFRPlusSolver}


def make_game(name: str, **options: Any) -> Any:
    """Return the rules."""
    return pyspiel.load_game(name, options)


class Cfr:
    """A solver that updates both players in each iteration, one after the other."""

    def __init__(self, game: Any, variant: str, seed: int):
        self._solver = SOLVERS[variant](game)

    def iterate(self, n: int) -> None:
        """Do `n` iterations."""
        for _ in range(n):
            self._solver.evaluate_and_update_policy()


solvers = SimpleNamespace(Cfr=Cfr)
