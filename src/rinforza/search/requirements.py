"""What the searches that look at every action ask of a game and of a chance mode."""

import numpy as np

from ..contracts.chance_modes import ALWAYS_RESAMPLE, EXPAND_ALL, LARGEST_FAN, ChanceMode
from ..contracts.game import Game

LARGEST_JOINT_FAN = 1 << 20

# Why a search may be refused at a chance node; a policy lists its own reasons after these.
WIDE_FAN, UNLISTED_CHANCE = range(2)
REFUSALS = (
    f"a chain of chance nodes has more than {LARGEST_FAN:,} outcomes, too many to expand: "
    "use chance_modes.Committed",
    "chance_modes.ExpandAll cannot expand a chance node whose outcomes can only be drawn: "
    "use chance_modes.Committed",
)


def searchable_chance(label: str, chance: object, default: ChanceMode) -> ChanceMode:
    """Return the chance mode of a search in which every node is visited once.

    Raises:
        TypeError: If it is no chance mode.
        ValueError: If it draws anew at each visit.
    """
    if chance is None:
        return default
    if not isinstance(chance, ChanceMode):
        raise TypeError(f"chance must be a chance mode or None, got {type(chance).__name__}")
    if chance.kind == ALWAYS_RESAMPLE:
        raise ValueError(
            f"{label} visits a node once, so it takes chance_modes.Committed or chance_modes.ExpandAll; "
            f"got {chance!r}"
        )
    return chance


def check_expandable(chance: ChanceMode, game: Game) -> None:
    """Refuse to expand chance nodes of a game that lists no outcomes.

    Raises:
        ValueError: If it only draws them.
    """
    if chance.kind == EXPAND_ALL and game.chance_nodes != "none" and type(game).chance is Game.chance:
        raise ValueError(
            f"chance_modes.ExpandAll cannot expand the chance nodes of {game.name}, which can only be drawn: "
            "use chance_modes.Committed"
        )


def check_antisymmetric(label: str, game: Game, weights: np.ndarray) -> None:
    """Refuse rewards of a win, a loss and a draw that do not cancel between two players.

    A game without an event "loss" carries the sign in the amounts of its events.

    Raises:
        ValueError: If they do not cancel.
    """
    names = [name for name in ("win", "loss", "draw") if name in game.events]
    if "loss" not in names:
        return
    found = {name: float(weights[list(game.events).index(name)]) for name in names}
    if found.get("win", 0.0) + found["loss"] != 0.0 or found.get("draw", 0.0) != 0.0:
        listed = ", ".join(f"{name}={weight:g}" for name, weight in found.items())
        raise ValueError(
            f"{label} requires an antisymmetric reward on {game.name} (win + loss == 0 and draw == 0), "
            f"got {listed}"
        )


def check_joint_fan(label: str, game: Game, acting: int) -> None:
    """Refuse a simultaneous game in which `acting` players have too many joint actions.

    Raises:
        ValueError: If there are more than 2**20.
    """
    if game.dynamics == "simultaneous" and game.num_actions**acting > LARGEST_JOINT_FAN:
        raise ValueError(
            f"{label} would branch over {game.num_actions}**{acting} joint actions on {game.name}, more than "
            f"{LARGEST_JOINT_FAN:,}: the joint fan is too wide"
        )
