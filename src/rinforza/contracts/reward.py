"""Named weights that turn a game's events into scalar rewards."""

import difflib
from typing import TYPE_CHECKING

import numpy as np

from .arguments import number

if TYPE_CHECKING:
    from .game import Game


class Reward:
    """Weights by event name; a name that is left out keeps the game's default.

    The reward of a player in a tick is the sum of weight times amount over the tick's events.

    Args:
        **weights: One finite float for each named event.

    Raises:
        TypeError: If a weight is no number.
        ValueError: If a weight is not finite. Names are checked when a game is known.

    Example:
        >>> import rinforza as rf
        >>> rf.Reward(win=2.0)
        Reward(win=2.0)
    """

    def __init__(self, **weights: float):
        self.__dict__["_weights"] = {key: number(key, value) for key, value in weights.items()}

    _weights: dict[str, float]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Reward is immutable; make a new one with {name}={value!r}")

    def resolve(self, game: "Game") -> dict[str, float]:
        """Return the full table of weights for a game, in the order of its events.

        Raises:
            ValueError: For a name that is none of the game's events.
        """
        for key in self._weights:
            if key not in game.events:
                near = difflib.get_close_matches(key, game.events, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise ValueError(
                    f"unknown reward key {key!r} for {game.name}; valid keys: {', '.join(game.events)}{hint}"
                )
        return {**game.events, **self._weights}

    def __repr__(self) -> str:
        return f"Reward({', '.join(f'{key}={value!r}' for key, value in self._weights.items())})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reward) and self._weights == other._weights

    def __hash__(self) -> int:
        return hash(tuple(sorted(self._weights.items())))


def weight_array(reward: Reward | None, game: "Game") -> np.ndarray:
    """Return the weights as a float64 array in the order of the game's events."""
    if reward is not None and not isinstance(reward, Reward):
        raise TypeError(f"reward must be a Reward or None, got {type(reward).__name__}")
    return np.array(list((reward or Reward()).resolve(game).values()), np.float64)
