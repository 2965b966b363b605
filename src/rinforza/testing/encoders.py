"""The conformance check of encoders."""

import numpy as np

from ..contracts.encoder import Encoder
from ..contracts.game import Game
from ..contracts.rules import CHANCE
from .agreement import disagreement
from .components import check_component
from .lanes import GameLane, alike
from .symmetries import check_symmetries
from .verdict import blame, broken
from .walk import Node, random_game

MEND_FRAME = (
    "make head_index and game_action inverse to each other for each player: every action one "
    "column from 0 to "
    "num_actions - 1, and back"
)


def check_encoder(
    subject: Game | Encoder,
    game: Game | None = None,
    *,
    ticks: int = 300,
    plain_ticks: int = 60,
    seed: int = 0,
) -> None:
    """Encode the states of random games, compiled and in plain Python, and check what comes out.

    Checked are shape, bounds and plane names, that every cell is the same in both lanes and in
    every call, that views with equal keys are equal, that nothing is written beside the arrays, and that
    the two action frames map onto each other. Where the encoder offers symmetries, games are played twice,
    as they are and under each symmetry, and must agree in observations, legal columns and events, and
    chance in its probabilities. Such a pair ends early where it cannot be decided: chance has more than
    2000 outcomes before a decision, can only be drawn, or leads to different states that look alike.

    Args:
        subject: A game, whose encoder is checked, or an encoder.
        game: With an encoder, the game whose states it is shown.
        ticks: Decisions that are encoded compiled, and as many under symmetries.
        plain_ticks: States that are encoded in plain Python, and as many under symmetries.
        seed: Chooses the random games.

    Raises:
        TypeError: If the arguments are no such components.
        ValueError: If the encoder is for other games.
        ConformanceError: If the encoder breaks its contract; the message says where, how, and how
            to mend it.

    Example:
        >>> import rinforza as rf
        >>> rf.testing.check_encoder(rf.games.TicTacToe(), ticks=20, plain_ticks=5)
    """
    game = _composed(subject, game)
    check_component(game.encoder, Encoder)
    _check_description(game)
    # Plain Python first: an index out of range is an error there, and a crash in compiled code.
    plain = GameLane(game, plain=True)
    generator = np.random.default_rng(seed)
    nodes = _nodes(plain, plain_ticks, generator)
    seen = [_observations(plain, node) for node in nodes]
    compiled = GameLane(game, plain=False)
    _check_frames(plain, compiled)
    for node, observations in zip(nodes, seen, strict=True):
        _compare(compiled, observations, _observations(compiled, node))
    shown = [(node, _observations(compiled, node)) for node in _nodes(compiled, ticks, generator)]
    if compiled.defines("key"):
        _check_keys(compiled, shown)
        for node in nodes:
            _compare_keys(plain, compiled, node)
    check_symmetries(plain, compiled, ticks, plain_ticks, generator)


def _composed(subject: Game | Encoder, game: Game | None) -> Game:
    """Return the game with the encoder to check."""
    if isinstance(subject, Game):
        if game is not None:
            raise TypeError("check_encoder takes a game alone, or an encoder with a game")
        return subject
    if not isinstance(subject, Encoder) or not isinstance(game, Game):
        raise TypeError(
            "check_encoder takes a game alone, or an encoder with a game; "
            f"got {type(subject).__name__} and {type(game).__name__}"
        )
    return with_encoder(game, subject)


def with_encoder(game: Game, encoder: Encoder) -> Game:
    """Return the game with another encoder."""
    return type(game)(**{**game.parameters, "encoder": encoder})


def _check_description(game: Game) -> None:
    encoder = game.encoder
    label = type(encoder).__name__
    with blame(f"{label}.shape, .bounds or .planes"):
        shape, planes, (low, high) = encoder.shape(game), encoder.planes(game), encoder.bounds(game)
        space = game.observation_space()
    whole = all(isinstance(size, int | np.integer) and size >= 1 for size in shape)
    if not isinstance(shape, tuple) or len(shape) != 3 or not whole:
        raise broken(f"{label}.shape", f"returned {shape!r}", "return a tuple (C, H, W) of ints >= 1")
    if encoder.shape(game) != shape or space.shape != shape:
        raise broken(f"{label}.shape", "changes from call to call", "let it follow from the parameters alone")
    named = all(isinstance(plane, str) and plane for plane in planes)
    if len(planes) != shape[0] or not named or len(set(planes)) != len(planes):
        raise broken(
            f"{label}.planes",
            f"returned {len(planes)} names {planes!r:.200} for {shape[0]} planes",
            "return one distinct name for each plane",
        )
    if not (np.asarray(low) <= np.asarray(high)).all():
        raise broken(f"{label}.bounds", f"returned {low!r} and {high!r}", "return (lowest, highest)")


def _check_frames(plain: GameLane, compiled: GameLane) -> None:
    """Check that columns and actions map one to one, the same in both lanes."""
    game = plain.game
    for player in range(game.num_players):
        taken: dict[int, int] = {}
        for action in range(game.num_actions):
            head = _column(plain, compiled, action, player)
            if head in taken:
                raise broken(
                    plain.where("head_index"),
                    f"gives the actions {taken[head]} and {action} of player {player} one column, {head}",
                    MEND_FRAME,
                )
            taken[head] = action
        for head in range(game.num_actions):
            action = _same(plain, compiled, "game_action", head, player)
            if action != taken[head]:
                raise broken(
                    plain.where("game_action"),
                    f"gives action {action} for column {head} of player {player}, which "
                    "head_index gives to "
                    f"action {taken[head]}",
                    MEND_FRAME,
                )


def _column(plain: GameLane, compiled: GameLane, action: int, player: int) -> int:
    head = _same(plain, compiled, "head_index", action, player)
    if not 0 <= head < plain.game.num_actions:
        raise broken(
            plain.where("head_index"),
            f"returned {head} for action {action} of player {player}, beyond 0 to "
            f"{plain.game.num_actions - 1}",
            MEND_FRAME,
        )
    if plain.game.encoder.same_frame and head != action:
        raise broken(
            plain.where("head_index"),
            f"renumbers action {action} to {head} although same_frame is True, so it is never called",
            "state same_frame = False",
        )
    return head


def _same(plain: GameLane, compiled: GameLane, method: str, index: int, player: int) -> int:
    one, other = (getattr(lane, method)(index, player) for lane in (plain, compiled))
    if one != other:
        raise disagreement(compiled.label(method), one, other)
    return one


def _nodes(lane: GameLane, ticks: int, generator: np.random.Generator) -> list[Node]:
    """Return about `ticks` decision nodes and ends of random games."""
    nodes: list[Node] = []
    while len(nodes) < ticks:
        nodes += [node for node in random_game(lane, generator, ticks - len(nodes)) if node.turn != CHANCE]
    return nodes


def _observations(lane: GameLane, node: Node) -> list[np.ndarray]:
    """Return what each player sees."""
    return [_observed(lane, node, player) for player in range(lane.game.num_players)]


def _check_keys(lane: GameLane, shown: list[tuple[Node, list[np.ndarray]]]) -> None:
    """Check that views with equal keys are equal."""
    known: dict[bytes, np.ndarray] = {}
    for node, observations in shown:
        for player, seen in enumerate(observations):
            first = known.setdefault(lane.key(node.state, player), seen)
            if first.tobytes() != seen.tobytes():
                cell = tuple(np.argwhere(first != seen)[0].tolist())
                raise broken(
                    lane.where("key"),
                    f"gave one key to two views that differ in cell {cell}",
                    "write everything that `encode` reads, the player too where the view depends on it",
                )


def _compare_keys(plain: GameLane, compiled: GameLane, node: Node) -> None:
    for player in range(plain.game.num_players):
        one, other = (lane.key(node.state, player) for lane in (plain, compiled))
        if one != other:
            raise disagreement(compiled.label("key"), one.hex(), other.hex())


def _compare(lane: GameLane, plain: list[np.ndarray], compiled: list[np.ndarray]) -> None:
    for one, other in zip(plain, compiled, strict=True):
        if not alike(one, other):
            cell = tuple(np.argwhere(~np.isclose(one, other, 1e-5, 1e-6))[0].tolist())
            found = (f"{observation[cell]} in cell {cell}" for observation in (one, other))
            raise disagreement(lane.label("encode"), *found)


def _observed(lane: GameLane, node: Node, player: int) -> np.ndarray:
    """Return a player's observation, checked."""
    seen = lane.observe(node.state, player)
    where = lane.where("encode")
    if not np.array_equal(seen, lane.observe(node.state, player), equal_nan=True):
        raise broken(
            where,
            "gave another result in a second call",
            "let it depend on the state and the player only",
        )
    if not np.isfinite(seen).all():
        raise broken(where, "wrote NaN or an infinity", "guard divisions, and write finite numbers only")
    space = lane.game.observation_space()
    if not space.contains(seen):
        outside = np.argwhere((seen < space.low) | (seen > space.high))[0]
        cell = tuple(int(index) for index in outside)
        raise broken(
            where,
            f"wrote {seen[cell]} to cell {cell}, beyond the bounds {space.low[cell]} to {space.high[cell]}",
            "scale or clamp the value, or widen `bounds`",
        )
    return seen
