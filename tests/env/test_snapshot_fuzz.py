"""Damaged and forged snapshots: nothing but ValueError, and no environment harmed."""

import hashlib
import random

import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.env.snapshot import ENVELOPE
from tests.env.games import GAMES, play
from tests.games.snakes import THREE

pytestmark = pytest.mark.lanes

BUILT_IN = {game.name: game for game in (getattr(rf.games, name)() for name in rf.games.__all__)}
VARIANTS = {
    "go 3": rf.games.Go(size=3, superko="situational"),
    "hex 3": rf.games.Hex(size=3),
    "snake 3": rf.games.Snake(**THREE),
    "alphazero_chess": rf.games.Chess(encoder=rf.encoders.AlphaZeroChess(history_length=11)),
    "kuhn_poker 4": rf.games.KuhnPoker(players=4),
    "texas_holdem 3": rf.games.TexasHoldem(num_players=3, stack=(20, 60, 90)),
}
FUZZED = {**{f"toy {game.name}": game for game in GAMES}, **BUILT_IN, **VARIANTS}
MOMENTS = (0, 3, 12, 40)  # ticks after which a snapshot is damaged
LONGEST = 20  # ticks that are played on from what was accepted
MUTATIONS = 60 if plain_python() else 20_000  # plain Python is slow, and has no memory to harm


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
    payload = body.index(b"\n", len(ENVELOPE.magic)) + 1
    kind = generator.randrange(3)
    if kind == 0:
        return mutated(raw, others, generator)
    if kind == 1:
        return signed(mutated(body, others, generator))
    return signed(body[:payload] + mutated(body[payload:], others, generator))


def moments(game, generator):
    """Return an environment, and its snapshots at a few moments of one game and at its end."""
    env = rf.Env(game, rf.Reward(), seed=1)
    raws = []
    for ticks in (*MOMENTS, 400):
        play(env, generator, ticks - env.ticks)
        raws.append(env.snapshot().to_bytes())
    return env, raws


@pytest.mark.parametrize("name", FUZZED)
def test_mutations_raise_nothing_but_value_error(name):
    generator = random.Random(name)
    env, raws = moments(FUZZED[name], generator)
    read = restored = 0
    for number in range(MUTATIONS):
        data = attacked(raws[number % len(raws)], raws, generator)
        before = env.state_bytes, env.stream, env.ticks
        try:
            snapshot = rf.EnvSnapshot.from_bytes(data)
            read += 1
            env.restore(snapshot)
        except ValueError:
            assert (env.state_bytes, env.stream, env.ticks) == before
            continue
        restored += 1
        assert env.ticks == snapshot.ticks
        play(env, generator, LONGEST)
        look(env)
    assert read > MUTATIONS // 20  # the digest does not do all the work
    assert restored > 0 or plain_python()


def look(env):
    """Ask for everything that can be asked of a state."""
    env.render()
    env.state()
    for agent in range(env.num_agents()):
        env.observe(agent)
        if env.game.information_size:
            env.information_state_key(agent)
