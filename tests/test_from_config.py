"""Configurations: what an engine says of itself makes an equal engine."""

import importlib.metadata
import json
import random

import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.from_config import engine_keywords
from tests.engine.compositions import bits
from tests.toys.networks import QNetwork

MUTATIONS = 2_000 if plain_python() else 20_000
GRID = {
    "game": {"name": "gridworld", "size": 5},
    "policy": {"name": "epsilon_greedy_q", "epsilon": 0.25},
    "learner": {"name": "dqn", "n_step": 2},
    "engine": {"n_games": 3, "seed": 7},
}
BOARD = {
    "schema_version": 1,
    "game": {"name": "tictactoe", "encoder": {"name": "tictactoe"}},
    "reward": {"win": 2.0},
    "policy": {
        "name": "alphazero",
        "num_simulations": 4,
        "chance": {"name": "always_resample"},
        "noise": {"name": "dirichlet", "alpha": 0.5},
    },
    "learner": "alphazero",
    "engine": {"n_games": 2, "learn_players": [1, 0, 1], "pad": True, "batch_size": 3},
}


def merged(config, *path, **changes):
    """A copy of a configuration with changes in the block at a path; None takes a key out."""
    config = json.loads(json.dumps(config))
    block = config
    for key in path:
        block = block[key]
    block.update(changes)
    return config


def compositions():
    """One engine for each game and each policy and learner that go with it."""
    pairs = []
    for policy in rf.policies.registered():
        pairs += [(policy, learner) for learner in rf.learners.registered()]
    for game in rf.games.registered():
        for policy, learner in pairs:
            try:
                engine = rf.Engine(
                    rf.games.make(game), None, rf.policies.make(policy), rf.learners.make(learner), n_games=2
                )
            except ValueError:
                continue  # they do not go together
            yield engine


def test_every_composition_goes_round():
    count = 0
    for engine in compositions():
        config = engine.resolved_config()
        again = rf.engine_from_config(json.loads(json.dumps(config)))
        assert again.resolved_config() == config
        assert again.config_fingerprint() == engine.config_fingerprint()
        again.restore(engine.snapshot())
        count += 1
    assert count >= len(rf.games.registered())


def test_every_option_goes_round():
    engine = rf.Engine(
        rf.games.Chess(
            fen="4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", max_ticks=9, encoder=rf.encoders.RelativeChess()
        ),
        rf.Reward(draw=-0.125),
        rf.policies.AlphaZero(5, temperature_drop=None, noise=rf.noise.Dirichlet(0.5, 2.0)),
        rf.learners.AlphaZero(0.9),
        n_games=3,
        seed=(1 << 64) - 1,
        infer_cache="2MB",
        learn_players=[1],
        pad=True,
        batch_size=7,
        n_threads=1,
    )
    config = engine.resolved_config()
    assert config["reward"] == {"win": 1.0, "loss": -1.0, "draw": -0.125}
    assert config["game"]["encoder"] == {"name": "relative_chess"}
    assert config["engine"] == {
        "n_games": 3,
        "seed": (1 << 64) - 1,
        "start_buffer": None,
        "infer_cache": "2000000B",
        "learn_players": [1],
        "pad": True,
        "batch_size": 7,
        "n_threads": 1,
    }
    assert rf.engine_from_config(json.loads(json.dumps(config))).resolved_config() == config


def test_an_engine_by_hand_is_one_from_a_config():
    usual = rf.Engine(
        rf.games.GridWorld(5), None, rf.policies.EpsilonGreedyQ(epsilon=0.25), rf.learners.Dqn(n_step=2), 3, 7
    )
    engine = rf.engine_from_config(GRID)
    network = QNetwork(usual._game.num_actions)
    assert bits(engine.collect(20, network)) == bits(usual.collect(20, network))
    assert GRID["game"] == {"name": "gridworld", "size": 5}  # nothing is taken out of the caller's


def test_ways_to_say_the_same():
    expected = rf.engine_from_config(BOARD).resolved_config()
    others = [
        merged(merged(BOARD, reward=None), "game", reward={"win": 2.0}),
        merged(BOARD, "game", encoder="tictactoe"),
        merged(BOARD, game="tictactoe"),
        merged(BOARD, "engine", learn_players=None),
        merged(BOARD, learner={"name": "alphazero", "gamma": 1}),
        expected,
    ]
    for config in others:
        assert rf.engine_from_config(config).resolved_config() == expected
    for config in (merged(GRID, "engine", max_ticks=9), merged(GRID, "game", max_ticks=9)):
        assert rf.engine_from_config(config).resolved_config()["game"]["max_ticks"] == 9


def test_a_fingerprint_changes_with_what_changes_a_batch():
    engine = rf.engine_from_config(GRID)
    own = engine.config_fingerprint()
    assert len(own) == 64
    changes = [
        merged(GRID, "game", size=6),
        merged(GRID, "game", max_ticks=6),
        merged(GRID, "policy", epsilon=0.5),
        merged(GRID, "learner", n_step=1),
        merged(GRID, "engine", seed=8),
        merged(GRID, "engine", n_games=4),
        merged(GRID, "engine", batch_size=2),
        merged(GRID, "engine", pad=True),
        merged(GRID, reward={"goal": 3}),
    ]
    fingerprints = {rf.engine_from_config(config).config_fingerprint() for config in changes}
    assert len(fingerprints | {own}) == len(changes) + 1
    same = [
        merged(GRID, "engine", n_threads=2),
        merged(GRID, "engine", batch_size=1),
        merged(GRID, "engine", learn_players=[0]),
        merged(GRID, rinforza_version="99.0"),
        merged(GRID, reward={}),
    ]
    assert {rf.engine_from_config(config).config_fingerprint() for config in same} == {own}
    engine.set(epsilon=0.5)
    assert engine.config_fingerprint() == own


def without(config, key):
    return {name: value for name, value in config.items() if name != key}


@pytest.mark.parametrize(
    ("config", "error", "words"),
    [
        (None, TypeError, "a config must be a dict, got NoneType"),
        ({1: 2}, TypeError, "a config must have strings as keys, got 1"),
        ({}, KeyError, "a config needs a block 'game'; it has none"),
        (without(GRID, "engine"), KeyError, "a config needs a block 'engine'; it has game, policy, learner"),
        (merged(GRID, colour=1), TypeError, "unexpected keyword 'colour' in a config"),
        (merged(GRID, game={"name": "gridwold"}), KeyError, "did you mean 'gridworld'"),
        (merged(GRID, game={"size": 5}), KeyError, "the block 'game' has no name; known are 2048"),
        (merged(GRID, game=[1]), TypeError, "the block 'game' must be a dict, got list"),
        (merged(GRID, "game", colour=1), TypeError, "colour"),
        (merged(GRID, "game", size=-1), (ValueError, OverflowError), "size"),
        (merged(GRID, "game", encoder={}), ValueError, "the block 'encoder' has no name"),
        (merged(GRID, "game", encoder="chess"), KeyError, "unknown encoder 'chess'"),
        (merged(GRID, "game", encoder="hex"), ValueError, "incompatible encoder"),
        (merged(GRID, "game", revision=1), ValueError, "content revision None, and the config asks for 1"),
        (
            merged(GRID, schema_version=2),
            ValueError,
            "unsupported config schema_version 2: this version reads 1",
        ),
        (merged(GRID, schema_version=True), ValueError, "unsupported config schema_version True"),
        (merged(GRID, behaviour=0), ValueError, "unsupported config behaviour 0"),
        (merged(GRID, policy="ppo", learner="dqn"), ValueError, "incompatible policy/learner composition"),
        (merged(GRID, reward={"gaol": 1}), ValueError, "unknown reward key 'gaol'.*did you mean 'goal'"),
        (merged(GRID, reward=[1]), TypeError, "the block 'reward' must be a dict, got list"),
        (merged(GRID, "engine", n_groups=2), ValueError, "n_groups was removed"),
        (merged(GRID, "engine", pad_rows_to=2), ValueError, "pad_rows_to was removed.*pad=True"),
        (merged(GRID, "engine", colour=2), TypeError, "colour"),
        (merged(GRID, "engine", game="chess"), TypeError, "it is a block of its own"),
        (merged(GRID, "engine", n_games=0), ValueError, "n_games must be >= 1"),
        (merged(GRID, "engine", n_games=-1), OverflowError, "n_games"),
        (merged(GRID, engine={}), TypeError, "n_games"),
        (merged(BOARD, "policy", noise={}), ValueError, "the block 'noise' has no name; known are dirichlet"),
        (merged(BOARD, "policy", noise={"name": "dirichlet", "beta": 1}), TypeError, "beta"),
        (merged(BOARD, "game", reward={"win": 3}), ValueError, "reward stands at the top and in the block"),
        (merged(merged(GRID, "game", max_ticks=3), "engine", max_ticks=4), ValueError, "max_ticks stands"),
    ],
)
def test_what_is_refused(config, error, words):
    with pytest.raises(error, match=words):
        rf.engine_from_config(config)


def mutated(config, generator):
    """The configuration with one to three values, keys or blocks changed."""
    config = json.loads(json.dumps(config))
    hostile = (-1, 0, 1, 2, 1 << 16, 1 << 63, 1 << 64, 0.5, -1e308, float("nan"), float("inf"), True, None)
    hostile += ("", "x", "\0", "chess", "gridworld", [], {}, [1], {"name": "dirichlet"}, {"name": 3})
    for _ in range(generator.randint(1, 3)):
        block = generator.choice([config, *(value for value in config.values() if isinstance(value, dict))])
        kind = generator.randrange(4)
        if not block or kind == 0:
            block[generator.choice(("n_games", "seed", "name", "encoder", "reward", "x", "pad", "noise"))] = (
                generator.choice(hostile)
            )
        elif kind == 1:
            del block[generator.choice(sorted(block))]
        else:
            block[generator.choice(sorted(block))] = generator.choice(hostile)
    return config


def test_mutations_raise_nothing_but_the_documented_errors(monkeypatch):
    """Components are made in each case, engines in some: what is left to refuse is in Engine's own tests."""
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: ())  # slow to look through
    generator = random.Random(2)
    made = 0
    for number in range(MUTATIONS):
        config = mutated(generator.choice((GRID, BOARD)), generator)
        try:
            keywords = engine_keywords(config)
            if number % 50 == 0 and keywords.get("n_games") in (2, 3):
                rf.Engine(**keywords).resolved_config()
                made += 1
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
    assert made > MUTATIONS // 1000
