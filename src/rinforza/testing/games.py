"""The conformance check of games."""

from typing import Any

import numpy as np

from ..contracts.game import Game
from ..contracts.rules import CHANCE, SIMULTANEOUS, TERMINAL
from .agreement import compare_lanes
from .components import check_component
from .lanes import GameLane, differing_fields
from .noise import check_noise
from .verdict import blame, broken
from .walk import DRAWN, PLAYED, START, Node, random_game

MOST_KEPT = 4000  # nodes to choose from when the lanes are compared
PLAY_OUTS = 25  # whole games that must end
MEND_LEGAL = (
    "write the legal ids of an acting player in ascending order, each once, from 0 to "
    "num_actions - 1"
)


def check_game(
    game: Game, *, ticks: int = 1000, plain_ticks: int = 100, longest: int = 10_000, seed: int = 0
) -> None:
    """Play a game at random, compiled and in plain Python, and compare it with its contract.

    Checked are the claims, every method on every state that random games reach, what `valid` says of those
    states and of random bytes, and that both lanes give the same.

    Args:
        game: The game.
        ticks: Decisions that are checked compiled.
        plain_ticks: Decisions that are checked in plain Python, and states on which the lanes are compared.
        longest: Ticks within which a game without a horizon must end.
        seed: Chooses the random games.

    Raises:
        TypeError: If `game` is no `Game`.
        ConformanceError: If the game breaks its contract; the message says where, how, and how to mend it.

    Example:
        >>> import rinforza as rf
        >>> rf.testing.check_game(rf.games.TicTacToe(), ticks=50, plain_ticks=10)
    """
    check_component(game, Game)
    plain = GameLane(game, plain=True)
    check_claims(game)
    compiled = GameLane(game, plain=False)
    # Plain Python first: an index out of range is an error there, and a crash in compiled code.
    _play(plain, plain_ticks, longest, seed)
    nodes = _play(compiled, ticks, longest, seed + 1)
    generator = np.random.default_rng(seed)
    chosen = generator.permutation(len(nodes))[:plain_ticks]
    compare_lanes(plain, compiled, [nodes[index] for index in chosen])
    check_noise(plain, compiled, nodes, plain_ticks, generator)
    _check_ends(compiled, longest, seed)


def check_claims(game: Game) -> None:
    """Check what a game states beyond what composing it refuses."""
    label = type(game).__name__
    for claim in ("num_players", "num_actions"):
        value = getattr(game, claim)
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise broken(label, f"states {claim} = {value!r}", f"state {claim} as an int >= 1")
    weights = list(game.events.values())
    if (
        not weights
        or not all(isinstance(key, str) for key in game.events)
        or not np.isfinite(weights).all()
    ):
        raise broken(
            label,
            f"states events = {game.events!r}",
            "name at least one event with a finite weight",
        )
    layout = game.state_dtype
    if layout.names is None or not layout.isalignedstruct or layout.hasobject:
        raise broken(
            label,
            f"has the state_dtype {layout!r}",
            "make it np.dtype([(name, type), ...], align=True), of numbers and arrays of numbers",
        )
    horizon = game.truncation_horizon()
    if horizon is not None and not (isinstance(horizon, int) and horizon >= 1):
        raise broken(label, f"has the horizon {horizon!r}", "return an int >= 1 or None")


def _play(lane: GameLane, ticks: int, longest: int, seed: int) -> list[Node]:
    """Check random games until `ticks` decisions are played; return their nodes."""
    generator = np.random.default_rng(seed)
    keys: dict[tuple[int, bytes], Any] = {}
    nodes: list[Node] = []
    limit = lane.game.truncation_horizon() or longest
    played = 0
    while played < ticks:
        game_nodes = []
        for node in random_game(lane, generator, min(limit, ticks - played)):
            check_node(lane, node, keys, generator)
            game_nodes.append(node)
        played += max(1, node.ticks)
        _check_repeatable(lane, game_nodes, generator)
        nodes += game_nodes[: max(0, MOST_KEPT - len(nodes))]
        if node.ticks == limit:
            _check_truncation(lane, node)
    return nodes


def check_node(lane: GameLane, node: Node, keys: dict[tuple[int, bytes], Any], generator) -> None:
    """Check all that can be said of one state."""
    _check_turn(lane, node)
    _check_legal(lane, node)
    _check_events(lane, node)
    if node.turn != CHANCE and lane.valid(node.state) != 1:
        raise broken(
            lane.where("valid"),
            f"refuses a state that {node.way} leads to: "
            f"{lane.game.state_values(lane.record(node.state))}",
            "return 1 for every state that can be reached and in which no chance outcome is "
            "pending",
        )
    if lane.defines("information_state") and node.turn != CHANCE:
        _check_information(lane, node, keys)
    if generator.random() < 0.1 or node.turn == TERMINAL:
        _check_face(lane, node)


def _check_turn(lane: GameLane, node: Node) -> None:
    game, turn = lane.game, node.turn
    where = lane.where("actor")
    if not TERMINAL <= turn < game.num_players:
        raise broken(
            where,
            f"returned {turn}",
            f"return a player from 0 to {game.num_players - 1}, or CHANCE, SIMULTANEOUS or "
            "TERMINAL",
        )
    if turn == SIMULTANEOUS and game.dynamics != "simultaneous":
        raise broken(where, "returned SIMULTANEOUS", 'state dynamics = "simultaneous"')
    if turn >= 0 and game.dynamics != "sequential":
        raise broken(
            where,
            f"returned player {turn}",
            'return SIMULTANEOUS, or state dynamics = "sequential"',
        )
    if turn == CHANCE and game.chance_nodes == "none":
        raise broken(where, "returned CHANCE", 'state chance_nodes = "root" or "anywhere"')
    if turn == CHANCE and game.chance_nodes == "root" and node.ticks > 0:
        raise broken(where, "returned CHANCE after a decision", 'state chance_nodes = "anywhere"')
    if turn == TERMINAL and node.ticks == 0:
        raise broken(
            where,
            "ended the game before any decision",
            "let the first state or draw leave somebody to act",
        )


def _check_legal(lane: GameLane, node: Node) -> None:
    where = lane.where("legal_actions")
    for player, legal in enumerate(node.legal):
        ids = legal.tolist()
        if any(not 0 <= action < lane.game.num_actions for action in ids):
            raise broken(
                where, f"listed {ids}, beyond 0 to {lane.game.num_actions - 1}", MEND_LEGAL
            )
        if ids != sorted(set(ids)):
            raise broken(where, f"listed {ids}, which is not ascending", MEND_LEGAL)
        may_act = node.turn in (player, SIMULTANEOUS)
        if ids and not may_act:
            state = {CHANCE: "at a chance node", TERMINAL: "after the end"}.get(
                node.turn, "out of turn"
            )
            raise broken(
                where,
                f"gave player {player} the actions {ids} {state}",
                "return 0 for who does not act",
            )
    if node.turn not in (CHANCE, TERMINAL) and not node.acting():
        raise broken(
            where,
            f"left nobody an action where the actor is {node.turn}",
            "give an acting player at least one action (a pass, if need be), or end the game",
        )


def _check_events(lane: GameLane, node: Node) -> None:
    if not np.isfinite(node.events).all():
        raise broken(
            lane.where(node.way),
            f"wrote the events {node.events.tolist()}",
            "write finite amounts only",
        )
    if node.way == DRAWN and node.ticks == 0 and node.events.any():
        raise broken(
            lane.where("resolve_chance"),
            "emitted events before the first decision",
            "leave `events` alone at the root; nobody has acted yet",
        )


def _check_information(lane: GameLane, node: Node, keys: dict[tuple[int, bytes], Any]) -> None:
    for player in range(lane.game.num_players):
        known = lane.information_state(node.state, player)
        if not known or known != lane.information_state(node.state, player):
            raise broken(
                lane.where("information_state"),
                "is empty or changes from call to call",
                "write at least the player's number, and only what follows from the state",
            )
        sight = (node.turn, node.legal[player].tolist())
        if keys.setdefault((player, known), sight) != sight:
            raise broken(
                lane.where("information_state"),
                f"gives player {player} the same bytes in states with the turn and legal actions "
                f"{keys[player, known]} and {sight}",
                "write all that the player has seen, the public history above all",
            )


def _check_face(lane: GameLane, node: Node) -> None:
    """Check what is shown in Python."""
    game, label = lane.game, type(lane.game).__name__
    record = lane.record(node.state)
    with blame(f"{label}.state_values"):
        values = game.state_values(record)
    if not isinstance(values, dict) or not _is_plain(values):
        raise broken(
            f"{label}.state_values",
            f"returned {values!r}",
            "return a dict of plain Python values: use int(...), bool(...) and .tolist()",
        )
    with blame(f"{label}.text"):
        text = game.text(record)
    if not isinstance(text, str):
        raise broken(f"{label}.text", f"returned a {type(text).__name__}", "return a str")
    for player in range(game.num_players):
        with blame(f"{label}.event_payload"):
            payload = game.event_payload(player, node.events[player])
        if not _is_plain(payload):
            raise broken(
                f"{label}.event_payload",
                f"returned {payload!r}",
                "return plain Python values or None",
            )
    if record.tobytes() != lane.record(node.state).tobytes():
        raise broken(
            f"{label}.state_values or .text", "changed the state", "only read the state there"
        )


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or type(value) in (bool, int, float, str)


def _check_repeatable(lane: GameLane, nodes: list[Node], generator: np.random.Generator) -> None:
    """Play the game's transitions once more, in another order and with noise where it must not matter."""
    for index in generator.permutation(len(nodes))[:50]:
        node = nodes[index]
        events = node.events
        if node.way == START:
            state = lane.initial()
        elif node.way == PLAYED:
            joint = node.choice.copy()
            joint[_idle(lane, node)] = lane.game.num_actions
            state, events = lane.step(node.before, joint)
        else:
            state, events = lane.resolve_chance(node.before, int(node.choice[0]))
        if not np.array_equal(state, node.state) or not np.array_equal(events, node.events):
            fields = differing_fields(lane.game.state_dtype, state, node.state) or ["events"]
            raise broken(
                lane.where(node.way),
                f"gave another result when it was repeated ({', '.join(fields)})",
                "let it depend on nothing but the parameters, the state and the actions of the "
                "players that "
                "act; keep no address, counter or generator elsewhere",
            )


def _idle(lane: GameLane, node: Node) -> list[int]:
    assert node.before is not None
    turn = lane.actor(node.before)
    players = range(lane.game.num_players)
    return [
        player
        for player in players
        if not len(lane.legal(node.before, player)) or turn not in (player, SIMULTANEOUS)
    ]


def _check_truncation(lane: GameLane, node: Node) -> None:
    if lane.defines("truncate"):
        events = lane.truncate(node.state, node.events)
        if not np.isfinite(events).all():
            raise broken(
                lane.where("truncate"),
                f"wrote the events {events.tolist()}",
                "write finite amounts only",
            )


def _check_ends(lane: GameLane, longest: int, seed: int) -> None:
    if lane.game.truncation_horizon() is not None:
        return
    for key in range(PLAY_OUTS):
        if lane.play_out(seed + key, longest) < 0:
            raise broken(
                type(lane.game).__name__,
                f"was not over after {longest} random ticks and has no horizon",
                "give it a horizon (has_horizon=True with max_ticks), or let the rules end it",
            )
