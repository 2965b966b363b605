"""A mistake in a user's method: the error arrives, says where it is, and ends the engine, not the process."""

import gc
import threading
import traceback
from pathlib import Path

import numpy as np
import pytest

from rinforza import Engine, learners, policies
from tests.toys import bombs
from tests.toys.script import Script

GAME = Script(bombs.MOVERS, bombs.REWARDS)
VIEWED = Script(bombs.MOVERS, bombs.REWARDS, encoder=bombs.ViewBomb())
QUIET = policies.EpsilonGreedyQ(epsilon=0.0)
LEARNER = learners.Dqn()

# name: (game, policy, learner, the message, the method, how the note names the part)
BOMBS = {
    "game, step": (bombs.StepBomb(), QUIET, LEARNER, "the sixth step", "step", "StepBomb"),
    "game, legal": (bombs.LegalBomb(), QUIET, LEARNER, "the sixth list", "legal_actions", "LegalBomb"),
    "encoder": (VIEWED, QUIET, LEARNER, "the sixth view", "encode", "ViewBomb"),
    "policy": (GAME, bombs.SelectBomb(), LEARNER, "the sixth choice", "select", "SelectBomb"),
    "learner": (GAME, QUIET, bombs.RecordsBomb(), "the first episode", "episode_records", "learner"),
}


def network(obs):
    """Q values that grow with the number of decisions."""
    return np.repeat(obs[:, None, :1] + 0.5, 4, axis=2)


def error_of(engine):
    """The error that a collect raises, awaited for a minute at most."""
    errors = []

    def collect():
        try:
            engine.collect(200, network)
        except Exception as error:
            errors.append(error)

    worker = threading.Thread(target=collect, daemon=True)
    worker.start()
    worker.join(60)
    assert not worker.is_alive(), "the collect hangs"
    assert errors, "nothing was raised"
    return errors[0]


@pytest.mark.lanes
@pytest.mark.parametrize("n_threads", [1, 2, 4])
@pytest.mark.parametrize("name", BOMBS)
def test_the_error_arrives_and_says_where(name, n_threads):
    game, policy, learner, text, method, part = BOMBS[name]
    for seed in range(3):
        engine = Engine(game, None, policy, learner, 40, seed, n_threads=n_threads)
        error = error_of(engine)
        assert type(error) is ValueError
        assert str(error) == text
        assert part in "".join(error.__notes__)
        frame = traceback.extract_tb(error.__traceback__)[-1]
        assert Path(frame.filename).name == "bombs.py"
        assert frame.name == method


@pytest.mark.lanes
@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("name", BOMBS)
def test_the_engine_refuses_to_go_on(name, n_threads):
    game, policy, learner, text, _, _ = BOMBS[name]
    engine = Engine(game, None, policy, learner, 12, n_threads=n_threads)
    error_of(engine)
    for _ in range(2):
        error = error_of(engine)
        assert type(error) is RuntimeError
        assert "cannot go on" in str(error)
        assert text in str(error)


@pytest.mark.parametrize("name", BOMBS)
def test_a_broken_engine_leaves_no_thread(name):
    game, policy, learner, *_ = BOMBS[name]
    before = set(threading.enumerate())
    engine = Engine(game, None, policy, learner, 40, n_threads=3)
    error_of(engine)
    del engine
    gc.collect()
    assert set(threading.enumerate()) <= before


def test_other_engines_go_on():
    broken = Engine(bombs.StepBomb(), None, QUIET, LEARNER, 8, n_threads=2)
    sound = Engine(GAME, None, QUIET, LEARNER, 8, n_threads=2)
    sound.collect(10, network)
    error_of(broken)
    assert len(sound.collect(50, network).obs) >= 50
