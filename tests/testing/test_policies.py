"""`check_policy` accepts the built-in policies and the toy, and refuses every broken policy."""

import pytest

import rinforza as rf
from rinforza.testing import check_policy, search_bench
from tests.toys.last_stand import LastStand

from .broken_policies import refused
from .refusals import expected
from .toy_policy import Peek
from .toys import Guess

POLICIES = [
    rf.policies.AlphaZero(num_simulations=8),
    rf.policies.AlphaZero(num_simulations=20, max_depth=2, noise=None, temperature=0.0),
    rf.policies.EpsilonGreedyQ(n_heads=3),
]
GAMES = [rf.games.TicTacToe(), rf.games.Connect4(), rf.games.GridWorld(3)]


@pytest.mark.lanes
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_built_in_policies_conform(policy, game):
    check_policy(policy, game, decisions=6, plain_decisions=2)


def test_policies_conform_on_hidden_cards_and_on_simultaneous_moves():
    check_policy(rf.policies.EpsilonGreedyQ(), Guess())
    check_policy(rf.policies.EpsilonGreedyQ(n_heads=2), LastStand([3, 2, 4]))
    check_policy(Peek(), Guess())


@pytest.fixture
def little_patience(monkeypatch):
    monkeypatch.setattr(search_bench, "MOST_ROUNDS", 50)


@pytest.mark.parametrize(("broken", "words"), refused.cases)
def test_broken_policies_are_refused(broken, words, little_patience):
    with expected(broken, words):
        check_policy(broken(), Guess(), decisions=6, plain_decisions=4)


def test_a_policy_may_refuse_the_game():
    with pytest.raises(ValueError, match="would be clairvoyant on guess"):
        check_policy(rf.policies.AlphaZero(), Guess())
    with pytest.raises(ValueError, match="supports at most 0 agents"):
        check_policy(Peek(), LastStand([1, 1]))


def test_other_things_are_type_errors():
    with pytest.raises(TypeError, match="expected a Policy instance, got the class Peek"):
        check_policy(Peek, Guess())
    with pytest.raises(TypeError, match="game must be a Game, got GuessView"):
        check_policy(Peek(), Guess().encoder)
