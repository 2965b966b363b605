"""Noise at the root of a search."""

from .arguments import choice, number
from .component import Component
from .registry import Registry


class Dirichlet(Component):
    """Dirichlet noise on the root's prior: P' = (1 - epsilon) P + epsilon D, D drawn afresh for each search.

    Args:
        epsilon: The share of the noise, 0 to 1.
        alpha: The concentration of D, > 0 (symmetric over the legal actions).
        scope: `"requester"` (the root table of the searching player) or `"all"` (every player's; this
            matters only in simultaneous games).

    Raises:
        ValueError: For a number out of range or another scope.

    Source: Silver et al. 2017, "Mastering the game of Go without human knowledge", Methods.
    """

    name = "dirichlet"
    epsilon: float
    alpha: float
    scope: str

    def __init__(self, epsilon: float = 0.25, alpha: float = 0.3, scope: str = "requester"):
        super().__init__(
            {
                "epsilon": number("epsilon", epsilon, 0.0, 1.0),
                "alpha": number("alpha", alpha, 0.0, open_low=True),
                "scope": choice("scope", scope, ("requester", "all")),
            }
        )


REGISTRY = Registry("noise", Dirichlet, __name__)
registered, make, register = REGISTRY.registered, REGISTRY.make, REGISTRY.register
