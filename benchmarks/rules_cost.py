"""Time the rules of games alone: random games in one compiled loop, no engine and no search.

    python -m benchmarks.rules_cost

The loop calls the rules by address, as the engine does. One JSON line tells, for each game, the
nanoseconds per ply of asking whose turn it is, the legal actions and the step (`step_ns`), and of
the same with encoding what the mover sees (`row_ns`). Starting the games, chance nodes, and drawing
the moves (a multiplication and two shifts) are included; rewards are not. Where players move at
once, a ply is the joint move.
"""

import argparse
import json
import statistics
import time
from collections.abc import Iterable

import numpy as np

import rinforza as rf
from rinforza.compiled import INT, Prototype, array_at, clear_bytes, compile_function, record_at
from rinforza.compiled.random import STREAM
from rinforza.contracts.composition import Rules
from rinforza.contracts.rules import (
    CHANCE,
    INITIAL,
    RULES,
    SCRATCH,
    SIMULTANEOUS,
    TERMINAL,
    actor,
    encode,
    legal_actions,
    resolve_chance,
    sample_outcome,
    step,
)

FACTOR = np.uint64(0xD1342543DE82EF95)  # of a linear congruential generator: the cheapest draw
INCREMENT = np.uint64(0x9E3779B97F4A7C15)
SHIFT_33 = np.uint64(33)

PLAY = Prototype("play", INT, *[INT] * 7)
PLIES_PER_CALL = 20_000


def play(table, scratch_address, stream_address, state, observation, plies, encodes):
    """Play random games for `plies` plies; return how many were begun.

    `observation` is the address of room for one view, encoded at every ply if `encodes` is not 0.
    """
    rules = record_at(table, RULES)
    scratch = record_at(scratch_address, SCRATCH)
    stream = record_at(stream_address, STREAM)
    joint = array_at(scratch.joint, rules.n_players, np.int64)
    legal = array_at(scratch.legal, rules.n_actions, np.int32)
    word = INCREMENT
    games = 1
    begin(rules, state)
    while plies > 0:
        turn = actor(rules, state)
        if turn == TERMINAL:
            games += 1
            begin(rules, state)
        elif turn == CHANCE:
            resolve_chance(rules, scratch, state, sample_outcome(rules, scratch, state, stream))
        else:
            first, beyond = turn, turn + 1
            if turn == SIMULTANEOUS:
                first, beyond = 0, rules.n_players
            for player in range(first, beyond):
                count = legal_actions(rules, state, player, scratch.legal)
                if count > 0:
                    if encodes != 0:
                        encode(rules, state, player, observation)
                    word = word * FACTOR + INCREMENT
                    joint[player] = legal[(np.int64(word >> SHIFT_33) * count) >> 31]
            step(rules, scratch, state)
            plies -= 1
    return games


def begin(rules, state):
    """Write the first state."""
    clear_bytes(state, rules.state_size)
    INITIAL(rules.initial, rules.game, state)


class RandomGames:
    """The loop, with the memory it needs for one game.

    Args:
        game: The game, with its encoder.
    """

    def __init__(self, game: rf.Game):
        self._rules = Rules(game, None)
        self._compiled = compile_function(play, PLAY, {}, "benchmark play")
        self.observation = np.zeros(self._rules.observation_size, np.float32)
        self._state = np.zeros(self._rules.state_size, np.uint8)
        self._scratch = np.zeros(1, SCRATCH)
        self._stream = np.zeros(1, STREAM)
        self._arrays = {
            "joint": np.zeros(game.num_players, np.int64),
            "events": np.zeros((game.num_players, len(game.events)), np.float64),
            "probabilities": np.zeros(max(1, game.most_outcomes), np.float64),
            "legal": np.zeros(game.num_actions, np.int32),
        }
        for field, array in self._arrays.items():
            self._scratch[field] = array.ctypes.data

    def play(self, plies: int, encodes: bool) -> int:
        """Play for so many plies; return how many games were begun."""
        arrays = (self._scratch, self._stream, self._state, self.observation)
        addresses = [array.ctypes.data for array in arrays]
        return self._compiled.entry(self._rules.address, *addresses, plies, int(encodes))

    def nanoseconds_per_ply(self, encodes: bool, seconds: float) -> float:
        """Return the median over as many calls of the loop as fit into the time."""
        self.play(PLIES_PER_CALL, encodes)
        measured = []
        until = time.perf_counter() + seconds
        while not measured or time.perf_counter() < until:
            start = time.perf_counter_ns()
            self.play(PLIES_PER_CALL, encodes)
            measured.append((time.perf_counter_ns() - start) / PLIES_PER_CALL)
        return statistics.median(measured)


def built_in_games() -> dict[str, rf.Game]:
    """Return every built-in game with its default parameters, by name."""
    games = [getattr(rf.games, name)() for name in rf.games.__all__]
    return {game.name: game for game in games}


def measure(games: Iterable[rf.Game], seconds: float) -> dict[str, dict[str, float]]:
    """Return the cost of each game's rules; each number is measured for so many seconds."""
    costs = {}
    for game in games:
        loop = RandomGames(game)
        costs[game.name] = {
            "step_ns": loop.nanoseconds_per_ply(False, seconds),
            "row_ns": loop.nanoseconds_per_ply(True, seconds),
        }
    return costs


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Time the rules of games alone.")
    parser.add_argument("--seconds", type=float, default=0.3, help="for each number")
    parser.add_argument("--game", action="append", choices=built_in_games(), help="may be repeated")
    return parser.parse_args()


if __name__ == "__main__":
    args = parse_arguments()
    chosen = [game for name, game in built_in_games().items() if not args.game or name in args.game]
    print(json.dumps({"costs": measure(chosen, args.seconds)}))
