"""How games end: mates, stalemate, the third occurrence, fifty moves, too little material."""

import numpy as np
import pytest

from rinforza.compiled import plain_python
from rinforza.contracts.rules import TERMINAL

from .boards import fen_of, played, start_from

pytestmark = pytest.mark.lanes

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KNIGHTS_OUT_AND_BACK = ["g1f3", "g8f6", "f3g1", "f6g8"]


def begin(fen):
    """The lane under test, and the first state."""
    return start_from(fen, plain_python())


def test_fools_mate():
    lane, state = begin(START)
    state, payloads = played(lane, state, "f2f3", "e7e5", "g2g4", "d8h4")
    assert payloads == ["loss", "win"]
    assert lane.actor(state) == TERMINAL
    assert lane.game.state_values(lane.record(state)) == {
        "fen": "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "turn": 0,
        "done": True,
    }


@pytest.mark.parametrize(
    ("fen", "move", "payloads"),
    [
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 99 80", "g5g7", ["win", "loss"]),  # mate comes before the clock
        ("7k/8/5K2/8/8/8/6Q1/8 w - - 0 1", "g2g6", ["draw", "draw"]),  # stalemate
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 99 80", "g5f5", ["draw", "draw"]),
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 98 80", "g5f5", [None, None]),
        ("4k3/4p3/8/8/8/8/4P3/4K3 b - - 99 70", "e7e5", [None, None]),  # a pawn sets the clock back
    ],
)
def test_a_last_move(fen, move, payloads):
    lane, state = begin(fen)
    state, found = played(lane, state, move)
    assert found == payloads
    assert (lane.actor(state) == TERMINAL) == (payloads != [None, None])
    assert lane.valid(state) == 1


@pytest.mark.parametrize(
    ("fen", "capture", "ends"),
    [
        ("4k3/8/8/8/8/8/3p4/4K3 w - - 0 1", "e1d2", True),  # bare kings
        ("4k3/8/8/8/8/5N2/3p4/4K3 w - - 0 1", "e1d2", True),  # one knight
        ("4k3/8/8/8/8/5B2/3p4/4K3 w - - 0 1", "e1d2", True),  # one bishop
        ("4k3/8/8/1b6/8/5B2/3p4/4K3 w - - 0 1", "e1d2", True),  # bishops on light squares
        ("4k3/8/8/2b5/8/5B2/3p4/4K3 w - - 0 1", "e1d2", False),  # bishops on both colours
        ("4k3/8/8/2n5/8/5N2/3p4/4K3 w - - 0 1", "e1d2", False),  # a knight each
        ("4k3/8/8/8/8/1N3N2/3p4/4K3 w - - 0 1", "e1d2", False),  # two knights of one side
        ("4k3/8/8/2b5/8/5N2/3p4/4K3 w - - 0 1", "e1d2", False),  # bishop and knight
        ("4k3/8/8/8/8/5R2/3p4/4K3 w - - 0 1", "e1d2", False),
        ("4k3/8/8/8/8/5Q2/3p4/4K3 w - - 0 1", "e1d2", False),
        ("4k3/8/8/8/8/5P2/3p4/4K3 w - - 0 1", "e1d2", False),
    ],
)
def test_too_little_material(fen, capture, ends):
    lane, state = begin(fen)
    _, payloads = played(lane, state, capture)
    assert payloads == (["draw", "draw"] if ends else [None, None])


def test_the_third_occurrence():
    lane, state = begin(START)
    state, payloads = played(lane, state, *KNIGHTS_OUT_AND_BACK, *KNIGHTS_OUT_AND_BACK[:3])
    assert payloads == [None, None]
    state, payloads = played(lane, state, "f6g8")
    assert payloads == ["draw", "draw"]
    assert lane.record(state).seen == 3
    assert lane.valid(state) == 1


def test_lost_castling_rights_make_another_position():
    lane, state = begin("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    there_and_back = ["a1b1", "a8b8", "b1a1", "b8a8"]
    state, payloads = played(lane, state, *there_and_back, *there_and_back)
    assert payloads == [None, None]  # the rooks at home: with all rights once, without two of them twice
    state, payloads = played(lane, state, *there_and_back[:2])
    assert payloads == ["draw", "draw"]


@pytest.mark.parametrize(
    ("fen", "jump", "seen"),
    [
        ("4k3/8/8/8/3p4/8/4P2R/4K3 w - - 0 1", "e2e4", 1),  # a pawn beside could take
        ("3rk3/8/8/8/5p2/8/4P3/K6B w - - 0 1", "e2e4", 1),
        ("4k3/8/8/8/2p5/8/4P2R/4K3 w - - 0 1", "e2e4", 2),  # nobody could
        ("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", "e2e4", 1),  # pinned along the rank, yet it counts
    ],
)
def test_en_passant_counts_when_a_pawn_stands_beside(fen, jump, seen):
    lane, state = begin(fen)
    state, _ = played(lane, state, jump)
    black = {"8/8/8/8/k2p3R/8/4P3/4K3": ("a4a5", "a5a4")}.get(fen.split()[0], ("e8e7", "e7e8"))
    white = ("a1a2", "a2a1") if "K6B" in fen else ("e1e2", "e2e1")
    state, _ = played(lane, state, black[0], white[0], black[1], white[1])
    assert lane.record(state).seen == seen


def test_a_capture_starts_the_count_again():
    lane, state = begin("4k1n1/8/8/8/8/8/4p3/4K1N1 w - - 5 1")
    state, _ = played(lane, state, "g1e2")
    assert lane.record(state).n_past == 0
    assert lane.record(state).clock == 0
    state, _ = played(lane, state, "g8f6")
    assert lane.record(state).n_past == 1


def test_fifty_moves_from_the_start_fill_the_memory_of_positions():
    lane, state = begin("rn2k1nr/8/8/8/8/8/8/RN2K1NR w - - 0 1")
    generator = np.random.default_rng(1)
    for tick in range(100):
        assert lane.actor(state) != TERMINAL, f"over after {tick} half-moves: {fen_of(lane, state)}"
        state = quiet_step(lane, state, generator)
        assert lane.valid(state) == 1
    assert lane.record(state).clock == lane.record(state).n_past == 100
    assert lane.actor(state) == TERMINAL


def quiet_step(lane, state, generator):
    """Make a random move that is no capture and leads to a new position with moves to make."""
    clock = lane.record(state).clock + 1
    for action in generator.permutation(lane.legal(state, lane.actor(state))):
        after, _ = lane.step(state, np.array([action, action]))
        record = lane.record(after)
        if record.clock == clock and record.seen == 1 and (clock == 100 or not record.done):
            return after
    raise AssertionError("no quiet move")


def test_the_horizon_and_the_events():
    lane, _ = begin(START)
    assert lane.game.truncation_horizon() == 512
    assert lane.game.events == {"win": 1.0, "loss": -1.0, "draw": 0.0}
    assert not lane.defines("truncate")
