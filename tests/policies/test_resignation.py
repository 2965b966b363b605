"""Giving up: when the mover does it, what it pays, and that nothing else changes by it."""

import numpy as np
import pytest

from rinforza import Engine, EngineSnapshot, Env, Reward, games, learners, policies
from rinforza.compiled import plain_python, without_compiling
from rinforza.contracts.game import Game
from rinforza.contracts.noise import Dirichlet
from rinforza.policies.tree_policy import PLAYED_OUT
from rinforza.testing import check_policy
from tests.engine.compositions import REWARD, Composition, bits, data
from tests.engine.test_failures import Flaky, NetworkError
from tests.naive.records import batch_records, records, same_records
from tests.policies.selection import Chooser
from tests.toys.last_stand import LastStand
from tests.toys.networks import PolicyValueNetwork
from tests.toys.random_tree import RandomTree, TurnedTreeView

REWARDS = Reward(win=2.0, loss=-3.0, draw=0.0)


class TreeToResign(RandomTree):
    """A random tree in which who gives up is paid `bonus` once, and the other `gain`."""

    resignation = ("bonus", "gain")


def gloomy(obs):
    """A network on Tic-tac-toe that thinks player 0 lost."""
    marks = (obs.reshape(len(obs), -1)[:, :18] > 0).sum(axis=1)
    return np.zeros((len(obs), 9)), np.where(marks % 2 == 0, -0.99, 0.99)


def tree_composition(policy, gamma=0.9, **tree):
    """A policy on the random tree, with chance nodes, random movers and a horizon."""
    tree = {"chance_share": 0.25, "openings": 50, "end_share": 0.05, "max_ticks": 7, **tree}
    game = TreeToResign(seed=9, encoder=TurnedTreeView(5, 3), **tree)
    return Composition(game, REWARD, policy, learners.AlphaZero(gamma), PolicyValueNetwork(5))


@pytest.mark.lanes
def test_a_lost_game_ends_at_once():
    policy = policies.AlphaZero(6, resign_below=-0.9, play_out_share=0.0)
    engine = Engine(games.TicTacToe(), REWARDS, policy, learners.AlphaZero(), 3, n_threads=1)
    batch = engine.collect(8, gloomy)
    assert set(map(repr, batch.telemetry["episodes"])) == {repr(([-3.0, 2.0], 0, False))}
    assert batch.telemetry["resigned_episodes"] == len(batch.telemetry["episodes"])
    assert batch.telemetry.scalars()["resigned_episodes"] == len(batch.telemetry["episodes"])
    assert batch.value_targets.tolist() == np.where(batch.players == 0, -3.0, 2.0).tolist()
    assert (batch.players == 0).sum() == len(batch.telemetry["episodes"])
    assert batch.policy_weights.tolist() == np.where(batch.players == 0, 1.0, 0.0).tolist()
    assert batch.policy_targets.sum(axis=1) == pytest.approx(batch.policy_weights)


@pytest.mark.lanes
@pytest.mark.parametrize("options", [{}, {"sequential_backup": "maxn"}], ids=str)
@pytest.mark.parametrize("share", [0.0, 0.4])
def test_records_equal_those_of_the_twin(share, options):
    """Who gives up, when, and what the targets of such a game are."""
    episodes = 3 if plain_python() else 25
    policy = policies.AlphaZero(7, resign_below=-0.2, play_out_share=share, **options)
    composition = tree_composition(policy)
    slot = composition.slot()
    expected = [slot.episode() for _ in range(episodes)]
    resigned = [any(step.resigns for step in episode.steps) for episode in expected]
    if not plain_python():
        assert 0 < sum(resigned) < episodes
    made = [record for episode in expected for record in records(episode, slot, composition.learner)]
    engine = composition.engine(1)
    batch = engine.collect(len(made), composition.network)
    assert same_records(batch_records(batch), made)
    assert batch.telemetry["resigned_episodes"] == sum(resigned)
    for (returns, ticks, _), episode in zip(batch.telemetry["episodes"], expected, strict=True):
        assert returns == pytest.approx(episode.returns)
        assert ticks == episode.ticks


OPTIONS = [{}, {"root": "gumbel"}, {"leaves": 3}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_games_that_are_played_out_are_the_usual_ones(options):
    usual = tree_composition(policies.AlphaZero(7, **options))
    played_out = tree_composition(policies.AlphaZero(7, resign_below=9.0, play_out_share=1.0, **options))
    first, second = usual.engine(4), played_out.engine(4)
    for floor in (1, 40):
        assert data(first.collect(floor, usual.network)) == data(second.collect(floor, usual.network))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_threads_and_snapshots_change_nothing(options):
    policy = policies.AlphaZero(7, resign_below=-0.1, play_out_share=0.3, **options)
    composition = tree_composition(policy)
    found = []
    for n_threads in (1, 2):
        engine = composition.engine(6, n_threads=n_threads)
        found.append([bits(engine.collect(floor, composition.network)) for floor in (1, 60)])
    assert found[0] == found[1]
    assert found[0][1][1]["resigned_episodes"] > 0
    for number in (2, 9, 23):
        engine, other = composition.engine(4), composition.engine(4)
        with pytest.raises(NetworkError):
            engine.collect(60, Flaky(composition.network, {number}))
        other.restore(EngineSnapshot.from_bytes(engine.snapshot().to_bytes()))
        for floor in (60, 30):
            assert bits(other.collect(floor, composition.network)) == bits(
                engine.collect(floor, composition.network)
            )


def test_the_share_of_games_that_are_played_out():
    policy = policies.AlphaZero(2, resign_below=9.0, play_out_share=0.25)
    engine = Engine(games.TicTacToe(), None, policy, learners.AlphaZero(), 8, n_threads=1)
    measured = engine.collect(3000, gloomy).telemetry
    episodes = measured["episodes"]
    played_out = sum(ticks > 0 for _, ticks, _ in episodes)
    assert measured["resigned_episodes"] == len(episodes) - played_out
    assert played_out / len(episodes) == pytest.approx(0.25, abs=0.05)


@pytest.mark.lanes
def test_fast_searches_give_nothing_up():
    """With a threshold that all values are below, a game ends with its first full search, if it has one."""
    fast = {"fast_simulations": 3, "full_share": 0.3}
    policy = policies.AlphaZero(4, resign_below=9.0, play_out_share=0.0, noise=None, **fast)
    with without_compiling():  # a policy of this layout is compiled for nothing else
        engine = Engine(games.TicTacToe(), None, policy, learners.AlphaZero(), 2, n_threads=1)
        batch = engine.collect(30, PolicyValueNetwork(9))
    resigned = batch.telemetry["resigned_episodes"]
    assert 3 < resigned == batch.policy_weights.sum() <= len(batch.telemetry["episodes"])


def test_choose_plays_on():
    policy = policies.AlphaZero(6, resign_below=9.0, play_out_share=0.0, temperature=0.0, noise=None)
    usual = policies.AlphaZero(6, temperature=0.0, noise=None)
    env = Env(games.TicTacToe(), REWARDS, seed=1)
    assert policy.choose([env], gloomy, gamma=1.0) == usual.choose([env], gloomy, gamma=1.0)


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("scalars", "progress", "resigns"),
    [
        ((1.0, -0.6), 0, True),
        ((1.0, -0.5), 0, False),
        ((0.0, -0.6), 0, False),
        ((1.0, -0.6), 3, True),
        ((1.0, -0.6), PLAYED_OUT, False),
        ((1.0, -0.6), PLAYED_OUT + 3, False),
    ],
)
def test_selection_and_the_state_of_an_episode(scalars, progress, resigns):
    """The mark of a played-out episode changes nothing of the temperature's count."""
    chooser = Chooser(policies.AlphaZero(4, temperature=1.0, temperature_drop=2, resign_below=-0.5))
    chooser.progress[0] = progress
    position = chooser.select([*scalars, 1.0, 5.0, 3.0], 3)
    assert (position < 0) == resigns
    assert chooser.progress[0] == progress + 1
    is_greedy = progress & (PLAYED_OUT - 1) == 3
    assert chooser.drawn == (0 if is_greedy else 1)
    if is_greedy:
        assert position == (-2 if resigns else 1)


@pytest.mark.lanes
def test_what_begins_an_episode():
    draws = {}
    for share in (0.0, 0.5, 1.0):
        chooser = Chooser(policies.AlphaZero(4, resign_below=0.0, play_out_share=share), key=3)
        draws[share] = [chooser.begin_episode(7) for _ in range(40)]
        assert chooser.drawn == (0 if share == 1.0 else 40)
    assert set(draws[0.0]) == {7}
    assert set(draws[0.5]) == {7, 7 | PLAYED_OUT}
    assert set(draws[1.0]) == {7 | PLAYED_OUT}
    assert Chooser(policies.AlphaZero(4)).begin_episode(7) == 7


def test_states_of_an_episode_from_a_snapshot():
    usual, resigning = policies.AlphaZero(4), policies.AlphaZero(4, resign_below=0.0)
    for progress, for_usual, for_resigning in (
        (0, True, True),
        (9, True, True),
        (9 | PLAYED_OUT, False, True),
        (-1, False, False),
    ):
        assert usual.valid_progress(progress) == for_usual
        assert resigning.valid_progress(progress) == for_resigning


def test_conformance():
    policy = policies.AlphaZero(6, noise=Dirichlet(0.3, 0.5), resign_below=0.0, play_out_share=0.2)
    check_policy(policy, games.TicTacToe(), decisions=4, plain_decisions=1)


@pytest.mark.parametrize("game", [games.Backgammon(), games.GridWorld(), LastStand([4, 1, 6], 5)], ids=repr)
def test_games_that_do_not_say_what_giving_up_pays(game):
    with pytest.raises(ValueError, match=f"{game.name} does not state what that pays"):
        Engine(game, None, policies.AlphaZero(4, resign_below=-0.9), learners.AlphaZero(), 1)


def test_games_that_say_it_wrongly():
    class Several(TreeToResign):
        """What giving up pays in a game of three is not said by two events."""

    class Unknown(RandomTree):
        """No such event."""

        resignation = ("loss", "gain")

    for game, words in (
        (Several(num_players=3), "two players in turn"),
        (Unknown(), "one of gain, bonus, cut"),
    ):
        with pytest.raises(ValueError, match=words):
            Engine(game, None, policies.AlphaZero(4), learners.AlphaZero(), 1)


def test_built_in_games_pay_a_loss_for_it():
    for name in ("chess", "connect4", "tictactoe", "go", "othello", "hex"):
        assert games.make(name).resignation == ("loss", "win")
    assert Game.resignation is None


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"resign_below": float("nan")}, ValueError),
        ({"resign_below": "low"}, TypeError),
        ({"resign_below": True}, TypeError),
        ({"play_out_share": 1.5}, ValueError),
        ({"play_out_share": -0.1}, ValueError),
        ({"play_out_share": None}, TypeError),
    ],
    ids=str,
)
def test_bad_options(options, error):
    with pytest.raises(error, match=next(iter(options))):
        policies.AlphaZero(**options)
