"""What the services around a collection cost, in one process: prints one JSON line.

python -m benchmarks.life

stream      rows/s of a stream with two threads over those of plain collects with one, under a network
            that waits as long as the tree work takes
cache       processor time of a row with a cache too small to find more than a few, over that without one,
            under a network of two layers in NumPy
snapshot    seconds to snapshot 256 games of chess at 200 simulations to bytes and to restore them
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # its idle threads count as processor time

import numpy as np

import rinforza as rf

SEARCH_GAMES, SEARCH_ROWS = 512, 256
SHORT_GAMES = 40  # moves
LAYER = 128
SNAPSHOT_GAMES, SNAPSHOT_SIMULATIONS = 256, 200
WAITING_GAMES, WAITING_ROWS = 2048, 1024  # windows of milliseconds, beside which a sleep is exact
WARM_UPS = 8  # batches
TINY_CACHE = 2  # entries: nearly all is forgotten before it comes back


def null_network(n_actions: int, rows: int) -> Callable:
    """Return a network that costs nothing."""
    logits, values = np.zeros((rows, n_actions), np.float32), np.zeros(rows, np.float32)
    return lambda obs: (logits[: len(obs)], values[: len(obs)])


def small_network(game: rf.Game) -> Callable:
    """Return a network of two layers."""
    generator = np.random.default_rng(0)
    inputs = int(np.prod(game.observation_space().shape))
    first = generator.normal(size=(inputs, LAYER)).astype(np.float32) / inputs
    second = generator.normal(size=(LAYER, game.num_actions + 1)).astype(np.float32) / LAYER

    def infer(obs: np.ndarray):
        out = np.maximum(obs.reshape(len(obs), -1) @ first, 0.0) @ second
        return out[:, :-1], out[:, -1]

    return infer


def searching(game: rf.Game, n_games: int, simulations: int, **options: Any) -> rf.Engine:
    """Return an engine that searches."""
    return rf.Engine(
        game, None, rf.policies.AlphaZero(simulations), rf.learners.AlphaZero(), n_games, **options
    )


def overlap(game: rf.Game, seconds: float) -> float:
    """Return what a stream gains by overlapping the network with the tree work."""
    null = null_network(game.num_actions, WAITING_ROWS)
    asked, tree = [0], [0.0]

    def waiting(obs: np.ndarray):
        asked[0] += len(obs)
        time.sleep(tree[0] * len(obs))
        return null(obs)

    plain = searching(game, WAITING_GAMES, 32, batch_size=WAITING_ROWS, n_threads=1)
    # The tree work takes longer beside a network that waits: caches and clocks cool.
    for _ in range(WARM_UPS):
        measured = plain.collect(WAITING_GAMES, waiting).telemetry
        tree[0] = (measured["collect_seconds"] - measured["infer_seconds"]) / measured["infer_rows"]

    def rows_per_second(collect: Callable[[], Any]) -> float:
        """Return how many rows a second the network is asked while batches are collected."""
        for _ in range(WARM_UPS):
            collect()
        before, start = asked[0], time.perf_counter()
        while (passed := time.perf_counter() - start) < seconds:
            collect()
        return (asked[0] - before) / passed

    alone = rows_per_second(lambda: plain.collect(WAITING_GAMES, waiting))
    engine = searching(game, WAITING_GAMES, 32, batch_size=WAITING_ROWS, n_threads=2)
    with engine.collect_stream(WAITING_GAMES, waiting) as stream:
        return rows_per_second(stream.next) / alone


def cache_cost(game: rf.Game, seconds: float) -> float:
    """Return what a row costs with a cache that hardly finds one, over what it costs without one."""
    network = small_network(game)
    engines = [
        searching(game, SEARCH_GAMES, 32, batch_size=SEARCH_ROWS, n_threads=1, infer_cache=entries)
        for entries in (0, TINY_CACHE)
    ]
    times, rows = [0.0, 0.0], [0, 0]
    while min(times) < seconds:
        for side, engine in enumerate(engines):
            start = time.process_time()
            rows[side] += engine.collect(SEARCH_GAMES, network).telemetry["requested_rows"]
            times[side] += time.process_time() - start
    return (times[1] / rows[1]) / (times[0] / rows[0])


def snapshot_seconds() -> float:
    """Return how long it takes to write a snapshot and to restore it."""
    game = rf.games.Chess()
    engine = searching(game, SNAPSHOT_GAMES, SNAPSHOT_SIMULATIONS)
    engine.collect(1, null_network(game.num_actions, SNAPSHOT_GAMES))
    engine.restore(engine.snapshot())  # compiles what is needed
    start = time.perf_counter()
    engine.restore(rf.EngineSnapshot.from_bytes(engine.snapshot().to_bytes()))
    return time.perf_counter() - start


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.life", description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    seconds = parser.parse_args().seconds
    line = {
        "stream_othello": overlap(rf.games.Othello(), seconds),
        "stream_go": overlap(rf.games.Go(9), seconds),
        "cache_connect4": cache_cost(rf.games.Connect4(), seconds),
        "cache_chess": cache_cost(rf.games.Chess(max_ticks=SHORT_GAMES), seconds),
        "snapshot": snapshot_seconds(),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
