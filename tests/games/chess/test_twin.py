"""Random games beside the naive twin: moves, events, values and what every encoder shows."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.testing.lanes import GameLane
from tests.games.side_by_side import random_moments
from tests.naive.chess import NaiveChess, alphazero_planes, openspiel_planes, relative_planes

pytestmark = pytest.mark.lanes

STARTS = [
    rf.games.Chess().parameters["fen"],
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/PPPk4/8/8/8/8/4Kppp/8 b - - 40 50",
    "4k3/2p1p3/8/1P1P1P2/1p1p1p2/8/2P1P3/4K3 w - - 0 1",
    "6k1/8/8/8/8/8/8/K5qr w - - 93 1",
]
TICKS = 12 if plain_python() else 40
VIEWS = {  # each AlphaZeroChess has states of its own and is compiled anew, so two are only run as they are
    "minimal": (rf.encoders.MinimalChess(), False, lambda twin, player: twin.observation(player)),
    "relative": (rf.encoders.RelativeChess(), False, relative_planes),
    "openspiel": (rf.encoders.OpenSpielChess(), False, lambda twin, _: openspiel_planes(twin)),
    "alphazero 8": (rf.encoders.AlphaZeroChess(), False, lambda twin, _: alphazero_planes(twin, 8)),
    "alphazero 1": (rf.encoders.AlphaZeroChess(1), True, lambda twin, _: alphazero_planes(twin, 1)),
    "alphazero 11": (
        rf.encoders.AlphaZeroChess(history_length=11),
        True,
        lambda twin, _: alphazero_planes(twin, 11),
    ),
}


@pytest.mark.parametrize("plain", [False, True], ids=["compiled", "plain"])
@pytest.mark.parametrize("fen", STARTS)
def test_moves_events_and_values_are_the_twins(fen, plain):
    lane = GameLane(rf.games.Chess(fen=fen), plain)
    for state, twin, payloads, expected in random_moments(lane, NaiveChess(fen), seed=1, longest=TICKS):
        for player in range(2):
            assert lane.legal(state, player).tolist() == twin.legal_actions(player)
        assert payloads == expected
        assert lane.game.state_values(lane.record(state)) == twin.state_values()
        assert lane.valid(state) == 1


@pytest.mark.parametrize("fen", STARTS)
@pytest.mark.parametrize("view", VIEWS)
def test_every_observation_is_the_twins(view, fen):
    encoder, plain, planes = VIEWS[view]
    lane = GameLane(rf.games.Chess(fen=fen, encoder=encoder), plain or plain_python())
    for state, twin, *_ in random_moments(lane, NaiveChess(fen), seed=2, longest=TICKS):
        for player in range(2):
            seen = lane.observe(state, player)
            assert np.array_equal(seen, np.array(planes(twin, player), np.float32))
