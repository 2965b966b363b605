"""Snapshots: the same future, refusals, and bytes that somebody has damaged or forged."""

import copy
import hashlib
import json
import pickle
import random
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

import rinforza as rf
from rinforza.env.snapshot import ENVELOPE
from tests.env.games import GAMES, DiceRace, HighCard, play

pytestmark = pytest.mark.lanes


def name(game):
    return game.name


@pytest.mark.parametrize("game", GAMES, ids=name)
def test_a_restored_environment_goes_on_as_the_first(game):
    env = rf.Env(game, rf.Reward(), seed=3)
    for ticks in range(5):
        env.reset()
        play(env, random.Random(ticks), ticks)
        raw = env.snapshot().to_bytes()
        other = rf.Env(game, rf.Reward(), seed=99)
        play(other, random.Random(5), 2)
        other.restore(rf.EnvSnapshot.from_bytes(raw))
        assert other.ticks == env.ticks
        assert other.done() == env.done()
        for episode in range(3):
            seen = play(env, random.Random(episode), 30)
            assert play(other, random.Random(episode), 30) == seen
            assert other.snapshot() == env.snapshot()
            assert np.array_equal(other.observe(0), env.observe(0))
            env.reset()
            other.reset()


def test_a_snapshot_is_a_value():
    env = rf.Env(DiceRace(), seed=2)
    snapshot = env.snapshot()
    assert snapshot == env.fork().snapshot()
    assert hash(snapshot) == hash(env.fork().snapshot())
    assert snapshot.fingerprint == env.config_fingerprint()
    assert snapshot.schema_version == 2
    assert snapshot.ticks == 0
    assert snapshot.done is False
    env.step({env.active_agents()[0]: 0})
    assert snapshot != env.snapshot()
    assert copy.deepcopy(snapshot) == pickle.loads(pickle.dumps(snapshot)) == snapshot
    with pytest.raises(FrozenInstanceError):
        snapshot.ticks = 3


def test_bytes_and_their_readers():
    snapshot = rf.Env(HighCard(), seed=2).snapshot()
    raw = snapshot.to_bytes()
    for data in (raw, bytearray(raw), memoryview(raw)):
        assert rf.EnvSnapshot.from_bytes(data) == snapshot
    for data in (None, "text", 5, [1, 2]):
        with pytest.raises(TypeError, match="data must be bytes"):
            rf.EnvSnapshot.from_bytes(data)
    env = rf.Env(HighCard())
    for other in (None, raw, env):
        with pytest.raises(TypeError, match="snapshot must be an EnvSnapshot"):
            env.restore(other)


def unchanged_by(env, snapshot, words):
    """Checks that the snapshot is refused in these words and leaves the environment as it was."""
    before, rewards = env.snapshot(), env.rewards
    with pytest.raises(ValueError, match=words):
        env.restore(snapshot)
    assert env.snapshot() == before
    assert env.rewards == rewards


def test_snapshots_of_other_compositions():
    env = rf.Env(rf.games.GridWorld(), rf.Reward(), seed=1)
    env.step({0: 1})
    strangers = [
        rf.Env(rf.games.GridWorld()),
        rf.Env(rf.games.GridWorld(), rf.Reward(goal=2)),
        rf.Env(rf.games.GridWorld(size=6), rf.Reward()),
        rf.Env(rf.games.TicTacToe(), rf.Reward()),
    ]
    for stranger in strangers:
        unchanged_by(env, stranger.snapshot(), "snapshot is from a different composition")
        unchanged_by(stranger, env.snapshot(), stranger.config_fingerprint())
    moved = replace(env.snapshot(), layout="0123456789abcdef")
    unchanged_by(env, moved, "different composition: the states of 'gridworld' had another layout")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"state": bytes(8)}, "the state has 8 bytes, not the 16"),
        ({"done": True}, "done is True, but its state says False"),
        ({"state": bytes([3]) + bytes(15)}, "its state is not one of the game 'tictactoe'"),
        ({"state": bytes(10) + bytes([2]) + bytes(5)}, "the state has a flag that is no bool"),
    ],
)
def test_states_that_no_game_has(changes, words):
    env = rf.Env(rf.games.TicTacToe(), rf.Reward())
    snapshot = env.snapshot()
    env.step({0: 0})
    unchanged_by(env, replace(snapshot, **changes), f"invalid EnvSnapshot: {words}")


def test_a_state_in_which_nobody_acts():
    class Lenient(DiceRace):
        """Takes every state."""

        def valid(self, state):
            return 1

    env = rf.Env(Lenient())
    pending = replace(env.snapshot(), state=bytes(12) + bytes(4))
    unchanged_by(env, pending, "invalid EnvSnapshot: nobody acts in its state")
    mover_seven = np.zeros(1, DiceRace.state_dtype)
    mover_seven["started"], mover_seven["mover"] = True, 7
    stranger = replace(env.snapshot(), state=mover_seven.tobytes().ljust(16, b"\0"))
    unchanged_by(env, stranger, "invalid EnvSnapshot: nobody acts in its state")


def test_padding_is_not_taken_over():
    env = rf.Env(HighCard(), seed=1)
    snapshot = env.snapshot()
    state = bytearray(snapshot.state)
    for place in (2, 7, 25, 31):  # between and behind the fields
        assert state[place] == 0
        state[place] = 0xAA
    env.restore(replace(snapshot, state=bytes(state)))
    assert env.snapshot() == snapshot


@pytest.mark.parametrize(
    "changes",
    [
        {"fingerprint": "xyz"},
        {"fingerprint": "A" * 64},
        {"fingerprint": None},
        {"layout": "00"},
        {"ticks": -1},
        {"ticks": 2**63},
        {"ticks": True},
        {"ticks": 1.0},
        {"done": 1},
        {"state": b""},
        {"state": bytearray(8)},
        {"stream": (1, 2, 3)},
        {"stream": (1, 2**64)},
        {"stream": [1, 2]},
        {"stream": None},
    ],
    ids=str,
)
def test_fields_that_no_snapshot_has(changes):
    snapshot = rf.Env(rf.games.TicTacToe()).snapshot()
    with pytest.raises(ValueError, match="invalid EnvSnapshot: "):
        replace(snapshot, **changes)


def signed(body):
    """Bytes whose digest is right, whatever they say."""
    return body + hashlib.sha256(body).digest()


def with_header(raw, change):
    """The bytes with another header under a right digest."""
    body = raw[:-32]
    line, _, payload = body[len(ENVELOPE.magic) :].partition(b"\n")
    return signed(ENVELOPE.magic + change(json.loads(line)) + b"\n" + payload)


def edited(**fields):
    return lambda header: json.dumps({**header, **fields}).encode()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (edited(schema_version=1), "schema_version is 1, this version reads 2"),
        (edited(schema_version=True), "schema_version is True"),
        (edited(schema_version=2.0), "schema_version is 2.0"),
        (edited(more=1), "the header does not name just"),
        (edited(state_size=8), "its size is not the one that the header states"),
        (edited(state_size=10**9), "state_size is not a size"),
        (edited(state_size=-16), "state_size is not a size"),
        (edited(state_size="16"), "state_size is not a size"),
        (edited(ticks="0"), "ticks is not an int"),
        (edited(done=0), "done is not a bool"),
        (edited(fingerprint=[]), "fingerprint is not 64 hex digits"),
        (lambda header: b"[]", "its header is no JSON object"),
        (lambda header: b"{", "its header is no JSON object"),
        (lambda header: b"\xff\xfe", "its header is no JSON object"),
        (lambda header: b"[" * 1000, "its header is no JSON object"),
        (lambda header: b"1" * 1000, "its header is no JSON object"),
        (lambda header: b" " * 2000, "it has no header of less than 1024 bytes"),
        (lambda header: b"{}", "schema_version is None"),
    ],
)
def test_headers_that_are_refused(change, words):
    raw = rf.Env(rf.games.TicTacToe()).snapshot().to_bytes()
    with pytest.raises(ValueError, match=f"invalid EnvSnapshot: {words}"):
        rf.EnvSnapshot.from_bytes(with_header(raw, change))


def test_bytes_that_are_damaged():
    raw = rf.Env(rf.games.TicTacToe()).snapshot().to_bytes()
    for cut in range(len(raw)):
        with pytest.raises(ValueError, match="invalid EnvSnapshot: it"):
            rf.EnvSnapshot.from_bytes(raw[:cut])
    for data in (raw + b"\0", b"\0" + raw, raw.replace(b"rinforza", b"another_"), b"", raw * 2):
        with pytest.raises(ValueError, match="invalid EnvSnapshot: it"):
            rf.EnvSnapshot.from_bytes(data)
    with pytest.raises(ValueError, match="its size is not the one"):
        rf.EnvSnapshot.from_bytes(signed(raw[:-32] + b"\0"))
