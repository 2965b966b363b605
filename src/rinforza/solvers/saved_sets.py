"""The information states of a game that is too large to be enumerated, as arrays that can be saved."""

import numpy as np

from ..contracts.game import Game
from .information_sets import ENTRY, InformationSets
from .saving import ENVELOPE

COLUMNS = ("length", "player", "count")


def saved_sets(sets: InformationSets) -> dict[str, np.ndarray]:
    """Return one-dimensional arrays from which `restored_sets` makes the same table."""
    entries = sets.entries
    columns = {f"{name}s": entries[name].astype(np.int32) for name in COLUMNS}
    keys = sets.arrays["keys"][: sets.rows].view(np.uint8).reshape(-1)
    return {**columns, "keys": keys, "actions": sets.arrays["actions"][: sets.used]}


def restored_sets(saved: dict[str, np.ndarray], game: Game) -> InformationSets:
    """Return the table that was saved.

    Raises:
        ValueError: "invalid Cfr: ..." if no table of this game can be like that.
    """
    sets = InformationSets(game)
    width = 8 * sets.arrays.number("key_words")
    rows = len(saved["lengths"])
    even = (
        len(saved["players"]) == rows and len(saved["counts"]) == rows and len(saved["keys"]) == rows * width
    )
    ENVELOPE.expect(even, "its tables have different lengths")
    _check_range(saved, "lengths", 1, game.information_size)
    _check_range(saved, "players", 0, game.num_players - 1)
    _check_range(saved, "counts", 1, game.num_actions)
    _check_range(saved, "actions", 0, game.num_actions - 1)
    _check_actions(saved)
    keys = saved["keys"].reshape(rows, width)
    beyond = keys * (np.arange(width) >= saved["lengths"][:, None])
    ENVELOPE.expect(not beyond.any(), "a key has bytes beyond its length")
    different = {(bytes(key), int(length)) for key, length in zip(keys, saved["lengths"], strict=True)}
    ENVELOPE.expect(len(different) == rows, "a key comes twice")
    entries = np.zeros(rows, ENTRY)
    for name in COLUMNS:
        entries[name] = saved[f"{name}s"]
    entries["first"] = np.cumsum(entries["count"]) - entries["count"]
    sets.fill(entries, keys, saved["actions"])
    return sets


def _check_range(saved: dict[str, np.ndarray], name: str, low: int, high: int) -> None:
    inside = ((saved[name] >= low) & (saved[name] <= high)).all()
    ENVELOPE.expect(inside, f"its {name} are not all from {low} to {high}")


def _check_actions(saved: dict[str, np.ndarray]) -> None:
    counts, actions = saved["counts"].astype(np.int64), saved["actions"]
    ENVELOPE.expect(counts.sum() == len(actions), "it has another number of actions than its rows")
    ascends = np.ones(len(actions), bool)
    ascends[1:] = actions[1:] > actions[:-1]
    ascends[np.cumsum(counts) - counts] = True
    ENVELOPE.expect(ascends.all(), "the actions of a row are not ascending")
