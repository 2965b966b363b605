"""A game of the library and its naive twin, played move for move."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rinforza.contracts.rules import CHANCE
from rinforza.testing.lanes import GameLane


class Moment(NamedTuple):
    """One state of a random game, on both sides.

    Attributes:
        state: The library's state.
        twin: The twin, at the same state.
        payloads: (player, payload) of the events that the library reported on the way.
        expected: What the twin reported.
    """

    state: np.ndarray
    twin: Any
    payloads: list[tuple[int, Any]]
    expected: list[tuple[int, Any]]


def random_moments(lane: GameLane, twin: Any, seed: int, longest: int = 200) -> Iterator[Moment]:
    """Play one random game on both sides; yield every decision state and the end."""
    generator = np.random.default_rng(seed)
    state = lane.initial()
    if lane.actor(state) == CHANCE:
        outcome = int(generator.integers(len(lane.chance(state))))
        state, events = lane.resolve_chance(state, outcome)
        assert payloads_of(lane, state, events) == []
        twin.start(outcome)
    yield Moment(state, twin, [], [])
    for _ in range(longest):
        if twin.done:
            return
        action = int(generator.choice(twin.legal_actions(twin.turn)))
        joint = np.zeros(lane.game.num_players, np.int64)
        joint[twin.turn] = action
        state, events = lane.step(state, joint)
        expected = twin.step(action)
        yield Moment(state, twin, payloads_of(lane, state, events), expected)


def payloads_of(lane: GameLane, state: np.ndarray, events: np.ndarray) -> list[tuple[int, Any]]:
    """Return what is reported of a tick: (player, payload) where there is an event."""
    found = [
        (player, lane.game.event_payload(player, amounts, lane.record(state)))
        for player, amounts in enumerate(events)
        if amounts.any()
    ]
    return [(player, payload) for player, payload in found if payload is not None]
