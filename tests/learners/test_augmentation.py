"""Records under symmetries: the records that would be there otherwise, moved as NumPy moves them."""

import numpy as np
import pytest

import rinforza as rf
from rinforza import Engine, learners, policies
from rinforza.compiled import plain_python
from tests.encoders.symmetric_games import SYMMETRIC
from tests.engine.compositions import data
from tests.learners.batch_form import assert_well_formed, slice_of
from tests.naive.symmetries import Draws
from tests.toys.networks import QNetwork

pytestmark = pytest.mark.lanes

SEED = 11
FAMILIES = {
    "alphazero": (policies.AlphaZero(3), learners.AlphaZero),
    "dqn": (policies.EpsilonGreedyQ(epsilon=0.5), learners.Dqn),
}
PAIRS = [(name, family) for name in SYMMETRIC for family in FAMILIES]
if plain_python():  # its games are long
    PAIRS.remove(("2048", "alphazero"))


def engine(game, family, augment, n_games=1, **options):
    policy, learner = FAMILIES[family]
    return Engine(game, None, policy, learner(gamma=0.9, augment=augment), n_games, SEED, **options)


def linear(game, family):
    """A network without symmetries, and a fast one."""
    weights = np.random.default_rng(0).normal(size=(np.prod(game.encoder.shape(game)), game.num_actions))
    if family == "dqn":
        return lambda obs: (obs @ weights)[:, None]
    return lambda obs: (obs @ weights, np.tanh(obs @ weights[:, 0]))


def collected(game, family, augment, floor, **options):
    """A batch with augmentation or without; the games are the same."""
    return engine(game, family, augment, **options).collect(floor, linear(game, family))


def expected(batch, row, symmetry, symmetries, game):
    """A record's arrays under a symmetry."""
    moved = {}
    for name in batch.fields:
        if name in ("obs", "next_obs"):
            seen = getattr(batch, name)[row].reshape(game.encoder.shape(game))
            moved[name] = symmetries.observation(symmetry, seen).reshape(-1)
        elif name.endswith("_ids"):
            ids = slice_of(getattr(batch, name), getattr(batch, name.replace("_ids", "_offsets")), row)
            moved[name] = np.sort(symmetries.actions(symmetry)[ids])
        elif name == "policy_targets":
            moved[name] = symmetries.values(symmetry, batch.policy_targets[row])
        elif name == "actions":
            moved[name] = symmetries.actions(symmetry)[batch.actions[row]]
        elif not name.endswith("_offsets"):
            moved[name] = getattr(batch, name)[row]
    return moved


def is_record(batch, row, arrays):
    """Whether a row of a batch has these arrays, to the last bit."""
    for name, array in arrays.items():
        own = getattr(batch, name)
        if name.endswith("_ids"):
            own = slice_of(own, getattr(batch, name.replace("_ids", "_offsets")), row)
        else:
            own = own[row]
        if not np.array_equal(own, array):
            return False
    return True


@pytest.mark.parametrize(("name", "family"), PAIRS)
def test_each_record_is_moved_by_the_symmetry_that_its_slot_draws(name, family):
    game, symmetries = SYMMETRIC[name]
    straight, moved = (collected(game, family, augment, 16) for augment in (False, True))
    assert_well_formed(moved, game)
    draws = Draws(SEED, 0).symmetries(len(symmetries), len(straight.obs))
    assert len(set(draws)) > 1
    for row, symmetry in enumerate(draws):
        assert is_record(moved, row, expected(straight, row, symmetry, symmetries, game))
    assert np.array_equal(straight.legal_offsets, moved.legal_offsets)


def test_masks_are_drawn_after_the_symmetries_of_a_trajectory():
    game, symmetries = SYMMETRIC["gridworld"]
    policy, network = policies.EpsilonGreedyQ(n_heads=2, epsilon=0.5), QNetwork(4, 2)
    straight, moved = (
        Engine(game, None, policy, learners.Dqn(0.5, 3, augment=augment), 1, SEED).collect(30, network)
        for augment in (False, True)
    )
    draws, row = Draws(SEED, 0), 0
    for _, ticks, _ in moved.telemetry["episodes"]:
        rows = range(row, row + ticks)
        for row, symmetry in zip(rows, draws.symmetries(len(symmetries), ticks), strict=True):
            arrays = expected(straight, row, symmetry, symmetries, game)
            del arrays["masks"]
            assert is_record(moved, row, arrays)
        assert np.array_equal(moved.masks[rows].ravel(), draws.uniforms(2 * ticks) < 0.5)
        row = rows.stop
    assert row == len(moved.obs) >= 30


def test_every_symmetry_is_used_about_equally():
    game, symmetries = SYMMETRIC["tictactoe"]
    floor = 200 if plain_python() else 2000
    straight, moved = (collected(game, "dqn", augment, floor, n_games=8) for augment in (False, True))
    counts, told = np.zeros(8), 0
    for row in range(len(straight.obs)):
        seen = straight.obs[row].reshape(2, 3, 3)
        ways = [symmetries.observation(symmetry, seen).tobytes() for symmetry in range(8)]
        if len(set(ways)) == 8:  # else two symmetries give one record
            counts[ways.index(moved.obs[row].tobytes())] += 1
            told += 1
    # Within four standard deviations of an eighth.
    assert told > floor / 2
    assert abs(counts / told - 1 / 8).max() < 4 * np.sqrt(7 / 64 / told)


@pytest.mark.parametrize("family", FAMILIES)
def test_any_number_of_threads_gives_the_same_records(family):
    game, _ = SYMMETRIC["tictactoe"]
    one, two = (collected(game, family, True, 60, n_games=6, n_threads=threads) for threads in (1, 2))
    assert data(one) == data(two)


def test_a_restored_engine_draws_on_where_the_first_stood():
    game, _ = SYMMETRIC["tictactoe"]
    network = linear(game, "alphazero")
    first = engine(game, "alphazero", True, n_games=3)
    first.collect(30, network)
    second = rf.engine_from_config(first.resolved_config())
    second.restore(first.snapshot())
    assert data(first.collect(30, network)) == data(second.collect(30, network))


def test_the_configuration_tells_of_it():
    game, _ = SYMMETRIC["tictactoe"]
    plain, augmented = (engine(game, "alphazero", augment) for augment in (False, True))
    assert augmented.resolved_config()["learner"] == {"name": "alphazero", "gamma": 0.9, "augment": True}
    assert rf.engine_from_config(augmented.resolved_config()).resolved_config() == augmented.resolved_config()
    assert plain.config_fingerprint() != augmented.config_fingerprint()


@pytest.mark.parametrize("family", FAMILIES)
def test_an_encoder_without_symmetries_is_refused(family):
    with pytest.raises(ValueError, match=r"the encoder 'minimal_chess' offers none .*set augment=False"):
        engine(rf.games.Chess(), family, True)
    with pytest.raises(ValueError, match="the encoder 'gridworld' offers none for GridWorld"):
        engine(rf.games.GridWorld(4, goal_row=0), family, True)
    policy, learner = FAMILIES[family]
    with pytest.raises(ValueError, match="offers none"):
        rf.testing.check_learner(learner(augment=True), policy, rf.games.GridWorld(4, goal_row=0))


@pytest.mark.parametrize("learner", [learners.AlphaZero, learners.Dqn])
@pytest.mark.parametrize("value", [1, "all", None])
def test_augment_is_a_bool(learner, value):
    with pytest.raises(TypeError, match="augment must be a bool"):
        learner(augment=value)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_conformance_check_accepts_it(family):
    policy, learner = FAMILIES[family]
    for name in ("tictactoe", "gridworld"):
        rf.testing.check_learner(
            learner(augment=True), policy, SYMMETRIC[name][0], episodes=2, plain_episodes=1
        )
