"""A long run of what engines do, at random: does memory grow, does a thread stay, does it hang?

    python -m benchmarks.soak --minutes 30

Engines collect, stream, pause, fail, are told of new weights, set, snapshot, restored and made anew. Memory is what
the system counts for the process. It grows while tables and caches fill; judged is the last part of the run.
"""

import argparse
import faulthandler
import gc
import random
import resource
import statistics
import threading
import time
from array import array
from collections.abc import Callable
from pathlib import Path

import numpy as np

import rinforza as rf

LONGEST_STEP = 300  # seconds after which a step counts as hanging
ALLOWED_GROWTH = 0.02
SETTLED = 0.4  # the share of the run after which tables and caches are as large as they get
N_GAMES = 32


class OutageError(Exception):
    """What a network raises now and then."""


class Network:
    """Answers that depend on the row and on a salt, which stands for the weights.

    Args:
        answer: From a salted number for each row to what the policy reads.
        generator: Decides when it fails.
    """

    def __init__(self, answer: Callable, generator: random.Random):
        self._answer, self._generator = answer, generator
        self.salt = 1.0

    def __call__(self, obs: np.ndarray):
        if self._generator.random() < 0.002:
            raise OutageError
        flat = obs.reshape(len(obs), -1)
        return self._answer(np.sin(self.salt + flat @ np.cos(np.arange(flat.shape[1]) * self.salt)))


def policy_value(n_actions: int) -> Callable:
    """Return what turns numbers into logits and values."""
    return lambda numbers: (np.sin(numbers[:, None] * np.arange(1, 1 + n_actions)), numbers)


def action_values(n_actions: int) -> Callable:
    """Return what turns numbers into the values of one head."""
    return lambda numbers: np.sin(numbers[:, None, None] * np.arange(1, 1 + n_actions))


def compositions() -> list[tuple[Callable[[], rf.Engine], Callable]]:
    """Return what makes each engine, and its network's answers."""
    chess = rf.games.Chess(max_ticks=60)
    return [
        (
            lambda: rf.Engine(
                rf.games.Connect4(),
                None,
                rf.policies.AlphaZero(32),
                rf.learners.AlphaZero(augment=True),
                N_GAMES,
                infer_cache="8MB",
                n_threads=2,
            ),
            policy_value(7),
        ),
        (
            lambda: rf.Engine(
                rf.games.Snake(),
                None,
                rf.policies.EpsilonGreedyQ(epsilon=0.2),
                rf.learners.Dqn(),
                N_GAMES,
                start_buffer=True,
                start_buffer_capacity=10,
                n_threads=2,
            ),
            action_values(rf.games.Snake().num_actions),
        ),
        (
            lambda: rf.Engine(
                chess, None, rf.policies.Ppo(), rf.learners.Ppo(), N_GAMES, infer_cache=2000, n_threads=2
            ),
            policy_value(chess.num_actions),
        ),
    ]


class Subject:
    """One engine of the run, and what may happen to it.

    Args:
        make: Makes it.
        network: Its network.
        generator: Decides what happens.
    """

    def __init__(self, make: Callable[[], rf.Engine], network: Network, generator: random.Random):
        self._make, self._network, self._generator = make, network, generator
        self._engine = make()
        self.deeds = (self.collect, self.stream, self.learn, self.set, self.restore, self.renew)

    def act(self) -> None:
        """Do one thing; networks that fail are part of it."""
        try:
            self._generator.choices(self.deeds, (6, 3, 3, 1, 2, 1))[0]()
        except OutageError:
            pass

    def _size(self) -> int:
        return self._generator.randrange(1, 400)

    def collect(self) -> None:
        """Collect a batch."""
        self._engine.collect(self._size(), self._network)

    def stream(self) -> None:
        """Take some batches from a stream, with new weights in between; pause or stop it."""
        with self._engine.collect_stream(self._size(), self._network, depth=2) as stream:
            for _ in range(self._generator.randrange(4)):
                stream.next()
                self.learn()
            if self._generator.random() < 0.5:
                stream.pause()

    def learn(self) -> None:
        """Have new weights."""
        self._network.salt = self._generator.random()
        self._engine.weights_updated()

    def set(self) -> None:
        """Change the first parameter that may change, by a little."""
        config = self._engine.resolved_config()["policy"]
        for name in ("epsilon", "temperature"):
            if name in config:
                self._engine.set(**{name: self._generator.random()})

    def restore(self) -> None:
        """Go on from a snapshot, sometimes with another engine."""
        raw = self._engine.snapshot().to_bytes()
        if self._generator.random() < 0.3:
            self._engine = self._make()
        self._engine.restore(rf.EngineSnapshot.from_bytes(raw))

    def renew(self) -> None:
        """Have another engine."""
        self._engine = self._make()


def resident_bytes() -> int:
    """Return the memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def soak(minutes: float, seed: int) -> tuple[array, int]:
    """Run for so long; return the memory after each step, and how many threads are left at the end."""
    generator = random.Random(seed)
    threads = threading.active_count()
    subjects = [Subject(make, Network(answer, generator), generator) for make, answer in compositions()]
    memory = array("q")  # small itself
    end = time.monotonic() + 60 * minutes
    try:
        while time.monotonic() < end:
            faulthandler.dump_traceback_later(LONGEST_STEP, exit=True)
            generator.choice(subjects).act()
            memory.append(resident_bytes())
    finally:
        faulthandler.cancel_dump_traceback_later()
    del subjects
    gc.collect()
    time.sleep(0.2)
    return memory, threading.active_count() - threads


def growth(memory: array) -> float:
    """Return by which share the memory grew from the first half of the settled part to its second."""
    settled = memory[int(SETTLED * len(memory)) :]
    middle = len(settled) // 2
    return statistics.median(settled[middle:]) / statistics.median(settled[:middle]) - 1.0


def main() -> None:
    """Run it and tell what came of it; exit with 1 if something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    memory, left = soak(arguments.minutes, arguments.seed)
    grown = growth(memory)
    print(f"{len(memory)} steps, {memory[-1] / 1e6:.0f} MB at the end, highest {max(memory) / 1e6:.0f} MB")
    print(f"growth after warm-up {grown:.2%} (allowed {ALLOWED_GROWTH:.0%}); threads left: {left}")
    if grown > ALLOWED_GROWTH or left > 0:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
