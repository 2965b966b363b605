"""Whether a snapshot belongs to an environment."""

from ..contracts.game import Game
from ..contracts.rules import SIMULTANEOUS, TERMINAL
from ..contracts.state_bytes import layout_digest
from .kernels import INVALID
from .snapshot import EnvSnapshot


def check_composition(snapshot: EnvSnapshot, game: Game, fingerprint: str) -> None:
    """Refuse a snapshot of another configuration, or of the same game with another layout.

    Raises:
        ValueError: For either.
    """
    if snapshot.fingerprint != fingerprint:
        raise ValueError(
            "snapshot is from a different composition: its fingerprint is "
            f"{snapshot.fingerprint}, this environment's is {fingerprint}; game, encoder, reward and "
            "start moves must be equal"
        )
    if snapshot.layout != layout_digest(game.state_dtype):
        raise ValueError(
            f"snapshot is from a different composition: the states of {game.name!r} had "
            "another layout when it was made"
        )


def check_turn(snapshot: EnvSnapshot, game: Game, turn: int) -> None:
    """Refuse a state that is not safe, in which nobody acts, or that is not what the snapshot says.

    Raises:
        ValueError: For any of these.
    """
    problem = None
    if turn == INVALID:
        problem = f"its state is not one of the game {game.name!r}"
    elif turn != TERMINAL and turn != SIMULTANEOUS and not 0 <= turn < game.num_players:
        problem = "nobody acts in its state, and the game is not over"
    elif snapshot.done != (turn == TERMINAL):
        problem = f"done is {snapshot.done}, but its state says {turn == TERMINAL}"
    if problem is not None:
        raise ValueError(f"invalid EnvSnapshot: {problem}")
