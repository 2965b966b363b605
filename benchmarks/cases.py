"""What is measured: the table's workloads with their sizes, and the targets they are held against."""

from typing import Any, NamedTuple

from .process import run_module
from .workloads import WORKLOADS, ByHand, Reaching, SelfPlay, Solving, Traversing, Workload


class Case(NamedTuple):
    """A workload with its sizes.

    Attributes:
        name: A key of `WORKLOADS`.
        games: Games played at once.
        batch_size: Rows of a callback call; 0 for the library's default.
        threads: Threads of the engine.
    """

    name: str
    games: int
    batch_size: int = 0
    threads: int = 1

    @property
    def workload(self) -> Workload:
        """The entry of the table."""
        return WORKLOADS[self.name]

    @property
    def label(self) -> str:
        """What tables call it."""
        if not isinstance(self.workload, SelfPlay):
            return self.name
        batch = f"batch {self.batch_size}" if self.batch_size else "default batch"
        return f"{self.name}, {self.games:,} games, {batch}"

    @property
    def game(self) -> str:
        """The name of its game."""
        return self.workload.game.name

    @property
    def unit(self) -> str:
        """The count that says how much was done, the same for both sides of a comparison."""
        return self.workload.unit

    @property
    def target(self) -> float:
        """The least ratio of our speed to that of reinfors; the most seconds of a `Reaching`."""
        return self.workload.targets[self.games, self.batch_size]

    def target_beside(self, peer: str) -> float | None:
        """Return the least ratio of our speed to a peer's, or None if that has no counterpart."""
        if peer == "open_spiel":
            return self.workload.open_spiel if isinstance(self.workload, Solving) else None
        return self.target

    def arguments(self, seconds: float) -> list[str]:
        """Return the command line of `measure` that runs it, on either library."""
        named = {
            "--workload": self.name,
            "--games": self.games,
            "--threads": self.threads,
            "--batch-size": self.batch_size,
            "--seconds": seconds,
        }
        return [word for name, value in named.items() for word in (name, str(value))]

    def run(self, seconds: float) -> dict[str, Any]:
        """Measure it on this library, in a new process."""
        return run_module("measure", *self.arguments(seconds))


def cases_of(kind: type[Workload]) -> tuple[Case, ...]:
    """Return every case of one kind of workload."""
    return tuple(
        Case(name, *size)
        for name, workload in WORKLOADS.items()
        if isinstance(workload, kind)
        for size in workload.targets
    )


SELF_PLAY_CASES = cases_of(SelfPlay)
ENV_CASES = cases_of(ByHand)
SOLVER_CASES = cases_of(Solving) + cases_of(Traversing)
REACHING_CASES = cases_of(Reaching)

SMALL_SEARCH = Case("alphazero_connect4", 128)
LARGE_SEARCH = Case("alphazero_connect4", 1024)

# Shown with all that can be told of an engine, even if nobody names them.
ENGINE_CASES = tuple(case for case in SELF_PLAY_CASES if case.workload.usual and not case.batch_size)
# Shown like that only if named.
OTHER_ENGINE_CASES = tuple(case for case in SELF_PLAY_CASES if not case.workload.usual)

TWO_THREADS_TARGET = 1.6
PEAK_MEMORY_TARGET = 400.0  # in units of 10**6 bytes, for LARGE_SEARCH
START_UP_TARGETS = {"import": 0.5, "cached": 1.5, "cold": 20.0}  # seconds, at most
