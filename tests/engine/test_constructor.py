"""What an engine refuses to be made of."""

import numpy as np
import pytest

from rinforza import Encoder, Engine, Reward, encoders, games, learners, policies
from tests.engine.compositions import q_composition, search_composition
from tests.toys.last_stand import LastStand
from tests.toys.script import Script


def q_engine(game=None, reward=None, n_games=4, **options):
    """An engine for DQN."""
    return Engine(
        game or games.TicTacToe(), reward, policies.EpsilonGreedyQ(), learners.Dqn(), n_games, **options
    )


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"n_games": 0}, ValueError, "n_games must be >= 1"),
        ({"n_games": 65537}, ValueError, "n_games must be <= 65536"),
        ({"n_games": -1}, OverflowError, "n_games must not be negative"),
        ({"n_games": 1 << 64}, OverflowError, "n_games"),
        ({"n_games": 2.0}, TypeError, "n_games must be an int"),
        ({"n_games": "2"}, TypeError, "n_games must be an int"),
        ({"n_games": True}, TypeError, "n_games must be an int"),
        ({"seed": 1 << 64}, OverflowError, "seed"),
        ({"seed": -1}, OverflowError, "seed must not be negative"),
        ({"seed": 1.5}, TypeError, "seed must be an int"),
        ({"seed": None}, TypeError, "seed must be an int"),
        ({"batch_size": (1 << 20) + 1}, ValueError, "batch_size must be <= "),
        ({"batch_size": -1}, OverflowError, "batch_size must not be negative"),
        ({"batch_size": 8.0}, TypeError, "batch_size must be an int"),
        ({"n_threads": 513}, ValueError, "n_threads must be <= 512"),
        ({"n_threads": -2}, OverflowError, "n_threads must not be negative"),
        ({"n_threads": 1.0}, TypeError, "n_threads must be an int"),
        ({"pad": 1}, TypeError, "pad must be a bool"),
        ({"pad": "yes"}, TypeError, "pad must be a bool"),
        ({"learn_players": []}, ValueError, "learn_players must name at least one player"),
        ({"learn_players": [2]}, ValueError, "learn_players must be <= 1"),
        ({"learn_players": [-1]}, OverflowError, "learn_players must not be negative"),
        ({"learn_players": [0.0]}, TypeError, "learn_players must be an int"),
        ({"learn_players": 0}, TypeError, "learn_players must be a list"),
        ({"learn_players": "01"}, TypeError, "learn_players must be a list"),
        ({"reward": {"win": 1.0}}, TypeError, "reward must be a Reward or None"),
        ({"reward": Reward(wins=1.0)}, ValueError, "unknown reward key 'wins'.*did you mean 'win'"),
        ({"n_groups": 2}, TypeError, "n_groups"),
        ({"pad_rows_to": 8}, TypeError, "pad_rows_to"),
    ],
)
def test_refused_arguments(options, error, text):
    with pytest.raises(error, match=text):
        q_engine(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"n_games": 1, "n_threads": 512},
        {"n_games": np.int64(3), "seed": (1 << 64) - 1},
        {"batch_size": 1 << 20},
        {"learn_players": (1, 1, 0)},
        {"pad": True, "batch_size": 3},
    ],
)
def test_limits_that_are_allowed(options):
    batch = q_engine(**options).collect(5, lambda obs: np.zeros((len(obs), 1, 9)))
    assert len(batch.obs) >= 5


@pytest.mark.parametrize(
    ("parts", "error", "text"),
    [
        ({"game": "connect4"}, TypeError, "game must be a Game"),
        ({"policy": "alphazero"}, TypeError, "policy must be a Policy"),
        ({"learner": "dqn"}, TypeError, "learner must be a Learner"),
        ({"policy": policies.AlphaZero()}, ValueError, "incompatible policy/learner composition"),
        ({"learner": learners.AlphaZero()}, ValueError, "incompatible policy/learner composition"),
        ({"policy": learners.Dqn()}, TypeError, "policy must be a Policy"),
    ],
)
def test_parts_that_do_not_fit(parts, error, text):
    usual = {"game": games.TicTacToe(), "policy": policies.EpsilonGreedyQ(), "learner": learners.Dqn()}
    chosen = {**usual, **parts}
    with pytest.raises(error, match=text):
        Engine(chosen["game"], None, chosen["policy"], chosen["learner"], 2)


def test_an_encoder_of_another_game():
    with pytest.raises(ValueError, match=r"incompatible encoder.*'connect4'"):
        games.TicTacToe(encoder=encoders.Connect4())


class HiddenScript(Script):
    """A script that a player does not see whole."""

    information = "imperfect"
    information_size = 1

    def information_state(self, state, player, out):
        out[0] = 0
        return 1


def search(game):
    """An engine for AlphaZero."""
    return Engine(game, None, policies.AlphaZero(4), learners.AlphaZero(), 2)


def test_a_search_that_would_see_what_is_hidden():
    with pytest.raises(ValueError, match="AlphaZero would be clairvoyant on script"):
        search(HiddenScript([0, 1], [[0, 0], [0, 0]]))
    q_engine(HiddenScript([0, 1], [[0, 0], [0, 0]]))


def test_too_many_players():
    with pytest.raises(ValueError, match="Mcts supports at most 2 agents in sequential games"):
        Engine(Script([0, 1, 2], [[0, 0, 0]] * 3), None, policies.Mcts(4), learners.TreeStrap(), 2)


@pytest.mark.parametrize(
    ("policy", "learner"),
    [(policies.AlphaZero(4), learners.AlphaZero()), (policies.Mcts(4), learners.TreeStrap())],
)
def test_too_many_joint_actions(policy, learner):
    Engine(LastStand([2] * 8), None, policy, learner, 2)
    with pytest.raises(ValueError, match=rf"{type(policy).__name__} would branch over 5\*\*9 joint actions"):
        Engine(LastStand([2] * 9), None, policy, learner, 2)


class Claimless(Script):
    """A game that does not say what it is."""

    information = "a secret"


def test_claims_are_checked():
    with pytest.raises(ValueError, match="information is 'a secret'; expected one of"):
        q_engine(Claimless([0], [[0]]))


class WideView(Encoder):
    """A view of four megabytes."""

    name = "wide_view"
    games = ("script",)

    def shape(self, game):
        return 1, 1, 1 << 20

    def encode(self, game, state, player, out):
        out[0, 0, 0] = state.ply


def test_the_memory_guard_names_the_knob():
    game = Script([0], [[0]], encoder=WideView())
    with pytest.raises(ValueError, match="n_games is too large for this composition"):
        q_engine(game, n_games=4096)
    with pytest.raises(ValueError, match="batch_size is too large for this composition"):
        q_engine(game, n_games=4, batch_size=4096, pad=True)


def test_engines_do_not_share_anything():
    composition = search_composition()
    first, second, third = (composition.engine() for _ in range(3))
    alone = [first.collect(20, composition.network).obs.tobytes() for _ in range(2)]
    mixed = []
    for _ in range(2):
        mixed.append(second.collect(20, composition.network).obs.tobytes())
        third.collect(30, composition.network)
    assert mixed == alone


def test_weights_updated():
    engine = q_composition().engine()
    engine.weights_updated()
    engine.weights_updated(1)
    with pytest.raises(ValueError, match="player must be <= 1"):
        engine.weights_updated(2)
    with pytest.raises(OverflowError, match="player must not be negative"):
        engine.weights_updated(-1)
    with pytest.raises(TypeError, match="player must be an int"):
        engine.weights_updated("0")
