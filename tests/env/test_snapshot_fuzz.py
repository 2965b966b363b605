"""Damaged and forged snapshots: nothing but ValueError, and no environment harmed."""

import hashlib
import random

import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.env.snapshot import MAGIC
from tests.env.games import GAMES, play

pytestmark = pytest.mark.lanes

MUTATIONS = 2_000 if plain_python() else 20_000  # plain Python is slow, and has no memory to harm


def signed(body):
    """Bytes whose digest is right, whatever they say."""
    return body + hashlib.sha256(body).digest()


def mutated(raw, others, generator):
    """One of: cut, flipped bits, changed bytes, a piece of another snapshot put in."""
    data = bytearray(raw)
    kind = generator.randrange(4)
    if kind == 0:
        return bytes(data[: generator.randrange(len(data))])
    for _ in range(generator.randint(1, 4)):
        place = generator.randrange(len(data))
        if kind == 1:
            data[place] ^= 1 << generator.randrange(8)
        elif kind == 2:
            data[place] = generator.randrange(256)
        else:
            other = generator.choice(others)
            begin = generator.randrange(len(other))
            data[place : place + generator.randrange(24)] = other[begin : begin + 24]
    return bytes(data)


def attacked(raw, others, generator):
    """The bytes mutated as they are, or anywhere or in the state under a right digest."""
    body = raw[:-32]
    payload = body.index(b"\n", len(MAGIC)) + 1
    kind = generator.randrange(3)
    if kind == 0:
        return mutated(raw, others, generator)
    if kind == 1:
        return signed(mutated(body, others, generator))
    return signed(body[:payload] + mutated(body[payload:], others, generator))


def test_mutations_raise_nothing_but_value_error():
    generator = random.Random(20_000)
    envs = [rf.Env(game, rf.Reward(), seed=1) for game in GAMES]
    for env in envs:
        play(env, generator, 2)
    raws = [env.snapshot().to_bytes() for env in envs]
    read, restored = 0, 0
    for number in range(MUTATIONS):
        env = envs[number % len(envs)]
        data = attacked(raws[number % len(envs)], raws, generator)
        before = env.snapshot()
        try:
            snapshot = rf.EnvSnapshot.from_bytes(data)
            read += 1
            env.restore(snapshot)
        except ValueError:
            assert env.snapshot() == before
            continue
        restored += 1
        assert env.ticks == snapshot.ticks
        play(env, generator, 3)
        env.observe(env.num_agents() - 1)
    assert read > MUTATIONS // 6  # the digest does not do all the work
    assert restored > MUTATIONS // 40
