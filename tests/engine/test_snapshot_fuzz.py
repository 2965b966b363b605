"""Damaged and forged snapshots: nothing but ValueError, and no engine harmed."""

import hashlib
import json
import random

import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.engine.snapshot import ENVELOPE
from tests.engine.compositions import COMPOSITIONS, data
from tests.engine.test_failures import Flaky, NetworkError

NAMES = ["search", "q", "windows", "starts"] if plain_python() else list(COMPOSITIONS)
MUTATIONS = 200 if plain_python() else 20_000  # plain Python is slow, and has no memory to harm
PLAYED = (
    0.0 if plain_python() else 0.1
)  # NumPy warns of what forged evaluations come to; compiled code does not
OPTIONS = {"n_games": 3, "batch_size": 2}


def signed(body):
    """Bytes whose digest is right, whatever they say."""
    return body + hashlib.sha256(body).digest()


def damaged(data, generator):
    """The bytes cut, or with flipped bits, other bytes, or a piece moved."""
    changed = bytearray(data)
    kind = generator.randrange(8)
    if kind == 0:
        return bytes(changed[: generator.randrange(len(changed))])
    for _ in range(generator.randint(1, 3)):
        place = generator.randrange(len(changed))
        if kind < 4:
            changed[place] ^= 1 << generator.randrange(8)
        elif kind < 6:
            changed[place] = generator.choice((0, 1, 2, 3, 127, 128, 255, generator.randrange(256)))
        else:
            begin, size = generator.randrange(len(changed)), 8 * generator.randint(1, 4)
            changed[place : place + size] = changed[begin : begin + size]
    return bytes(changed)


def rewritten(line, generator):
    """A header with one value, anywhere in it, replaced by a hostile one."""
    header = json.loads(line)
    holder, key = header, generator.choice(sorted(header))
    while isinstance(holder[key], dict | list) and holder[key] and generator.random() < 0.8:
        holder = holder[key]
        key = generator.choice(sorted(holder) if isinstance(holder, dict) else range(len(holder)))
    hostile = (
        0,
        1,
        -1,
        2,
        3,
        7,
        1 << 31,
        1 << 62,
        (1 << 64) - 1,
        0.5,
        1e308,
        True,
        None,
        "",
        "x",
        [],
        {},
        "<f8",
    )
    if isinstance(holder[key], int) and generator.random() < 0.5:
        holder[key] += generator.choice((-1, 1))
    else:
        holder[key] = generator.choice(hostile)
    return json.dumps(header).encode()


def attacked(raw, generator):
    """The bytes damaged as they are; or in the header, a value of it, or the payload under a right digest."""
    body = raw[:-32]
    start = len(ENVELOPE.magic)
    payload = body.index(b"\n", start) + 1
    kind = generator.randrange(12)
    if kind < 6:
        return damaged(raw, generator)
    if kind < 7:
        return signed(body[:start] + damaged(body[start:payload], generator) + body[payload:])
    if kind < 9:
        line = rewritten(body[start : payload - 1], generator)
        return signed(body[:start] + line + b"\n" + body[payload:])
    return signed(body[:payload] + damaged(body[payload:], generator))


def moments(composition):
    """Snapshots of an engine before, between and in the middle of collections."""
    network = composition.network
    engine = composition.engine(**OPTIONS)
    found = [engine.snapshot()]
    engine.collect(9, network)
    found.append(engine.snapshot())
    for number in (3, 8, 2):
        with pytest.raises(NetworkError):
            engine.collect(40, Flaky(network, {number}))
        found.append(engine.snapshot())
    routed = Flaky(network, {5})
    with pytest.raises(NetworkError):
        engine.collect(60, [routed] * composition.game.num_players)
    found.append(engine.snapshot())
    return [snapshot.to_bytes() for snapshot in found]


@pytest.mark.parametrize("name", NAMES)
def test_mutations_raise_nothing_but_value_error(name):
    composition = COMPOSITIONS[name]()
    generator = random.Random(name)
    engine, raws = composition.engine(**OPTIONS), moments(composition)
    read = restored = played = 0
    mutations = MUTATIONS // len(NAMES)
    for _ in range(mutations):
        raw = attacked(generator.choice(raws), generator)
        try:
            snapshot = rf.EngineSnapshot.from_bytes(raw)
            read += 1
            engine.restore(snapshot)
        except ValueError:
            continue
        restored += 1
        assert engine.snapshot(snapshot.policy_version).fingerprint == snapshot.fingerprint
        if generator.random() < PLAYED and snapshot.header["active"] == snapshot.header["settings"]:
            played += len(engine.collect(4, composition.network).obs) > 0
    assert read > mutations // 8  # the digest does not do all the work
    assert restored > mutations // 20
    assert played > mutations // 500 or plain_python()


@pytest.mark.parametrize("name", NAMES)
def test_a_refused_snapshot_harms_nothing(name):
    composition = COMPOSITIONS[name]()
    generator = random.Random(1)
    raws = moments(composition)
    engine, usual = composition.engine(**OPTIONS), composition.engine(**OPTIONS)
    usual.restore(rf.EngineSnapshot.from_bytes(raws[-1]))
    before = usual.snapshot()
    refused = 0
    for _ in range(40):
        engine.restore(before)
        try:
            engine.restore(rf.EngineSnapshot.from_bytes(attacked(generator.choice(raws), generator)))
        except ValueError:
            refused += 1
            assert engine.snapshot() == before
    assert refused > 10
    engine.restore(before)
    assert data(engine.collect(10, composition.network)) == data(usual.collect(10, composition.network))
