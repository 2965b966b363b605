"""`check_learner` accepts the built-in learners and the toy, and refuses every broken learner."""

import pytest

import rinforza as rf
from rinforza.testing import check_learner
from tests.toys.last_stand import LastStand

from .broken_learners import refused
from .refusals import expected
from .toy_learner import Notes
from .toy_policy import Peek
from .toys import Guess

PAIRS = [
    (rf.learners.AlphaZero(gamma=0.9), rf.policies.AlphaZero(num_simulations=6)),
    (rf.learners.Dqn(n_step=3, bootstrap_p=0.5), rf.policies.EpsilonGreedyQ(n_heads=3)),
]
GAMES = [rf.games.TicTacToe(), rf.games.Connect4(), rf.games.GridWorld(3)]


@pytest.mark.lanes
@pytest.mark.parametrize(("learner", "policy"), PAIRS, ids=lambda part: part.name)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_built_in_learners_conform(learner, policy, game):
    check_learner(learner, policy, game, episodes=3, plain_episodes=2)


def test_learners_conform_on_hidden_cards_and_on_simultaneous_moves():
    check_learner(Notes(), Peek(), Guess())
    dqn = rf.learners.Dqn(bootstrap_p=0.5)
    check_learner(dqn, rf.policies.EpsilonGreedyQ(), Guess(5, max_ticks=4))
    check_learner(dqn, rf.policies.EpsilonGreedyQ(), LastStand([3, 2, 4]))


@pytest.mark.parametrize(("broken", "words"), refused.cases)
def test_broken_learners_are_refused(broken, words):
    with expected(broken, words):
        check_learner(broken(), Peek(), Guess(rounds=4), episodes=4, plain_episodes=2)


def test_pairs_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="incompatible policy/learner composition"):
        check_learner(Notes(), rf.policies.AlphaZero(), Guess())
    with pytest.raises(TypeError, match="expected a Learner instance, got Peek"):
        check_learner(Peek(), Peek(), Guess())
