"""An encoder with its network columns in reverse order, to see who mixes up the action frames."""

from itertools import pairwise

import numpy as np

from ..contracts.encoder import Encoder
from ..contracts.game import Game


def mirrored(game: Game) -> Encoder:
    """Return the game's encoder with column `c` renamed to `num_actions - 1 - c`."""
    inner = game.encoder
    inner_head, inner_action = type(inner).head_index, type(inner).game_action
    inner_transform = type(inner).transform_head
    last = game.num_actions - 1

    def head_index(self, action, player):
        return last - inner_head(self, action, player)

    def game_action(self, head, player):
        return inner_action(self, last - head, player)

    def transform_head(self, game, symmetry, head):
        return last - inner_transform(self, game, symmetry, last - head)

    methods = {"head_index": head_index, "game_action": game_action, "same_frame": False}
    if inner.symmetries(game) > 1:
        methods["transform_head"] = transform_head
    twin = object.__new__(type(f"Mirrored{type(inner).__name__}", (type(inner),), methods))
    twin.__dict__.update(inner.__dict__)
    return twin


def mirrored_ids(ids: np.ndarray, offsets: np.ndarray, game: Game) -> np.ndarray:
    """Return what the rows of a ragged array of columns become under `mirrored`."""
    turned = game.num_actions - 1 - ids
    parts = [turned[start:end][::-1] for start, end in pairwise(offsets)]
    return np.concatenate([np.zeros(0, ids.dtype), *parts])
