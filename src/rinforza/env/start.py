"""The moves with which every episode of an environment begins."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..contracts.arguments import integer
from ..contracts.game import Game

Move = int | dict[int, int]


def checked_moves(game: Game, moves: Any) -> tuple[Move, ...]:
    """Return start moves as a tuple of their own; whether they are legal shows when they are played.

    Raises:
        TypeError: If they are no sequence of integers or, in a simultaneous game, of mappings.
        ValueError: If an agent is out of range.
        OverflowError: If an agent or an action is negative.
    """
    if moves is None:
        return ()
    if isinstance(moves, str | bytes) or not isinstance(moves, Sequence | np.ndarray):
        raise TypeError(f"moves must be a sequence of moves or None, got {type(moves).__name__}")
    check = _checked_joint if game.dynamics == "simultaneous" else _checked_action
    return tuple(check(game, f"moves[{index}]", move) for index, move in enumerate(moves))


def _checked_action(game: Game, name: str, move: Any) -> int:
    return integer(name, move, 0)


def _checked_joint(game: Game, name: str, move: Any) -> dict[int, int]:
    if not isinstance(move, Mapping):
        raise TypeError(f"{name} must be a dict from agent to action, got {type(move).__name__}")
    return {
        integer(f"the agent in {name}", agent, 0, game.num_players - 1): integer(
            f"the action of agent {agent} in {name}", action, 0
        )
        for agent, action in move.items()
    }


def listed_moves(moves: tuple[Move, ...]) -> list[Any]:
    """Return start moves as values for JSON, whose keys are strings."""
    return [
        {str(agent): action for agent, action in sorted(move.items())} if isinstance(move, dict) else move
        for move in moves
    ]
