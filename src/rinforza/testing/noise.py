"""What a game makes of states that no game leads to."""

import numpy as np

from ..contracts.rules import CHANCE, SIMULTANEOUS, TERMINAL
from ..contracts.state_bytes import bytes_of_fields
from .agreement import disagreement
from .lanes import GameLane
from .verdict import ConformanceError, broken
from .walk import Node

MEND = (
    "let valid check every field on which another method relies (ranges, counts, indices) and "
    "return 0 otherwise"
)


def check_noise(
    plain: GameLane,
    compiled: GameLane,
    nodes: list[Node],
    rounds: int,
    generator: np.random.Generator,
) -> None:
    """Show `valid` random bytes and states with some bits turned; what it accepts must be safe.

    Plain Python goes first, where an index out of range is an error and no crash.
    """
    for attempt in range(2 * rounds):
        state = noisy_state(plain, nodes, attempt, generator)
        verdicts = [lane.valid(state) for lane in (plain, compiled)]
        if verdicts[0] != verdicts[1]:
            raise disagreement(compiled.label("valid"), *verdicts)
        if verdicts[0] == 1:
            _tour(plain, state)
            _tour(compiled, state)


def noisy_state(
    lane: GameLane, nodes: list[Node], attempt: int, generator: np.random.Generator
) -> np.ndarray:
    """Return random bytes, or a state of a game with some bits turned or some bytes small."""
    fields, flags = bytes_of_fields(lane.game.state_dtype)
    state = np.zeros(lane.size, np.uint8)
    body = state[: len(fields)]
    if attempt % 4 == 0:
        body[:] = generator.integers(256, size=len(body))
    else:
        body[:] = nodes[generator.integers(len(nodes))].state[: len(body)]
        places = generator.integers(len(body), size=1 + attempt % 4)
        if attempt % 2:
            body[places] ^= np.uint8(1) << generator.integers(8, size=len(places)).astype(np.uint8)
        else:
            body[places] = generator.integers(4, size=len(places))
    body[~fields] = 0
    body[flags] &= 1  # a bool is read from outside as 0 or 1
    return state


def _tour(lane: GameLane, state: np.ndarray) -> None:
    """Call everything on a state that `valid` accepted."""
    try:
        turn = lane.actor(state)
        if turn == CHANCE or not TERMINAL <= turn < lane.game.num_players:
            raise broken(lane.where("actor"), f"returned {turn}", MEND)
        if turn != TERMINAL and lane.defines("cell"):
            lane.cell(state)
        legal = [lane.legal(state, player) for player in range(lane.game.num_players)]
        for player, actions in enumerate(legal):
            lane.observe(state, player)
            if lane.defines("information_state"):
                lane.information_state(state, player)
            if any(not 0 <= action < lane.game.num_actions for action in actions):
                raise broken(lane.where("legal_actions"), f"listed {actions.tolist()}", MEND)
        acting = [
            player for player in range(len(legal)) if turn in (player, SIMULTANEOUS) and len(legal[player])
        ]
        if turn != TERMINAL and not acting:
            raise broken(
                lane.where("legal_actions"),
                f"left nobody an action where the actor is {turn}",
                MEND,
            )
        for place in range(max((len(legal[player]) for player in acting), default=0)):
            joint = np.zeros(len(legal), np.int64)
            for player in acting:
                joint[player] = legal[player][place % len(legal[player])]
            lane.step(state, joint)
    except ConformanceError as error:
        values = lane.record(state)
        raise broken(lane.where("valid"), f"accepts the state {values}, in which {error}", MEND) from error
