"""What is said of a tick that cannot be played."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..contracts.game import Game
from ..contracts.rules import LONGEST_CHANCE_CHAIN
from .kernels import ENDLESS_CHANCE, IS_OVER, MISSING, NOT_ACTIVE

if TYPE_CHECKING:
    from .env import Env

LISTED_ACTIONS = 20  # how many legal actions a message spells out


def refusal(env: "Env", fault: int, agent: int, actions: Mapping[int, Any]) -> Exception:
    """Return the error for a fault that the compiled half found.

    Args:
        env: The environment, as it was before.
        fault: One of the faults in `kernels`.
        agent: Whose action it is about.
        actions: What was asked for.
    """
    if fault == IS_OVER:
        return ValueError("the episode is over; call reset()")
    if fault == ENDLESS_CHANCE:
        return endless_chance(env.game)
    active = f"active agents: {env.active_agents()}"
    if fault == NOT_ACTIVE:
        return ValueError(f"agent {agent} is not active this tick; {active}")
    if fault == MISSING:
        return ValueError(f"missing action for active agent {agent}; {active}")
    action = next(value for key, value in actions.items() if int(key) == agent)
    legal = _listed(env.legal_actions(agent))
    return ValueError(f"action {action} is illegal for agent {agent}; legal actions: {legal}")


def endless_chance(game: Game) -> RuntimeError:
    """Return the error for a game whose chance nodes never end."""
    return RuntimeError(
        f"a chain of more than {LONGEST_CHANCE_CHAIN:,} chance nodes in {game.name!r}: they form a cycle"
    )


def _listed(actions: list[int]) -> str:
    shown = ", ".join(map(str, actions[:LISTED_ACTIONS]))
    return f"{shown}, ... ({len(actions)} in all)" if len(actions) > LISTED_ACTIONS else shown
