"""AlphaZero's targets on games whose every reward is written down."""

import numpy as np
import pytest

from rinforza import Engine, learners, policies
from tests.learners.batch_form import assert_well_formed, slice_of
from tests.toys.networks import PolicyValueNetwork
from tests.toys.random_tree import RandomTree
from tests.toys.script import Script, TurnedScriptView

pytestmark = pytest.mark.lanes

MOVERS = [0, 1, 0, 0, 1]
REWARDS = [[1, 10], [2, 20], [4, 40], [8, 80], [16, 160]]


def likes(*logits):
    """A network with these logits on every row, and the value 10 * decisions + observer."""

    def network(obs):
        return np.tile(np.array(logits, np.float32), (len(obs), 1)), obs[:, 0] * 10 + obs[:, 1]

    return network


def one_episode(game, gamma=1.0, num_simulations=2, network=None, learn_players=None):
    """The batch of one whole episode, with greedy play."""
    policy = policies.AlphaZero(num_simulations, temperature=0.0, noise=None)
    learner = learners.AlphaZero(gamma)
    engine = Engine(game, None, policy, learner, 1, learn_players=learn_players, n_threads=1)
    batch = engine.collect(1, network or likes(0, 1, 3, 2))
    assert len(batch.telemetry["episodes"]) == 1
    assert_well_formed(batch, game)
    return batch


def test_returns_of_a_finished_game():
    batch = one_episode(Script(MOVERS, REWARDS))
    assert batch.players.tolist() == [0, 0, 0, 1, 1]
    assert batch.obs.tolist() == [[0, 0], [2, 0], [3, 0], [1, 1], [4, 1]]
    assert batch.value_targets.tolist() == [3 + 4 + 24, 4 + 24, 24, 140 + 160, 160]


def test_discounted_returns_count_own_decisions():
    batch = one_episode(Script(MOVERS, REWARDS), gamma=0.5)
    assert batch.value_targets.tolist() == [3 + 0.5 * 16, 4 + 0.5 * 24, 24, 140 + 0.5 * 160, 160]


def test_gamma_zero_keeps_the_immediate_reward():
    batch = one_episode(Script(MOVERS, REWARDS), gamma=0.0)
    assert batch.value_targets.tolist() == [3, 4, 24, 140, 160]


def test_truncation_bootstraps_both_players():
    batch = one_episode(Script(MOVERS, REWARDS, max_ticks=4), gamma=0.5)
    # at the cut the network says 40 to player 0 and 41 to player 1
    last = 8 + 0.5 * 40
    second = 4 + 0.5 * last
    assert batch.value_targets.tolist() == [3 + 0.5 * second, second, last, 140 + 0.5 * 41]
    assert batch.telemetry["tail_rows"] == 2


def test_a_player_without_a_decision_needs_no_tail():
    batch = one_episode(Script(MOVERS, REWARDS, max_ticks=1), gamma=0.5)
    assert batch.value_targets.tolist() == [1 + 0.5 * 10]
    assert batch.telemetry["tail_rows"] == 1
    assert batch.telemetry["episodes"] == [([1.0, 10.0], 1, False)]


def test_no_tail_when_the_game_ends_on_the_horizon():
    batch = one_episode(Script(MOVERS, REWARDS, max_ticks=5), gamma=0.5)
    assert batch.value_targets.tolist() == [11, 16, 24, 220, 160]
    assert batch.telemetry["tail_rows"] == 0


def test_policy_targets_are_visit_shares():
    batch = one_episode(Script(MOVERS, REWARDS), num_simulations=2)
    # one visit, to the legal action with the largest logit
    assert batch.policy_targets.tolist() == [[0, 0, 1, 0]] * 5
    many = one_episode(Script(MOVERS, REWARDS), num_simulations=33)
    assert np.array_equal(many.policy_targets * 32, np.round(many.policy_targets * 32))
    assert (many.policy_targets > 0).sum() > 5


def test_targets_are_in_the_columns_of_the_network():
    game = Script(MOVERS, REWARDS, encoder=TurnedScriptView())
    batch = one_episode(game, network=likes(0, 1, 3, 2))
    legal = [slice_of(batch.legal_ids, batch.legal_offsets, row).tolist() for row in range(len(batch.obs))]
    # player 0 calls action a column a + 1, player 1 column a + 2 (modulo 4)
    assert legal == [[0, 1, 2, 3], [0, 3], [0, 1, 2, 3], [0, 1, 3], [0, 1, 3]]
    assert batch.policy_targets.argmax(axis=1).tolist() == [2, 3, 2, 3, 3]


def test_learn_players():
    batch = one_episode(Script(MOVERS, REWARDS), learn_players=[1])
    assert batch.players.tolist() == [1, 1]
    assert batch.value_targets.tolist() == [300, 160]


def test_noise_and_temperature_do_not_change_the_formula():
    game = RandomTree(seed=2, openings=4)
    policy = policies.AlphaZero(17, temperature=0.3, temperature_drop=None)
    engine = Engine(game, None, policy, learners.AlphaZero(), 4)
    batch = engine.collect(40, PolicyValueNetwork(5))
    assert np.array_equal(batch.policy_targets * 16, np.round(batch.policy_targets * 16))


def test_positional_fields():
    batch = one_episode(Script(MOVERS, REWARDS))
    assert len(batch) == 5
    obs, policy_targets, value_targets, policy_weights, telemetry = batch
    assert obs is batch.obs
    assert policy_targets is batch[1] is batch.policy_targets
    assert value_targets is batch.value_targets
    assert policy_weights is batch.policy_weights
    assert telemetry is batch.telemetry
    with pytest.raises(IndexError):
        batch[5]


def test_an_empty_batch_is_well_formed():
    game = Script(MOVERS, REWARDS)
    engine = Engine(game, None, policies.AlphaZero(), learners.AlphaZero(), 2)
    batch = engine.collect(0, likes(0, 0, 0, 0))
    assert len(batch.obs) == 0
    assert_well_formed(batch, game)


def test_the_recipe_of_the_format_page():
    """Densify the ragged legality as the page of batch formats shows; `legal_mask` gives the same."""
    batch = one_episode(Script(MOVERS, REWARDS), num_simulations=9)
    counts = np.diff(batch.legal_offsets)
    rows = np.repeat(np.arange(len(batch.obs)), counts)
    legal = np.zeros(batch.policy_targets.shape, dtype=bool)
    legal[rows, batch.legal_ids] = True
    assert np.array_equal(batch.legal_mask(), legal)
    assert np.array_equal(batch.legal_mask([4, 0, 0]), legal[[4, 0, 0]])
    chosen = np.array([True, False, False, True, False])
    assert np.array_equal(batch.legal_mask(chosen), legal[chosen])


@pytest.mark.parametrize(
    ("gamma", "error", "text"),
    [
        (1.5, ValueError, "gamma must be <= 1"),
        (-0.5, ValueError, "gamma must be >= 0"),
        (float("inf"), ValueError, "gamma must be finite"),
        ("1", TypeError, "gamma must be a float"),
        (None, TypeError, "gamma must be a float"),
    ],
)
def test_refused_gamma(gamma, error, text):
    with pytest.raises(error, match=text):
        learners.AlphaZero(gamma)
