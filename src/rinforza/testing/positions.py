"""What must hold in every state that a game reaches."""

from typing import Any

import numpy as np

from ..contracts.rules import CHANCE, SIMULTANEOUS, TERMINAL
from .lanes import GameLane
from .verdict import blame, broken
from .walk import DRAWN, Node

SHOWN = 0.1  # the share of states that are also looked at through the Python methods
MEND_LEGAL = (
    "write the legal ids of an acting player in ascending order, each once, from 0 to num_actions - 1"
)
MEND_PLAIN = "return plain Python values: use int(...), bool(...) and .tolist()"

# What each player sees with the same information state: the turn and its own legal actions.
Sights = dict[tuple[int, bytes], tuple[int, list[int]]]


def check_position(lane: GameLane, node: Node, sights: Sights, generator: np.random.Generator) -> None:
    """Check all that can be said of one state; `sights` is kept over all states of a game."""
    _check_turn(lane, node)
    _check_legal(lane, node)
    _check_events(lane, node)
    if node.turn == CHANCE:
        _check_chance(lane, node, generator)
        return
    if lane.valid(node.state) != 1:
        raise broken(
            lane.where("valid"),
            f"refuses a state that {node.way} leads to: {lane.record(node.state)}",
            "return 1 for every state that can be reached in which no chance outcome is pending",
        )
    if lane.defines("information_state"):
        _check_information(lane, node, sights)
    if lane.defines("cell") and node.turn != TERMINAL and lane.cell(node.state) != lane.cell(node.state):
        mend = "let it depend on nothing but the parameters and the state"
        raise broken(lane.where("cell"), "gave another cell the second time", mend)
    if node.turn == TERMINAL or generator.random() < SHOWN:
        _check_face(lane, node)


def _check_turn(lane: GameLane, node: Node) -> None:
    game, turn, where = lane.game, node.turn, lane.where("actor")
    if not TERMINAL <= turn < game.num_players:
        who = f"a player from 0 to {game.num_players - 1}, or CHANCE, SIMULTANEOUS or TERMINAL"
        raise broken(where, f"returned {turn}", f"return {who}")
    if turn == SIMULTANEOUS and game.dynamics != "simultaneous":
        raise broken(where, "returned SIMULTANEOUS", 'state dynamics = "simultaneous"')
    if turn >= 0 and game.dynamics != "sequential":
        mend = 'return SIMULTANEOUS, or state dynamics = "sequential"'
        raise broken(where, f"returned player {turn}", mend)
    if turn == CHANCE and game.chance_nodes == "none":
        raise broken(where, "returned CHANCE", 'state chance_nodes = "root" or "anywhere"')
    if turn == CHANCE and game.chance_nodes == "root" and node.ticks > 0:
        raise broken(where, "returned CHANCE after a decision", 'state chance_nodes = "anywhere"')
    if turn == TERMINAL and node.ticks == 0:
        mend = "let the first state, or the draws at the root, leave somebody to act"
        raise broken(where, "ended the game before any decision", mend)


def _check_legal(lane: GameLane, node: Node) -> None:
    where = lane.where("legal_actions")
    for player, legal in enumerate(node.legal):
        ids = legal.tolist()
        if any(not 0 <= action < lane.game.num_actions for action in ids):
            raise broken(where, f"listed {ids}, beyond 0 to {lane.game.num_actions - 1}", MEND_LEGAL)
        if ids != sorted(set(ids)):
            raise broken(where, f"listed {ids}, which is not ascending", MEND_LEGAL)
        if ids and node.turn not in (player, SIMULTANEOUS):
            when = {CHANCE: "at a chance node", TERMINAL: "after the end"}
            what = f"gave player {player} actions {when.get(node.turn, 'out of turn')}: {ids}"
            raise broken(where, what, "return 0 for a player that does not act")
    if node.turn not in (CHANCE, TERMINAL) and not node.acting():
        raise broken(
            where,
            f"left nobody an action where the actor is {node.turn}",
            "give an acting player at least one action (a pass, if need be), or end the game",
        )


def _check_events(lane: GameLane, node: Node) -> None:
    if not np.isfinite(node.events).all():
        what = f"wrote the events {node.events.tolist()}"
        raise broken(lane.where(node.way), what, "write finite amounts only")
    if node.way == DRAWN and node.ticks == 0 and node.events.any():
        raise broken(
            lane.where("resolve_chance"),
            "emitted events before the first decision",
            "leave `events` alone at the root; nobody has acted yet",
        )


def _check_chance(lane: GameLane, node: Node, generator: np.random.Generator) -> None:
    if lane.defines("chance"):
        odds = lane.chance(node.state)
        too_wide = len(odds) == 0 and lane.defines("sample_chance")
        if not too_wide and (not (odds > 0.0).all() or not abs(odds.sum() - 1.0) < 1e-9):
            raise broken(
                lane.where("chance"),
                f"gave the probabilities {odds[:8].tolist()}, with the sum {odds.sum()}",
                "write a positive probability for each outcome, with the sum 1, and leave out "
                "impossible outcomes",
            )
    if lane.defines("sample_chance"):
        key = int(generator.integers(1 << 62))
        outcome = lane.sample_chance(node.state, key)
        if outcome != lane.sample_chance(node.state, key):
            mend = "draw with the functions of rinforza.random from `stream` only"
            raise broken(lane.where("sample_chance"), "drew another outcome the second time", mend)
        if outcome < 0 or _is_beyond(lane, node.state, outcome):
            mend = "draw outcomes from 0, and as `chance` numbers them if it is defined too"
            raise broken(lane.where("sample_chance"), f"drew the outcome {outcome}", mend)


def _is_beyond(lane: GameLane, state: np.ndarray, outcome: int) -> bool:
    listed = len(lane.chance(state)) if lane.defines("chance") else 0
    return 0 < listed <= outcome


def _check_information(lane: GameLane, node: Node, sights: Sights) -> None:
    where = lane.where("information_state")
    for player in range(lane.game.num_players):
        known = lane.information_state(node.state, player)
        if not known or known != lane.information_state(node.state, player):
            mend = "write at least the player's number, and only what follows from the state"
            raise broken(where, "is empty or changes from call to call", mend)
        sight = (node.turn, node.legal[player].tolist())
        if sights.setdefault((player, known), sight) != sight:
            raise broken(
                where,
                f"gives player {player} the same bytes in two states, with the turn and legal "
                "actions "
                f"{sights[player, known]} and {sight}",
                "write all that the player has seen, the public history above all",
            )


def _check_face(lane: GameLane, node: Node) -> None:
    """Check what is shown in Python."""
    game, label = lane.game, type(lane.game).__name__
    record = lane.record(node.state)
    with blame(f"{label}.state_values"):
        values = game.state_values(record)
    if not isinstance(values, dict) or not _is_plain(values):
        raise broken(f"{label}.state_values", f"returned {values!r}", MEND_PLAIN)
    with blame(f"{label}.text"):
        text = game.text(record)
    if not isinstance(text, str):
        raise broken(f"{label}.text", f"returned a {type(text).__name__}", "return a str")
    for player in range(game.num_players):
        with blame(f"{label}.event_payload"):
            payload = game.event_payload(player, node.events[player], record)
        if not _is_plain(payload):
            raise broken(f"{label}.event_payload", f"returned {payload!r}", MEND_PLAIN)
    if record.tobytes() != lane.record(node.state).tobytes():
        raise broken(f"{label}.state_values or .text", "changed the state", "only read the state")


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or type(value) in (bool, int, float, str)
