"""States with one field changed by hand."""

from typing import Any

import numpy as np

from rinforza.testing.lanes import GameLane


def damaged(lane: GameLane, state: np.ndarray, field: str, content: Any, index: Any = ...) -> np.ndarray:
    """Return a copy of a state in which a field, or one element of it, holds something else."""
    copy = state.copy()
    fields = copy[: lane.game.state_dtype.itemsize].view(lane.game.state_dtype)[0:1]
    fields[field][0, ...][index] = content
    return copy
