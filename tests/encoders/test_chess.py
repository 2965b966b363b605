"""The encoders of chess: what they say of themselves, the mirrored frame, OpenSpiel's own observations."""

import zlib

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.encoder import ActionView
from rinforza.testing.lanes import GameLane
from tests.games.chess.boards import played, start_from
from tests.games.chess.test_recorded_games import GAMES, OBSERVATIONS, replayed

pytestmark = pytest.mark.lanes

BLACK_TO_MOVE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1"
WHITE_TO_MOVE = "r3k2r/pppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R w KQkq - 0 1"  # the same, mirrored


@pytest.mark.parametrize(
    ("encoder", "name", "shape"),
    [
        (rf.encoders.MinimalChess(), "minimal_chess", (19, 8, 8)),
        (rf.encoders.RelativeChess(), "relative_chess", (19, 8, 8)),
        (rf.encoders.OpenSpielChess(), "openspiel_chess", (20, 8, 8)),
        (rf.encoders.AlphaZeroChess(), "alphazero_chess", (119, 8, 8)),
        (rf.encoders.AlphaZeroChess(history_length=1), "alphazero_chess", (21, 8, 8)),
    ],
    ids=repr,
)
def test_what_they_say_of_themselves(encoder, name, shape):
    game = rf.games.Chess(encoder=encoder)
    assert encoder.name == name
    assert encoder.shape(game) == shape
    assert game.observation_space().shape == shape
    assert np.isinf(game.observation_space().high).all()
    planes = encoder.planes(game)
    assert len(planes) == len(set(planes)) == shape[0]


def test_the_default_is_minimal():
    assert rf.games.Chess().encoder == rf.encoders.MinimalChess()


def test_history_lengths():
    assert rf.encoders.AlphaZeroChess() == rf.encoders.AlphaZeroChess(8)
    most = rf.encoders.AlphaZeroChess(2_396_744)
    assert (14 * most.history_length + 7) * 64 <= (1 << 31) - 1
    with pytest.raises(ValueError, match="history_length must be <= 2396744"):
        rf.encoders.AlphaZeroChess(2_396_745)
    with pytest.raises(ValueError, match="history_length must be >= 1, got 0"):
        rf.encoders.AlphaZeroChess(0)
    with pytest.raises(OverflowError, match="history_length must not be negative"):
        rf.encoders.AlphaZeroChess(-1)
    for value in (8.0, True, "8", None):
        with pytest.raises(TypeError, match="history_length must be an int"):
            rf.encoders.AlphaZeroChess(value)


def test_only_the_history_makes_states_longer():
    sizes = [
        rf.games.Chess(encoder=encoder).state_dtype.itemsize
        for encoder in (
            None,
            rf.encoders.RelativeChess(),
            rf.encoders.OpenSpielChess(),
            rf.encoders.AlphaZeroChess(2),
        )
    ]
    assert sizes[0] == sizes[1] == sizes[2] == sizes[3] - 2 * 9 * 8


# ---- the mirrored frame ----


def test_the_mirror_is_a_bijection_and_its_own_inverse():
    view = ActionView(rf.games.Chess(encoder=rf.encoders.RelativeChess()))
    heads = [view.head_index(action, 1) for action in range(4672)]
    assert sorted(heads) == list(range(4672))
    assert [view.head_index(head, 1) for head in heads] == list(range(4672))
    assert [view.game_action(head, 1) for head in heads] == list(range(4672))
    assert [view.head_index(action, 0) for action in range(4672)] == list(range(4672))
    assert [view.game_action(action, 0) for action in range(4672)] == list(range(4672))


@pytest.mark.parametrize("encoder", [rf.encoders.MinimalChess(), rf.encoders.OpenSpielChess()], ids=repr)
def test_the_others_keep_the_action_ids(encoder):
    view = ActionView(rf.games.Chess(encoder=encoder))
    for action in range(0, 4672, 7):
        assert view.head_index(action, 1) == view.game_action(action, 1) == action


@pytest.mark.parametrize(
    ("black", "white", "black_fen", "white_fen"),
    [
        ("e8g8", "e1g1", BLACK_TO_MOVE, WHITE_TO_MOVE),
        ("e8c8", "e1c1", BLACK_TO_MOVE, WHITE_TO_MOVE),
        ("a6e2", "a3e7", BLACK_TO_MOVE, WHITE_TO_MOVE),
        ("f6g4", "f3g5", BLACK_TO_MOVE, WHITE_TO_MOVE),
        ("h3g2", "h6g7", BLACK_TO_MOVE, WHITE_TO_MOVE),
        ("a2b1n", "a7b8n", "4k3/8/8/8/8/8/p7/1N2K3 b - - 0 1", "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1"),
        ("a2a1r", "a7a8r", "4k3/8/8/8/8/8/p7/1N2K3 b - - 0 1", "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1"),
    ],
)
def test_a_move_of_black_has_the_column_of_the_mirrored_move(black, white, black_fen, white_fen):
    view = ActionView(rf.games.Chess(encoder=rf.encoders.RelativeChess()))
    head = view.head_index(rf.chess_uci_action(black, black_fen), 1)
    assert head == view.head_index(rf.chess_uci_action(white, white_fen), 0)


def test_mirrored_positions_look_the_same_and_have_the_same_columns():
    black, black_state = start_from(BLACK_TO_MOVE, plain_python(), rf.encoders.RelativeChess())
    white, white_state = start_from(WHITE_TO_MOVE, plain_python(), rf.encoders.RelativeChess())
    assert np.array_equal(black.observe(black_state, 1), white.observe(white_state, 0))
    assert np.array_equal(black.observe(black_state, 0), white.observe(white_state, 1))
    columns = [black.head_index(int(action), 1) for action in black.legal(black_state, 1)]
    assert sorted(columns) == white.legal(white_state, 0).tolist()


# ---- single planes ----


def test_the_en_passant_file_is_filled_after_every_jump():
    lane, state = start_from(rf.games.Chess().parameters["fen"], plain_python())
    state, _ = played(lane, state, "e2e4")
    expected = np.zeros((8, 8))
    expected[:, 4] = 1
    assert np.array_equal(lane.observe(state, 0)[17], expected)
    state, _ = played(lane, state, "g8f6")
    assert not lane.observe(state, 0)[17].any()


def test_the_repetition_planes_tell_of_that_moment():
    lane, state = start_from(rf.games.Chess().parameters["fen"], plain_python(), rf.encoders.AlphaZeroChess())
    out_and_back = ["g1f3", "g8f6", "f3g1", "f6g8"]
    state, _ = played(lane, state, *out_and_back, *out_and_back)
    twice = [lane.observe(state, 0)[14 * age + 12].mean() for age in range(8)]
    thrice = [lane.observe(state, 0)[14 * age + 13].mean() for age in range(8)]
    assert twice == [1, 1, 1, 1, 1, 0, 0, 0]
    assert thrice == [1, 0, 0, 0, 0, 0, 0, 0]


# ---- OpenSpiel ----


def test_the_observations_are_openspiels():
    lanes = {}
    compared = 0
    for number, *checksums in OBSERVATIONS[:: 12 if plain_python() else 1]:
        fen, signs, *_ = GAMES[int(number)]
        if fen not in lanes:
            game = rf.games.Chess(fen=fen, encoder=rf.encoders.OpenSpielChess())
            lanes[fen] = GameLane(game, plain_python())
        for (state, *_), checksum in zip(replayed(lanes[fen], signs), checksums, strict=False):
            seen = lanes[fen].observe(state, 0)
            assert f"{zlib.crc32(seen.tobytes()):08x}" == checksum
            compared += 1
    assert compared > 300
