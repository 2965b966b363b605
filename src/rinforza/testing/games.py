"""The conformance check of games."""

import numpy as np

from ..contracts.composition import check_claims
from ..contracts.game import Game
from ..contracts.rules import SIMULTANEOUS, TERMINAL
from .agreement import compare_lanes
from .components import check_component
from .lanes import GameLane, differing_fields
from .noise import check_noise
from .positions import Sights, check_position
from .verdict import blame, broken
from .walk import PLAYED, Node, random_game

MOST_KEPT = 4000  # nodes to choose from when the lanes are compared
MOST_REPEATED = 50  # transitions of a game that are played again
PLAY_OUTS = 25  # whole games that must end
GAMES = 8  # at least so many games are looked at, if they have to be cut short for it


def check_game(
    game: Game, *, ticks: int = 1000, plain_ticks: int = 100, longest: int = 10_000, seed: int = 0
) -> None:
    """Play a game at random, compiled and in plain Python, and compare it with its contract.

    Checked are the claims, every method on every state that random games reach, what `valid` says
    of those states and of random bytes, and that both lanes give the same.

    Args:
        game: The game.
        ticks: Decisions that are checked compiled.
        plain_ticks: Decisions that are checked in plain Python, and states on which the lanes are
            compared.
        longest: Ticks within which a game without a horizon must end.
        seed: Chooses the random games.

    Raises:
        TypeError: If `game` is no `Game`.
        ConformanceError: If the game breaks its contract; the message says where, how, and how to
            mend it.

    Example:
        >>> import rinforza as rf
        >>> rf.testing.check_game(rf.games.TicTacToe(), ticks=50, plain_ticks=10)
    """
    check_component(game, Game)
    with blame(type(game).__name__, "state every claim as the Game contract says"):
        check_claims(game)
    _check_numbers(game)
    # Plain Python first: an index out of range is an error there, and a crash in compiled code.
    plain = GameLane(game, plain=True)
    _play(plain, plain_ticks, longest, seed)
    compiled = GameLane(game, plain=False)
    nodes = _play(compiled, ticks, longest, seed + 1)
    generator = np.random.default_rng(seed)
    chosen = [0, *generator.permutation(len(nodes))[:plain_ticks]]  # the first state is among them
    compare_lanes(plain, compiled, [nodes[index] for index in chosen])
    check_noise(plain, compiled, nodes, plain_ticks, generator)
    if game.truncation_horizon() is None:
        _check_ends(compiled, longest, seed)


def _check_numbers(game: Game) -> None:
    """Check what a game states beyond what composing it refuses."""
    label = type(game).__name__
    for claim in ("num_players", "num_actions"):
        value = getattr(game, claim)
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise broken(label, f"states {claim} = {value!r}", f"state {claim} as an int >= 1")
    named = bool(game.events) and all(isinstance(key, str) for key in game.events)
    if not named or not np.isfinite(list(game.events.values())).all():
        mend = "name at least one event, each with a finite weight"
        raise broken(label, f"states events = {game.events!r}", mend)
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
    limit = min(lane.game.truncation_horizon() or longest, -(-ticks // GAMES))
    sights: Sights = {}
    kept: list[Node] = []
    played = 0
    while played < ticks:
        nodes = []
        for node in random_game(lane, generator, limit):
            check_position(lane, node, sights, generator)
            nodes.append(node)
        played += max(1, nodes[-1].ticks)
        _check_repeatable(lane, nodes, generator)
        if nodes[-1].turn != TERMINAL and lane.defines("truncate"):
            _check_truncation(lane, nodes[-1])
        kept += nodes[: MOST_KEPT - len(kept)]
    return kept


def _check_repeatable(lane: GameLane, nodes: list[Node], generator: np.random.Generator) -> None:
    """Make transitions of a game again, in another order, with noise where it must not matter."""
    for index in generator.permutation(len(nodes))[:MOST_REPEATED]:
        node = nodes[index]
        events = node.events
        if node.before is None:
            state = lane.initial()
        elif node.way == PLAYED:
            joint = node.choice.copy()
            joint[_idle(lane, node.before)] = lane.game.num_actions
            state, events = lane.step(node.before, joint)
        else:
            state, events = lane.resolve_chance(node.before, int(node.choice[0]))
        if not np.array_equal(state, node.state) or not np.array_equal(events, node.events):
            fields = differing_fields(lane.game.state_dtype, state, node.state) or ["events"]
            raise broken(
                lane.where(node.way),
                f"gave another result when it was repeated ({', '.join(fields)})",
                "let it depend on nothing but the parameters, the state and the actions of the "
                "players "
                "that act; keep no address, counter or generator elsewhere",
            )


def _idle(lane: GameLane, state: np.ndarray) -> list[int]:
    """Return the players that do not act in a state."""
    turn = lane.actor(state)
    players = range(lane.game.num_players)
    if turn == SIMULTANEOUS:
        return [player for player in players if len(lane.legal(state, player)) == 0]
    return [player for player in players if player != turn]


def _check_truncation(lane: GameLane, node: Node) -> None:
    events = lane.truncate(node.state, node.events)
    if not np.isfinite(events).all():
        what = f"wrote the events {events.tolist()}"
        raise broken(lane.where("truncate"), what, "write finite amounts only")


def _check_ends(lane: GameLane, longest: int, seed: int) -> None:
    for key in range(PLAY_OUTS):
        if lane.play_out(seed + key, longest) < 0:
            raise broken(
                type(lane.game).__name__,
                f"was not over after {longest} random ticks and has no horizon",
                "give it one (max_ticks), or let the rules end it",
            )
