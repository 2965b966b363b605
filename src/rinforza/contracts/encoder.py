"""The contract of an encoder: what the network sees of a state, and how its columns name actions."""

from typing import Any, ClassVar

import numpy as np

from .arguments import integer
from .component import Component
from .game import Game

_first: dict[str, type["Encoder"]] = {}


def first_encoder(game_name: str) -> "Encoder":
    """Return the first encoder that was defined for a game.

    Raises:
        TypeError: If there is none.
    """
    if game_name not in _first:
        raise TypeError(
            f"no encoder lists the game {game_name!r} in its `games`; define one before the game is made, "
            "or override default_encoder()"
        )
    return _first[game_name]()


class Encoder(Component):
    """A view of a game's states as float32 planes.

    In the compiled methods `self` has the encoder's own numbers and `game` those of the game. An encoder that
    renumbers actions overrides `head_index` and `game_action`: a bijection for each player that does not
    depend on the state.

    An encoder may offer symmetries of its view: it overrides `symmetries`, `transform` and `transform_head`. A
    symmetry is exact: a game played with transformed actions gives every player the transformed observations,
    the transformed legal columns and the same events, from the first state on; chance agrees in distribution.
    `rinforza.testing.check_encoder` sees to that. Number 0 leaves all as it is, and each symmetry's inverse is
    one of them.

    Class attributes to state:
        name: The registry name.
        games: The names of the games whose states it reads.
        same_frame: True when network columns are action ids (`head_index` is then not called).

    Args:
        **parameters: The constructor keywords, resolved.
    """

    games: ClassVar[tuple[str, ...]]
    same_frame: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        for game in getattr(cls, "games", ()):
            first = _first.setdefault(game, cls)
            if first.__qualname__ == cls.__qualname__:  # defined anew, as a notebook does
                _first[game] = cls

    def __init__(self, **parameters: Any):
        if parameters and type(self).__init__ is Encoder.__init__:
            raise TypeError(
                f"{type(self).__name__} takes no keywords, got {', '.join(parameters)}; "
                "a constructor of its own would name what it takes"
            )
        super().__init__(parameters)

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (C, H, W) for a game."""
        raise NotImplementedError

    def bounds(self, game: Game) -> tuple[float, float]:
        """Return the lowest and the highest value of an observation."""
        return -np.inf, np.inf

    def planes(self, game: Game) -> list[str]:
        """Return a name for each plane."""
        return [f"plane {index}" for index in range(self.shape(game)[0])]

    def key_words(self, game: Game) -> int:
        """Return how many 64-bit words `key` writes; 0 where it is not defined."""
        return 0

    def symmetries(self, game: Game) -> int:
        """Return how many symmetries the view of a game has; 1 where it is only the identity."""
        return 1

    # ---------------------------------------------------------------- compiled from here on

    def encode(self, game, state, player, out):
        """Write the observation of `player` to `out` (float32[C, H, W], zero before)."""
        raise NotImplementedError

    def key(self, game, state, player, out):
        """Write words (uint64[key_words], zero before) that are equal for two views only if `encode` is.

        Optional: a cache of answers then keeps them in place of the observation, which is longer.
        """
        raise NotImplementedError

    def head_index(self, action, player):
        """Return the network column of a game action."""
        return action

    def game_action(self, head, player):
        """Return the game action of a network column."""
        return head

    def transform(self, game, symmetry, observation, out):
        """Write an observation under a symmetry to `out` (optional; both float32[C, H, W]; `out` is zero before)."""
        raise NotImplementedError

    def transform_head(self, game, symmetry, head):
        """Return what becomes of a network column under a symmetry (optional)."""
        raise NotImplementedError


class ActionView:
    """The two action frames of one game with its encoder, for callers in Python.

    Args:
        game: The game whose encoder is asked.
    """

    def __init__(self, game: Game):
        self._game = game

    def head_index(self, action: int, player: int) -> int:
        """Return the network column of a game action.

        Raises:
            ValueError: If the action or the player is out of range.
            OverflowError: If either is negative.
        """
        return int(self._game.encoder.head_index(*self._checked(action, player)))

    def game_action(self, head: int, player: int) -> int:
        """Return the game action of a network column; raises as `head_index` does."""
        return int(self._game.encoder.game_action(*self._checked(head, player)))

    def _checked(self, index: int, player: int) -> tuple[int, int]:
        return (
            integer("action", index, 0, self._game.num_actions - 1),
            integer("player", player, 0, self._game.num_players - 1),
        )
