"""What the checks are built of: walls, the bytes of a state, turned columns, random games."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import array_at
from rinforza.contracts.rules import CHANCE, TERMINAL
from rinforza.contracts.state_bytes import bytes_of_fields
from rinforza.testing.guarded import WALL, Guarded
from rinforza.testing.lanes import GameLane, alike, differing_fields
from rinforza.testing.mirror import mirrored, mirrored_ids
from rinforza.testing.walk import DRAWN, PLAYED, START, random_game

from .toys import Guess

pytestmark = pytest.mark.lanes


@pytest.mark.parametrize("offset", [-WALL, -8, 24, 24 + WALL - 8])
def test_a_wall_notices_one_byte_on_either_side(offset):
    guarded = Guarded(3, np.int64)
    assert guarded.address % 64 == 0
    guarded.array[:] = -1
    assert not guarded.breached()
    array_at(guarded.address + offset, 1, np.int8)[0] = 1
    assert guarded.breached()
    assert not guarded.breached()


def test_a_guarded_array_may_be_empty_and_starts_with_its_fill():
    assert Guarded(0, np.float64).array.shape == (0,)
    assert Guarded((2, 2), np.uint8, 7).array.tolist() == [[7, 7], [7, 7]]


def test_the_bytes_of_fields_and_of_flags():
    inner = np.dtype([("flag", np.bool_), ("count", np.int16)], align=True)
    layout = np.dtype([("byte", np.int8), ("parts", inner, (2,)), ("ready", np.bool_, (2,))], align=True)
    fields, flags = bytes_of_fields(layout)
    text = "".join("bf."[0 if flag else 1 if field else 2] for field, flag in zip(fields, flags, strict=True))
    assert text == "f." + "b.ff" * 2 + "bb"


def test_floats_may_differ_in_the_last_bits_and_nothing_else_may():
    assert alike(np.array([1.0, np.nan]), np.array([1.0 + 1e-15, np.nan]))
    assert alike(np.float32([1.0]), np.float32([1.0 + 1e-7]))
    assert not alike(np.array([1.0]), np.array([1.001]))
    assert not alike(np.array([1]), np.array([2]))
    assert not alike(np.zeros(2), np.zeros(3))


def test_fields_that_differ_are_named():
    one = np.zeros(1, Guess.state_dtype)
    other = one.copy()
    other["card"], other["note"][0, 1] = 1, 2
    views = (array.view(np.uint8) for array in (one, other))
    assert differing_fields(Guess.state_dtype, *views) == ["card", "note"]


@pytest.mark.parametrize("game", [rf.games.Connect4(), Guess()], ids=repr)
def test_the_mirror_turns_the_columns_round(game):
    turned = mirrored(game)
    last = game.num_actions - 1
    for player in range(game.num_players):
        for action in range(game.num_actions):
            head = turned.head_index(action, player)
            assert head == last - game.encoder.head_index(action, player)
            assert turned.game_action(head, player) == action
    assert mirrored_ids(np.array([0, 2, 1]), np.array([0, 2, 2, 3]), game).tolist() == [
        last - 2,
        last,
        last - 1,
    ]


@pytest.mark.parametrize("plain", [False, True])
def test_random_games_reach_every_phase_and_end(plain):
    lane = GameLane(Guess(rounds=3), plain)
    nodes = list(random_game(lane, np.random.default_rng(3), 100))
    assert [node.way for node in nodes[:4]] == [START, DRAWN, PLAYED, DRAWN]
    assert nodes[0].turn == CHANCE
    assert nodes[-1].turn == TERMINAL
    assert nodes[-1].ticks == 6
    assert all(node.acting() == [node.turn] for node in nodes if node.turn >= 0)
    cut = list(random_game(lane, np.random.default_rng(3), 2))
    assert [node.state.tobytes() for node in cut] == [node.state.tobytes() for node in nodes[: len(cut)]]
    assert cut[-1].ticks == 2
    assert cut[-1].turn >= 0


def test_playouts_tell_how_long_they_took():
    lane = GameLane(Guess(rounds=3), plain=False)
    assert lane.play_out(1, longest=6) == 6
    assert lane.play_out(1, longest=5) == -1
