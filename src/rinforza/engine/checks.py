"""What is refused when an engine is composed."""

import numpy as np

from ..contracts.arguments import LARGEST_BUDGET, flag, integer, number
from ..contracts.composition import Rules
from ..contracts.game import Game
from ..contracts.learner import Learner
from ..contracts.policy import Policy
from ..contracts.search_memory import REQUEST
from .start_tables import StartBuffer

MOST_GAMES = 65_536
MOST_THREADS = 512
LARGEST_BUFFER = 1 << 29  # bytes
LARGEST_SEARCH = 1 << 36  # bytes
LARGEST_CAPACITY = (1 << 63) - 1
COMPATIBILITY = "see the compatibility table in README.md"


def check_pair(policy: Policy, learner: Learner) -> None:
    """Refuse what is no policy or learner, and pairs that do not fit.

    Raises:
        TypeError: For another type.
        ValueError: For a learner that does not read the policy's evaluations.
    """
    if not isinstance(policy, Policy):
        raise TypeError(f"policy must be a Policy, got {type(policy).__name__}")
    if not isinstance(learner, Learner):
        raise TypeError(f"learner must be a Learner, got {type(learner).__name__}")
    if policy.name not in learner.policies:
        raise ValueError(
            f"incompatible policy/learner composition: {policy.name!r} with {learner.name!r}, "
            f"which goes with {', '.join(map(repr, learner.policies))}; {COMPATIBILITY}"
        )


def check_game(policy: Policy, game: Game, weights: np.ndarray) -> None:
    """Refuse a game that the policy cannot play.

    Raises:
        ValueError: For hidden information under a search, too many players, or what the policy itself
        refuses.
    """
    label = type(policy).__name__
    if game.information == "imperfect" and not policy.supports_imperfect_information:
        raise ValueError(
            f"{label} would be clairvoyant on {game.name}: it searches the true state of a game with hidden "
            f"information; {COMPATIBILITY}"
        )
    policy.check_game(game, weights)  # first, since it says more exactly what is missing
    most = policy.max_agents(game.dynamics)
    if most is not None and game.num_players > most:
        raise ValueError(
            f"{label} supports at most {most} agents in {game.dynamics} games, and {game.name} has "
            f"{game.num_players}; {COMPATIBILITY}"
        )


def check_augmentation(learner: Learner, game: Game, symmetries: int) -> None:
    """Refuse a learner that writes records under symmetries where the encoder offers none.

    Raises:
        ValueError: Naming the encoder.
    """
    if learner.augment and symmetries == 1:
        raise ValueError(
            f"{type(learner).__name__} with augment=True needs symmetries, and the encoder "
            f"{game.encoder.name!r} offers none for {game!r}; set augment=False, or take an encoder that "
            "defines symmetries, transform and transform_head"
        )


def check_memory(rules: Rules, policy: Policy, n_games: int, batch_size: int) -> None:
    """Refuse a composition whose observation or answer buffers would be unreasonable.

    Raises:
        ValueError: Naming the parameter to lower.
    """
    per_row = max(4 * rules.observation_size, 8 * policy.output.heads * (rules.game.num_actions + 1))
    for knob, rows in (("n_games", n_games * rules.game.num_players), ("batch_size", batch_size)):
        if rows * per_row > LARGEST_BUFFER:
            raise ValueError(
                f"{knob} is too large for this composition: {rows} rows of {per_row} bytes exceed "
                f"{LARGEST_BUFFER} bytes; lower {knob}"
            )
    per_game = search_bytes(rules, policy)
    if n_games * per_game > LARGEST_SEARCH:
        raise ValueError(
            f"n_games is too large for this composition: {n_games} searches of {per_game:,} bytes exceed "
            f"{LARGEST_SEARCH:,} bytes; lower n_games or what {policy!r} spends on a decision"
        )


def search_bytes(rules: Rules, policy: Policy) -> int:
    """Return the memory that one game's search starts with."""
    game, first = rules.game, policy.capacity(rules.game)
    sides = game.num_players * policy.side_dtype.itemsize if policy.values_everyone(game) else 0
    node = policy.node_dtype.itemsize + rules.state_size + sides
    tables = first.nodes * node + first.edges * (policy.edge_dtype.itemsize + 4)
    return tables * (2 if policy.keeps_search else 1) + first.requests * REQUEST.itemsize


def check_learn_players(learn_players: object, n_players: int) -> list[int]:
    """Return the players whose records are made.

    Raises:
        TypeError: If it is no list of ints.
        ValueError: If it is empty or names a player that the game does not have.
    """
    if learn_players is None:
        return list(range(n_players))
    if not isinstance(learn_players, list | tuple):
        raise TypeError(f"learn_players must be a list of ints or None, got {type(learn_players).__name__}")
    if not learn_players:
        raise ValueError("learn_players must name at least one player, got an empty list; use None for all")
    return [integer("learn_players", player, 0, n_players - 1) for player in learn_players]


def check_start_buffer(
    game: Game, start_buffer: object, capacity: object, p_fresh: object
) -> StartBuffer | None:
    """Return the numbers of the start buffer, or None if there is to be none; they are not looked at then.

    Raises:
        TypeError: For another type.
        ValueError: For a number out of range, or a game that does not sort its states into cells.
        OverflowError: For a capacity that is negative or beyond 63 bits.
    """
    if not flag("start_buffer", start_buffer):
        return None
    if game.n_cells == 0:
        raise ValueError(
            f"{game.name} does not support start_buffer: it does not sort its states into cells; use "
            "start_buffer=False, or define Game.cell"
        )
    states = integer("start_buffer_capacity", capacity, 0)
    if states < 1:
        raise ValueError("start_buffer_capacity must be >= 1, got 0")
    if states > LARGEST_CAPACITY:
        raise OverflowError(f"start_buffer_capacity must fit in a signed 64-bit integer, got {states}")
    return StartBuffer(states, number("p_fresh", p_fresh, 0.0, 1.0))


def check_counts(n_games: object, batch_size: object, n_threads: object) -> tuple[int, int, int]:
    """Return the three counts within their ranges.

    Raises:
        TypeError, OverflowError, ValueError: As `arguments.integer`.
    """
    games = integer("n_games", n_games, 0, MOST_GAMES)
    if games < 1:
        raise ValueError("n_games must be >= 1, got 0")
    rows = integer("batch_size", batch_size, 0, LARGEST_BUDGET)
    threads = integer("n_threads", n_threads, 0, MOST_THREADS)
    return games, rows or max(1, games // 2), threads
