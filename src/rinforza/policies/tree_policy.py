"""What the policies that grow a tree simulation by simulation have in common: parameters, memory, acting."""

from typing import Any, ClassVar

import numpy as np

from ..compiled.random import categorical
from ..contracts.arguments import LARGEST_BUDGET, flag, integer, number, optional_integer
from ..contracts.chance_modes import AlwaysResample, ChanceMode
from ..contracts.game import Game
from ..contracts.policy import USUAL_LEGAL_ACTIONS, Capacity, Policy
from ..contracts.search_memory import EXPANSIONS, LEAVES, ROUNDS, count
from ..search.requirements import REFUSALS, check_expandable, check_joint_fan
from ..search.reuse import keep_subtree
from ..search.rounds import TREES
from ..search.soundness import is_sound
from ..search.tree import EDGE, NODE, SIDE

WHOLE_EPISODE = (1 << 32) - 1
# An episode's policy state: its decision number, and whether it is played to its end whatever the odds.
PLAYED_OUT = 1 << 62
DECISION_NUMBER = PLAYED_OUT - 1


class TreePolicy(Policy):
    """A policy that runs a fixed number of simulations per decision and acts by what they found.

    Args:
        num_simulations: Simulations per decision.
        fewest: The least that makes sense; of them, all but one do not pass the root.
        max_depth: Depth limit in decisions.
        temperature: 0 acts greedily; above 0, actions are sampled with weight (n / n_max)**(1 / temperature).
        temperature_drop: The episode's decision number from which the choice is greedy, or None for never.
        chance: How the search treats chance nodes; None for `chance_modes.AlwaysResample()`.
        leaves: Simulations of a tree that may wait for the network at once.
        reuse_tree: Whether a search goes on with what the episode's last one found below the state it is at.
        parameters: The subclass's own.
        tables: Record fields that follow from them.

    Raises:
        ValueError: For a number out of range.
        TypeError: For an argument of another type.
    """

    supports_imperfect_information = False
    search_dtype = TREES
    node_dtype = NODE
    edge_dtype = EDGE
    side_dtype = SIDE
    refusals = REFUSALS
    schedulable: ClassVar[tuple[str, ...]] = ("num_simulations", "temperature")

    num_simulations: int
    root_visits: int
    max_depth: int
    leaves: int
    reuse_tree: bool
    temperature: float
    greedy_from: int
    chance: ChanceMode
    chance_kind: int
    chance_samples: int

    def __init__(
        self,
        num_simulations: Any,
        fewest: int,
        max_depth: Any,
        temperature: Any,
        temperature_drop: Any,
        chance: Any,
        leaves: Any,
        reuse_tree: Any,
        parameters: dict[str, Any],
        tables: dict[str, Any],
    ):
        if integer("num_simulations", num_simulations, 0, LARGEST_BUDGET) < fewest:
            raise ValueError(f"num_simulations must be >= {fewest}, got {num_simulations}")
        if integer("max_depth", max_depth, None, LARGEST_BUDGET) < 1:
            raise ValueError(f"max_depth must be >= 1, got {max_depth}")
        if chance is not None and not isinstance(chance, ChanceMode):
            raise TypeError(f"chance must be a chance mode or None, got {type(chance).__name__}")
        chance = chance or AlwaysResample()
        drop = optional_integer("temperature_drop", temperature_drop, 0, WHOLE_EPISODE)
        super().__init__(
            {
                "num_simulations": int(num_simulations),
                "max_depth": int(max_depth),
                "temperature": number("temperature", temperature, 0.0),
                "temperature_drop": None if drop == WHOLE_EPISODE else drop,
                "chance": chance,
                "leaves": integer("leaves", leaves, 1, LARGEST_BUDGET),
                "reuse_tree": flag("reuse_tree", reuse_tree),
                **parameters,
            },
            {
                "root_visits": int(num_simulations) - fewest + 1,
                "greedy_from": WHOLE_EPISODE if drop is None else drop,
                "chance_kind": chance.kind,
                "chance_samples": chance.samples,
                **tables,
            },
        )

    def values_everyone(self, game: Game) -> bool:
        """Return True for more than two players, and where all act at once."""
        return game.num_players > 2 or game.dynamics == "simultaneous"

    @property
    def keeps_search(self) -> bool:  # type: ignore[override]
        """Whether the tree is reused."""
        return self.reuse_tree

    def check_game(self, game: Game, weights: np.ndarray) -> None:
        """Refuse too many joint actions, chance that cannot be expanded, and several trees to be reused.

        Raises:
            ValueError: For such a game.
        """
        check_joint_fan(type(self).__name__, game, game.num_players)
        check_expandable(self.chance, game)
        if self.reuse_tree and game.dynamics != "sequential":
            raise ValueError(
                f"{type(self).__name__}(reuse_tree=True) plays sequential games, and {game.name} is {game.dynamics}"
            )

    def capacity(self, game: Game) -> Capacity:
        """Return room for every simulation of a typical game."""
        trees, rows = (game.num_players, game.num_players**2) if game.dynamics == "simultaneous" else (1, 1)
        if self.values_everyone(game):
            rows = max(rows, game.num_players)
        nodes = trees * (self.num_simulations + 1)
        edges = min(game.num_actions, USUAL_LEGAL_ACTIONS) * (game.num_players if trees > 1 else 1)
        return Capacity(nodes, nodes * edges, rows * min(self.leaves, self.num_simulations))

    # ---------------------------------------------------------------- compiled from here on

    def keep_search(self, rules, memory, state):
        keep_subtree(self, rules, memory, state)

    def valid_search(self, rules, memory, state):
        return 1 if is_sound(self, rules, memory, state) else 0


def count_simulations(policy, search, memory):
    """Count what the search took, when it is done; with one leaf at a time a simulation is a round."""
    simulations = search.n_trees * (search.budget + search.beside)
    count(memory, LEAVES, simulations)
    count(memory, EXPANSIONS, simulations)
    count(memory, ROUNDS, simulations if policy.leaves == 1 else search.n_trees * memory.n_rounds)


def takes_samples(policy, progress):
    """Advance the episode's decision number; return whether the action is to be sampled."""
    ply = progress[0] & DECISION_NUMBER
    progress[0] += 1
    return policy.temperature > 0.0 and ply < policy.greedy_from


def sample_by_visits(policy, visits, n_actions, stream):
    """Draw an action with weight (n / n_max)**(1 / temperature); `visits` is used up."""
    most = visits[greatest(visits, n_actions)]
    for position in range(n_actions):
        visits[position] = (visits[position] / most) ** (1.0 / policy.temperature)
    return categorical(stream, visits, n_actions)


def greatest(numbers, count):
    """Return the place of the largest number, the first on a tie."""
    best = 0
    for position in range(1, count):
        if numbers[position] > numbers[best]:
            best = position
    return best
