"""What is measured: workloads with their sizes, and the targets they are held against."""

from typing import Any, NamedTuple

from .process import run_module

SIMULATIONS = 64
GAME_OF_WORKLOAD = {
    "alphazero_connect4": "connect4",
    "dqn_connect4": "connect4",
    "dqn_gridworld": "gridworld",
    "env_connect4": "connect4",
    "env_gridworld": "gridworld",
    "env_snake": "snake",
}


class Case(NamedTuple):
    """A workload with its sizes.

    Attributes:
        workload: A key of `GAME_OF_WORKLOAD`.
        games: Games played at once.
        batch_size: Rows of a callback call; 0 for the library's default.
        threads: Threads of the engine.
    """

    workload: str
    games: int
    batch_size: int = 0
    threads: int = 1

    @property
    def label(self) -> str:
        """What tables call it."""
        if self.work == "steps":
            return f"{self.workload}, one game by hand"
        batch = f"batch {self.batch_size}" if self.batch_size else "default batch"
        return f"{self.workload}, {self.games:,} games, {batch}"

    @property
    def game(self) -> str:
        """The name of its game."""
        return GAME_OF_WORKLOAD[self.workload]

    @property
    def work(self) -> str:
        """The count that says how much was done, the same for both sides of a comparison."""
        kind = self.workload.partition("_")[0]
        return {"alphazero": "simulations", "dqn": "decisions", "env": "steps"}[kind]

    def arguments(self, seconds: float) -> list[str]:
        """Return the command line that both `own` and `peer_reinfors` take."""
        named = {
            "--workload": self.workload,
            "--games": self.games,
            "--simulations": SIMULATIONS,
            "--threads": self.threads,
            "--batch-size": self.batch_size,
            "--seconds": seconds,
        }
        return [word for name, value in named.items() for word in (name, str(value))]

    def run(self, seconds: float) -> dict[str, Any]:
        """Measure it on this library, in a new process."""
        return run_module("own", *self.arguments(seconds))


SMALL_SEARCH = Case("alphazero_connect4", 128)
LARGE_SEARCH = Case("alphazero_connect4", 1024)
DQN_CONNECT4 = Case("dqn_connect4", 128)
DQN_GRIDWORLD = Case("dqn_gridworld", 128)

ENV_CASES = tuple(Case(name, 1) for name in GAME_OF_WORKLOAD if name.startswith("env"))
ENV_TARGET = 1.0  # the least ratio of our speed to the peer's

ENGINE_CASES = (SMALL_SEARCH, LARGE_SEARCH, DQN_CONNECT4, DQN_GRIDWORLD)

# The least ratio of our speed to the peer's. A batch as large as the games is the peer's best.
PEER_TARGETS = {
    SMALL_SEARCH: 4.0,
    SMALL_SEARCH._replace(batch_size=128): 4.0,
    LARGE_SEARCH: 6.0,
    LARGE_SEARCH._replace(batch_size=1024): 6.0,
    DQN_CONNECT4: 4.0,
    DQN_GRIDWORLD: 4.0,
}
TWO_THREADS_TARGET = 1.6
PEAK_MEMORY_TARGET = 400.0  # in units of 10**6 bytes, for LARGE_SEARCH
START_UP_TARGETS = {"import": 0.5, "cached": 1.5, "cold": 20.0}  # seconds, at most
