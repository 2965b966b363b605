"""The same call in both lanes."""

from typing import Any

import numpy as np

from ..contracts.rules import CHANCE, TERMINAL
from .lanes import GameLane, alike, differing_fields
from .verdict import ConformanceError, broken
from .walk import PLAYED, Node

MEND = (
    "give every variable one type (np.uint64 does not mix with plain integers, and integers "
    "wrap), divide "
    "integers with //, and read nothing that is not in the record: a debugger on the plain lane "
    "shows the rest"
)


def compare_lanes(plain: GameLane, compiled: GameLane, nodes: list[Node]) -> None:
    """Call every method of the game in both lanes on the same states."""
    for node in nodes:
        compare_queries(plain, compiled, node.state)
        compare_way(plain, compiled, node)


def compare_queries(plain: GameLane, compiled: GameLane, state: np.ndarray) -> None:
    """Compare the methods that only look at a state."""

    def agree(method: str, *arguments: Any) -> Any:
        one, other = (
            getattr(lane, name_of.get(method, method))(state, *arguments) for lane in (plain, compiled)
        )
        if not alike(one, other) if isinstance(one, np.ndarray) else one != other:
            raise disagreement(compiled.label(method), one, other)
        return one

    name_of = {"legal_actions": "legal"}
    turn = agree("actor")
    for player in range(plain.game.num_players):
        agree("legal_actions", player)
        if plain.defines("information_state") and turn != CHANCE:
            agree("information_state", player)
    agree("valid")
    if plain.defines("cell") and turn not in (CHANCE, TERMINAL):
        agree("cell")
    if turn == CHANCE and plain.defines("chance"):
        agree("chance")
    if turn == CHANCE and plain.defines("sample_chance"):
        agree("sample_chance", 1)
    if plain.defines("truncate") and turn != CHANCE:
        agree("truncate", np.zeros((plain.game.num_players, len(plain.game.events))))


def compare_way(plain: GameLane, compiled: GameLane, node: Node) -> None:
    """Compare the methods that make a new state."""
    results = []
    for lane in (plain, compiled):
        if node.before is None:
            results.append((lane.initial(), node.events))
        elif node.way == PLAYED:
            results.append(lane.step(node.before, node.choice))
        else:
            results.append(lane.resolve_chance(node.before, int(node.choice[0])))
    (one, events), (other, other_events) = results
    fields = differing_fields(plain.game.state_dtype, one, other)
    if fields:
        first, second = (lane.record(state) for lane, state in ((plain, one), (compiled, other)))
        values = [{name: str(record[name]) for name in fields} for record in (first, second)]
        raise disagreement(compiled.label(node.way), *values)
    if not alike(events, other_events):
        raise disagreement(f"{compiled.label(node.way)} (events)", events.tolist(), other_events.tolist())


def disagreement(label: str, plain: Any, compiled: Any) -> ConformanceError:
    """Return the error for a method that does one thing compiled and another in plain Python."""
    what = f"gives {compiled!s:.200} compiled and {plain!s:.200} in plain Python"
    return broken(label, what, MEND)
