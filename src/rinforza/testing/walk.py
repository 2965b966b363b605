"""Random games, one node at a time."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..contracts.rules import CHANCE, LONGEST_CHANCE_CHAIN, SIMULTANEOUS, TERMINAL
from .lanes import GameLane
from .verdict import broken

START, PLAYED, DRAWN = "initial", "step", "resolve_chance"


class Node(NamedTuple):
    """A state that was reached, and how.

    Attributes:
        state: The state.
        turn: Whose turn it is.
        legal: The legal actions of each player.
        ticks: Decisions since the start.
        way: The method that led here, `"initial"`, `"step"` or `"resolve_chance"`.
        before: The state it was called on; None at the start.
        choice: The joint action, or the outcome in `choice[0]`.
        events: What happened on the way.
    """

    state: np.ndarray
    turn: int
    legal: list[np.ndarray]
    ticks: int
    way: str
    before: np.ndarray | None
    choice: np.ndarray
    events: np.ndarray

    def acting(self) -> list[int]:
        """Return the players that act here."""
        if self.turn == SIMULTANEOUS:
            return [player for player, legal in enumerate(self.legal) if len(legal) > 0]
        return [self.turn] if self.turn >= 0 and len(self.legal[self.turn]) > 0 else []


def random_game(lane: GameLane, generator: np.random.Generator, longest: int) -> Iterator[Node]:
    """Yield the nodes of one random game, chance nodes included, up to `longest` ticks.

    Each node is yielded before anything is played on it, so the caller can check it first.
    """
    game = lane.game
    events = np.zeros((game.num_players, len(game.events)))
    node = _node(lane, lane.initial(), 0, START, None, np.zeros(1, np.int64), events)
    chain = 0
    while True:
        yield node
        if node.turn == TERMINAL or (node.turn != CHANCE and node.ticks >= longest):
            return
        if node.turn == CHANCE:
            chain += 1
            if chain > LONGEST_CHANCE_CHAIN:
                raise broken(
                    lane.where("actor"),
                    f"answered CHANCE {chain} times in a row",
                    "let resolve_chance lead to a decision, or draw several things with one outcome",
                )
            choice = np.array([random_outcome(lane, node.state, generator)])
            state, events = lane.resolve_chance(node.state, int(choice[0]))
            node = _node(lane, state, node.ticks, DRAWN, node.state, choice, events)
        else:
            chain = 0
            choice = random_joint(node, game.num_players, generator)
            state, events = lane.step(node.state, choice)
            node = _node(lane, state, node.ticks + 1, PLAYED, node.state, choice, events)


def _node(lane, state, ticks, way, before, choice, events) -> Node:
    legal = [lane.legal(state, player) for player in range(lane.game.num_players)]
    return Node(state, lane.actor(state), legal, ticks, way, before, choice, events)


def random_joint(node: Node, n_players: int, generator: np.random.Generator) -> np.ndarray:
    """Return a joint action: a random legal one for each player that acts, 0 for the others."""
    joint = np.zeros(n_players, np.int64)
    for player in node.acting():
        joint[player] = generator.choice(node.legal[player])
    return joint


def random_outcome(lane: GameLane, state: np.ndarray, generator: np.random.Generator) -> int:
    """Return an outcome of a chance node, drawn as the library draws it."""
    if lane.defines("sample_chance"):
        return lane.sample_chance(state, int(generator.integers(1 << 63)))
    probabilities = lane.chance(state)
    return int(generator.choice(len(probabilities), p=probabilities / probabilities.sum()))
