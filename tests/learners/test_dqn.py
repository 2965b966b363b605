"""DQN's windows on games whose every reward is written down."""

import numpy as np
import pytest

from rinforza import Engine, learners, policies
from tests.learners.batch_form import assert_well_formed, slice_of
from tests.toys.last_stand import LastStand
from tests.toys.script import Script, TurnedScriptView

pytestmark = pytest.mark.lanes

ALL, FROM_1, FROM_2 = [0, 1, 2, 3], [1, 2, 3], [2, 3]

# Who moves, and what each tick pays to player 0 and to player 1.
MOVERS = [0, 1, 0, 0, 1]
REWARDS = [[1, 10], [2, 20], [4, 40], [8, 80], [16, 160]]


def likes(*values):
    """A network that answers every row with these Q values."""
    return lambda obs: np.tile(np.array(values, np.float32), (len(obs), 1, 1))


def one_episode(game, learner, network=None, policy=None, learn_players=None):
    """The batch of one whole episode."""
    policy = policy or policies.EpsilonGreedyQ(epsilon=0.0)
    engine = Engine(game, None, policy, learner, 1, learn_players=learn_players, n_threads=1)
    batch = engine.collect(1, network or likes(0, 1, 3, 2))
    assert len(batch.telemetry["episodes"]) == 1
    assert_well_formed(batch, game, policy.n_heads)
    return batch


def ragged(batch, name):
    """A ragged field as a list of lists."""
    ids, offsets = getattr(batch, f"{name}_ids"), getattr(batch, f"{name}_offsets")
    return [slice_of(ids, offsets, row).tolist() for row in range(len(batch.obs))]


def test_one_step_windows_of_a_finished_game():
    batch = one_episode(Script(MOVERS, REWARDS), learners.Dqn(gamma=0.5))
    assert batch.players.tolist() == [0, 0, 0, 1, 1]
    assert batch.obs.tolist() == [[0, 0], [2, 0], [3, 0], [1, 1], [4, 1]]
    assert batch.actions.tolist() == [2, 2, 2, 2, 2]
    # a decision's reward takes in all that comes before the player's next one
    assert batch.rewards.tolist() == [1 + 2, 4, 8 + 16, 20 + 40 + 80, 160]
    assert batch.dones.tolist() == [False, False, True, False, True]
    assert batch.can_bootstrap.tolist() == [True, True, False, True, False]
    assert batch.discounts.tolist() == [0.5, 0.5, 0.0, 0.5, 0.0]
    assert batch.next_obs.tolist() == [[2, 0], [3, 0], [5, 0], [4, 1], [5, 1]]
    assert ragged(batch, "legal") == [ALL, FROM_2, ALL, FROM_1, FROM_1]
    assert ragged(batch, "next_legal") == [FROM_2, ALL, [], FROM_1, []]
    # what was paid before player 1's first decision is in its return alone
    assert batch.telemetry["episodes"] == [([31.0, 310.0], 5, False)]


def test_two_step_windows_of_a_finished_game():
    batch = one_episode(Script(MOVERS, REWARDS), learners.Dqn(n_step=2, gamma=0.5))
    assert batch.rewards.tolist() == [3 + 0.5 * 4, 4 + 0.5 * 24, 24, 140 + 0.5 * 160, 160]
    assert batch.discounts.tolist() == [0.25, 0, 0, 0, 0]
    assert batch.dones.tolist() == [False, True, True, True, True]
    assert batch.next_obs.tolist() == [[3, 0], [5, 0], [5, 0], [5, 1], [5, 1]]
    assert ragged(batch, "next_legal") == [ALL, [], [], [], []]


def test_truncation_bootstraps_the_player_to_move_only():
    batch = one_episode(Script(MOVERS, REWARDS, max_ticks=4), learners.Dqn(gamma=0.5))
    assert batch.players.tolist() == [0, 0, 0, 1]
    assert batch.rewards.tolist() == [3, 4, 8, 140]
    assert batch.dones.tolist() == [False] * 4
    assert batch.can_bootstrap.tolist() == [True, True, False, True]
    assert batch.discounts.tolist() == [0.5, 0.5, 0.0, 0.5]
    assert batch.next_obs.tolist() == [[2, 0], [3, 0], [4, 0], [4, 1]]
    assert ragged(batch, "next_legal") == [FROM_2, ALL, [], FROM_1]
    assert batch.telemetry["episodes"] == [([15.0, 150.0], 4, False)]


def test_tails_of_three_two_and_one():
    game = Script([0] * 7, [[1], [2], [4], [8], [16], [32], [64]], max_ticks=5)
    batch = one_episode(game, learners.Dqn(n_step=3, gamma=0.5))
    assert batch.discounts.tolist() == [0.125, 0.125, 0.125, 0.25, 0.5]
    assert batch.rewards.tolist() == [1 + 1 + 1, 2 + 2 + 2, 4 + 4 + 4, 8 + 8, 16]
    assert batch.next_obs[:, 0].tolist() == [3, 4, 5, 5, 5]
    assert batch.can_bootstrap.all()
    assert not batch.dones.any()


def test_tails_of_a_finished_game_cannot_bootstrap():
    game = Script([0] * 5, [[1], [2], [4], [8], [16]])
    batch = one_episode(game, learners.Dqn(n_step=3, gamma=0.5))
    assert batch.discounts.tolist() == [0.125, 0.125, 0, 0, 0]
    assert batch.dones.tolist() == [False, False, True, True, True]
    assert batch.rewards.tolist() == [3, 6, 12, 16, 16]


def test_a_window_longer_than_the_game():
    game = Script([0] * 3, [[1], [2], [4]])
    batch = one_episode(game, learners.Dqn(n_step=(1 << 63) - 1, gamma=0.5))
    assert batch.rewards.tolist() == [3, 4, 4]
    assert batch.dones.all()


@pytest.mark.parametrize("cut", [3, 4, 5])
def test_alternating_games_cannot_bootstrap_who_is_not_to_move(cut):
    game = Script([0, 1] * 4, [[1, 1]] * 8, max_ticks=cut)
    batch = one_episode(game, learners.Dqn(n_step=2))
    to_move = cut % 2
    last_rows = [np.flatnonzero(batch.players == player)[-2:] for player in (0, 1)]
    assert batch.can_bootstrap[last_rows[to_move]].all()
    assert not batch.can_bootstrap[last_rows[1 - to_move][-1]]
    assert (batch.discounts[~batch.can_bootstrap] == 0).all()
    assert not batch.dones.any()


def test_the_dead_are_paid_in_their_last_record():
    batch = one_episode(LastStand([2, 1]), learners.Dqn(gamma=0.5), likes(1, 0, 0, 0, 0))
    assert batch.players.tolist() == [0, 0, 1]
    assert batch.rewards.tolist() == [1, 2, 2 - 0.25]
    assert batch.dones.tolist() == [False, True, True]
    assert batch.next_obs.tolist() == [[1, 0], [2, 0], [2, 1]]
    assert ragged(batch, "legal") == [[0, 1], [0, 1], [0, 1, 2]]


def test_the_dead_cannot_bootstrap_at_a_truncation():
    batch = one_episode(LastStand([3, 1], 2), learners.Dqn(gamma=0.5), likes(1, 0, 0, 0, 0))
    # the horizon's own event pays half a point on the last tick
    assert batch.rewards.tolist() == [1, 2 + 0.5, 2 - 0.25 + 0.5]
    assert batch.can_bootstrap.tolist() == [True, True, False]
    assert batch.dones.tolist() == [False] * 3


def test_actions_and_legal_ids_are_network_columns():
    game = Script(MOVERS, REWARDS, encoder=TurnedScriptView())
    batch = one_episode(game, learners.Dqn(), likes(4, 3, 2, 1))
    # player 0 calls action a column a + 1, player 1 column a + 2 (modulo 4)
    assert ragged(batch, "legal") == [ALL, [0, 3], ALL, [0, 1, 3], [0, 1, 3]]
    assert ragged(batch, "next_legal") == [[0, 3], ALL, [], [0, 1, 3], []]
    assert batch.actions.tolist() == [0, 0, 0, 0, 0]


def test_learn_players():
    game = Script(MOVERS, REWARDS)
    batch = one_episode(game, learners.Dqn(), learn_players=[1])
    assert batch.players.tolist() == [1, 1]
    assert batch.rewards.tolist() == [140, 160]
    assert batch.telemetry["episodes"] == [([31.0, 310.0], 5, False)]
    assert batch.telemetry["decisions"] == 5


@pytest.mark.parametrize(("share", "expected"), [(0.0, {0.0}), (1.0, {1.0})])
def test_certain_masks(share, expected):
    policy = policies.EpsilonGreedyQ(n_heads=4)
    game = Script(MOVERS, REWARDS)
    learner = learners.Dqn(bootstrap_p=share)
    batch = one_episode(game, learner, lambda obs: np.zeros((len(obs), 4, 4)), policy)
    assert batch.masks.shape == (5, 4)
    assert set(batch.masks.ravel().tolist()) == expected


def test_masks_are_drawn_for_each_record_and_head():
    engine = Engine(
        Script(MOVERS, REWARDS),
        None,
        policies.EpsilonGreedyQ(n_heads=4),
        learners.Dqn(bootstrap_p=0.3),
        16,
    )
    masks = engine.collect(3000, lambda obs: np.zeros((len(obs), 4, 4))).masks
    share = masks.mean()
    spread = np.sqrt(0.3 * 0.7 / masks.size)
    assert abs(share - 0.3) < 4 * spread
    together = (masks[:, 0] * masks[:, 1]).mean()  # 0.09 if the heads are independent
    assert abs(together - 0.09) < 4 * np.sqrt(0.09 * 0.91 / len(masks))
    in_a_row = (masks[1:, 0] * masks[:-1, 0]).mean()
    assert abs(in_a_row - 0.09) < 4 * np.sqrt(0.09 * 0.91 / len(masks))


def test_legal_masks():
    batch = one_episode(Script(MOVERS, REWARDS), learners.Dqn())
    ones = [[action in row for action in range(4)] for row in ragged(batch, "legal")]
    assert batch.legal_mask().tolist() == ones
    assert batch.legal_mask([3, 1]).tolist() == [ones[3], ones[1]]
    nexts = [[action in row for action in range(4)] for row in ragged(batch, "next_legal")]
    assert batch.next_legal_mask().tolist() == nexts


def test_positional_fields():
    batch = one_episode(Script(MOVERS, REWARDS), learners.Dqn())
    assert len(batch) == 7
    obs, actions, rewards, next_obs, dones, masks, telemetry = batch
    assert obs is batch.obs
    assert actions is batch[1] is batch.actions
    assert rewards is batch.rewards
    assert next_obs is batch.next_obs
    assert dones is batch.dones
    assert masks is batch.masks
    assert telemetry is batch.telemetry
    with pytest.raises(IndexError):
        batch[7]


def test_an_empty_batch_is_well_formed():
    game = Script(MOVERS, REWARDS)
    engine = Engine(game, None, policies.EpsilonGreedyQ(n_heads=2), learners.Dqn(), 2)
    batch = engine.collect(0, likes(0, 0, 0, 0))
    assert len(batch.obs) == 0
    assert_well_formed(batch, game, heads=2)


@pytest.mark.parametrize(
    ("keywords", "error", "text"),
    [
        ({"bootstrap_p": 1.5}, ValueError, "bootstrap_p must be <= 1"),
        ({"bootstrap_p": -0.1}, ValueError, "bootstrap_p must be >= 0"),
        ({"bootstrap_p": float("nan")}, ValueError, "bootstrap_p must be finite"),
        ({"bootstrap_p": "1"}, TypeError, "bootstrap_p must be a float"),
        ({"n_step": 0}, ValueError, "n_step must be >= 1"),
        ({"n_step": -1}, OverflowError, "n_step must not be negative"),
        ({"n_step": 1 << 64}, OverflowError, "n_step"),
        ({"n_step": 1.0}, TypeError, "n_step must be an int"),
        ({"n_step": True}, TypeError, "n_step must be an int"),
        ({"gamma": 1.01}, ValueError, "gamma must be <= 1"),
        ({"gamma": -0.01}, ValueError, "gamma must be >= 0"),
        ({"gamma": None}, TypeError, "gamma must be a float"),
        ({"steps": 1}, TypeError, "steps"),
    ],
)
def test_refused_arguments(keywords, error, text):
    with pytest.raises(error, match=text):
        learners.Dqn(**keywords)
