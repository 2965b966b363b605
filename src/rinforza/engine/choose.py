"""One decision for each of many environments, by the same machine that an engine runs."""

from collections.abc import Iterable, Sized
from typing import Any, NamedTuple

import numpy as np

from ..contracts.arguments import integer, number
from ..contracts.composition import Rules
from ..contracts.game import Game
from ..contracts.infer import Infer
from ..contracts.policy import Policy, register_chooser
from .checks import check_game, check_memory
from .layout import PLACED
from .machine import Machine
from .tables import allocate_streams

LARGEST_PLY = (1 << 32) - 2


class Position(NamedTuple):
    """What a choice needs to know of an environment.

    Attributes:
        rules: The composition, with the reward's weights; None for an environment without a reward.
        fingerprint: Equal for environments of one composition.
        state: The current state's bytes, `rules.state_size` of them.
        key: 64 bits that stand for the position: its ticks and the place in its random stream.
        ticks: Ticks played.
    """

    rules: Rules | None
    fingerprint: str
    state: bytes
    key: int
    ticks: int


def choose(
    policy: Policy, envs: list[Any], infer: Infer, seed: int, plies: list[int] | None, gamma: float
) -> list[int]:
    """Do what `Policy.choose` says."""
    seed = integer("seed", seed, 0)
    gamma = number("gamma", gamma, 0.0, 1.0)
    if not callable(infer):
        raise ValueError(f"choose takes a single infer callable, got {type(infer).__name__}")
    positions = _positions(envs)
    decision_numbers = _decision_numbers(plies, positions)
    assert positions[0].rules is not None  # checked with the positions
    rules = positions[0].rules.discounted(gamma)
    check_game(policy, rules.game, rules.weights)
    check_memory(rules, policy, len(positions), 1)
    machine = Machine(rules, policy, None, len(positions), len(positions), 1)
    _place(machine, positions, decision_numbers, seed)
    chosen = machine.tables.zeros("chosen", len(positions))
    machine.make_ready(np.arange(len(positions)))
    machine.record["floor"] = 1  # admits the one decision
    machine.run([infer])
    return chosen.tolist()


def _positions(envs: list[Any]) -> list[Position]:
    if not isinstance(envs, Iterable):
        raise TypeError(f"choose takes a list of Env, got {type(envs).__name__}; pass [env]")
    envs = list(envs)
    if not envs:
        raise ValueError("choose needs at least one environment, got an empty list")
    for env in envs:
        if not hasattr(env, "position"):
            raise TypeError(f"choose takes a list of Env, got {type(env).__name__} in it")
        if env.done():
            raise ValueError("choose on a finished env: reset it, or leave it out of the list")
    _check_sequential(envs[0].game)
    positions = [env.position() for env in envs]
    if any(position.rules is None for position in positions):
        raise ValueError("choose needs terminal values: make the Env with a reward, such as rf.Reward()")
    if len({position.fingerprint for position in positions}) > 1:
        raise ValueError("envs must share one composition (game, encoder and reward)")
    return positions


def _check_sequential(game: Game) -> None:
    if game.dynamics != "sequential":
        raise ValueError(f"choose supports sequential games, and {game.name} is {game.dynamics}")


def _decision_numbers(plies: list[int] | None, positions: list[Position]) -> list[int]:
    if plies is None:
        return [position.ticks for position in positions]
    if not isinstance(plies, Sized):
        raise TypeError(f"plies must be a list of ints or None, got {type(plies).__name__}")
    if len(plies) != len(positions):
        raise ValueError(f"plies must have one entry per env: got {len(plies)} for {len(positions)} envs")
    return [integer("a ply", ply, 0, LARGEST_PLY) for ply in plies]


def _place(machine: Machine, positions: list[Position], plies: list[int], seed: int) -> None:
    """Put the environments' states into the machine's slots."""
    allocate_streams(machine.tables, seed, np.array([position.key for position in positions], np.uint64))
    arrays = machine.tables.arrays
    for slot, position in enumerate(positions):
        arrays["live"][slot] = np.frombuffer(position.state, np.int64)
    arrays["slots"]["ticks"] = plies
    arrays["slots"]["phase"] = PLACED


register_chooser(choose)
