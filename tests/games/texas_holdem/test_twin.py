"""Random hands beside the naive twin: turns, legal actions, chips, observations, what is won."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.rules import CHANCE, TERMINAL
from rinforza.testing.lanes import GameLane
from tests.games.transcripts import transcribe
from tests.naive.texas_holdem import NaiveTexasHoldem

TABLES = {
    "two": {"num_players": 2, "stack": 60},
    "two uneven": {"num_players": 2, "stack": (11, 90)},
    "three": {"num_players": 3, "stack": 25, "small_blind": 3, "big_blind": 7},
    "three uneven": {"num_players": 3, "stack": (12, 35, 200)},
    "six": {"num_players": 6, "stack": 200},
    "six uneven": {"num_players": 6, "stack": (10, 20, 31, 43, 60, 60)},
    "nine": {"num_players": 9, "stack": 40, "small_blind": 1, "big_blind": 2},
    "nine uneven": {
        "num_players": 9,
        "stack": (3, 4, 5, 8, 11, 15, 20, 40, 41),
        "small_blind": 2,
        "big_blind": 3,
    },
}


@pytest.mark.lanes
@pytest.mark.parametrize("nodes", [1500, pytest.param(12_000, marks=pytest.mark.slow, id="many")])
@pytest.mark.parametrize("name", TABLES)
def test_random_hands_go_as_the_twin_goes(name, nodes):
    lane = GameLane(rf.games.TexasHoldem(**TABLES[name]), plain_python())
    ended, shared = follow(lane, TABLES[name], 150 if plain_python() else nodes, 7)
    assert ended > nodes // 60 or plain_python()
    assert shared > 0 or plain_python()


@pytest.mark.parametrize("name", TABLES)
def test_random_hands_in_plain_python_go_as_the_twin_goes(name):
    follow(GameLane(rf.games.TexasHoldem(**TABLES[name]), plain=True), TABLES[name], 60, 2)


def follow(lane, options, nodes, every):
    """Compare random hands with the twin; return how many ended, and pots several seats could win."""
    written = transcribe(lane, nodes, seed=nodes)
    twin, won = NaiveTexasHoldem(**options), None
    ended = shared = 0
    for node, turn in enumerate(written.turns.tolist()):
        state = written.states[node]
        assert won_at(lane, written, node) == (won or [None] * twin.count)
        assert (turn == CHANCE, turn == TERMINAL) == (twin.needs_draw and not twin.done, twin.done)
        if turn == CHANCE:
            if node % every == 0:
                assert len(lane.chance(state)) == twin.count_outcomes()
            won = twin.draw(int(written.outcomes[node]))
            continue
        assert lane.game.state_values(lane.record(state)) == twin.state_values()
        if node % every == 0 or turn == TERMINAL:
            compare(lane, state, twin)
        if turn == TERMINAL:
            ended, shared = ended + 1, shared + twin.pots_shared
            twin, won = NaiveTexasHoldem(**options), None
        else:
            won = twin.step(int(written.joints[node, turn]))
    return ended, shared


def won_at(lane, written, node):
    """Return what is reported of each seat on the way to a node."""
    record = lane.record(written.states[node])
    return [
        lane.game.event_payload(seat, amounts, record) for seat, amounts in enumerate(written.events[node])
    ]


def compare(lane, state, twin):
    """Compare all that is seen of a state."""
    assert lane.valid(state) == 1
    for player in range(twin.count):
        assert lane.legal(state, player).tolist() == twin.legal_actions(player)
        assert np.array_equal(lane.observe(state, player), np.array(twin.observation(player), np.float32))
