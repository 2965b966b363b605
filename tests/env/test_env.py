"""The environment on the first games, against plain twins, and what it promises in general."""

import copy
import pickle
import random
import time

import numpy as np
import pytest

import rinforza as rf
from tests.env.games import DiceRace, HighCard, LongChain, play
from tests.naive.connect4 import NaiveConnect4
from tests.naive.gridworld import NaiveGridWorld
from tests.naive.tictactoe import NaiveTicTacToe

pytestmark = pytest.mark.lanes

PAY = {"win": 1.0, "loss": -1.0, "draw": 0.0}


@pytest.mark.parametrize(
    ("game", "twin_type"),
    [(rf.games.TicTacToe(), NaiveTicTacToe), (rf.games.Connect4(), NaiveConnect4)],
)
def test_board_games_match_their_twins(game, twin_type):
    generator = random.Random(7)
    env = rf.Env(game, rf.Reward())
    for _ in range(60):
        twin = twin_type()
        env.reset()
        assert env.ticks == 0
        assert env.rewards is None
        while not twin.done:
            assert not env.done()
            assert env.active_agents() == [twin.turn]
            for player in (0, 1):
                assert env.legal_actions(player) == twin.legal_actions(player)
                assert env.observe(player).tolist() == twin.observation(player)
            action = generator.choice(twin.legal_actions(twin.turn))
            events = env.step({twin.turn: action})
            assert events == twin.step(action)
            paid = dict(events)
            assert env.rewards == [PAY[paid[player]] if paid else 0.0 for player in (0, 1)]
            assert env.state() == twin.state_values()
        assert env.done()
        assert env.active_agents() == []
        assert env.legal_actions(0) == env.legal_actions(1) == []
        assert env.observe(1).tolist() == twin.observation(1)


def test_grid_world_matches_its_twin():
    generator = random.Random(2)
    env = rf.Env(rf.games.GridWorld(size=4, goal_row=1, goal_col=2), rf.Reward(step=-0.5, goal=3.0))
    starts = set()
    for _ in range(60):
        twin = NaiveGridWorld(size=4, goal_row=1, goal_col=2)
        env.reset()
        starts.add(env.state()["pos"])
        twin.start(twin.start_cells().index(env.state()["pos"]))
        while not twin.done:
            action = generator.randrange(4)
            assert env.step({0: action}) == twin.step(action)
            assert env.state() == twin.state_values()
            assert env.observe(0).tolist() == twin.observation(0)
            assert env.rewards == [3.0 if twin.done else -0.5]
        assert env.done()
    assert len(starts) > 10


def test_what_it_tells_about_the_game():
    env = rf.Env(rf.games.Connect4())
    assert env.num_agents() == 2
    assert env.action_count() == 7
    assert env.observation_space() == rf.games.Connect4().observation_space()
    observation = env.observe(0)
    assert observation.dtype == np.float32
    assert observation.shape == (2, 6, 7)
    assert env.render() == "\n".join(["......."] * 6)
    env.step({0: 3})
    env.step({1: 3})
    assert env.render().splitlines()[-2:] == ["...O...", "...X..."]
    assert env.game == rf.games.Connect4()
    assert env.reward is None
    assert "2 ticks" in repr(env)


def test_an_observation_is_the_callers_own():
    env = rf.Env(rf.games.TicTacToe())
    first = env.observe(0)
    env.step({0: 4})
    second = env.observe(0)
    assert first.sum() == 0
    assert second[0, 1, 1] == 1
    second[:] = 7
    assert env.observe(0).max() == 1


def test_the_values_of_a_state_are_plain_and_not_alive():
    env = rf.Env(HighCard())
    state = env.state()
    assert type(state["cards"]) is list
    assert type(state["cards"][0]) is int
    state["cards"][0] = 99
    assert env.state()["cards"][0] != 99
    assert rf.Env(DiceRace()).state()["started"] is True


def test_no_horizon_is_applied():
    env = rf.Env(rf.games.GridWorld(size=3, max_ticks=2), seed=3)
    into_the_wall = 0 if env.state()["pos"][0] == 0 else 2
    while env.ticks < 10:
        env.step({0: into_the_wall})
    assert not env.done()
    assert env.ticks == 10


def test_rewards_are_only_those_of_a_tick():
    env = rf.Env(rf.games.GridWorld(), rf.Reward(step=-1.0), seed=2)
    assert env.rewards is None
    env.step({0: 0})
    rewards = env.rewards
    assert rewards == [-1.0]
    rewards[0] = 5.0
    assert env.rewards == [-1.0]
    assert env.fork().rewards is None
    snapshot = env.snapshot()
    env.restore(snapshot)
    assert env.rewards is None
    env.step({0: 0})
    env.reset()
    assert env.rewards is None
    silent = rf.Env(rf.games.GridWorld(), seed=2)
    silent.step({0: 0})
    assert silent.rewards is None


def starts(env, count):
    """The first states of so many episodes on the continuing stream."""
    found = []
    for _ in range(count):
        env.reset()
        found.append(env.state()["pos"])
    return found


def test_reset_goes_on_with_the_stream_or_starts_a_new_one():
    game = rf.games.GridWorld(size=9)
    env = rf.Env(game, seed=4)
    first = env.state()
    series = starts(env, 12)
    assert len(set(series)) > 6
    assert starts(rf.Env(game, seed=4), 12) == series
    env.reset(seed=4)
    assert env.state() == first
    assert starts(env, 12) == series
    assert starts(rf.Env(game, seed=5), 12) != series
    env.reset(np.uint64(2**64 - 1))
    assert env.state() == rf.Env(game, seed=2**64 - 1).state()


def test_a_fork_has_the_same_future_until_it_is_seeded():
    env = rf.Env(DiceRace(), rf.Reward(), seed=6)
    play(env, random.Random(1), 4)
    twin, seeded, again = env.fork(), env.fork(seed=8), env.fork(seed=8)
    assert twin.ticks == seeded.ticks == env.ticks > 0
    assert twin.state() == seeded.state() == env.state()
    assert twin.game is env.game
    assert twin.rules is env.rules
    before = env.snapshot()
    rolls = {agent: 1 for agent in env.active_agents()}
    played = [fork.step(rolls) for fork in (twin, seeded, again)]
    assert played[1] == played[2]
    assert env.snapshot() == before
    assert env.step(rolls) == played[0]
    assert seeded.stream[0] == rf.Env(DiceRace(), seed=8).stream[0] != env.stream[0]


def test_forks_of_one_moment_diverge_by_seed():
    env = rf.Env(DiceRace(), seed=0)
    roll = {env.active_agents()[0]: 1}
    results = set()
    for seed in range(40):
        fork = env.fork(seed)
        fork.step(roll)
        results.add(max(fork.state()["scores"]))
    assert len(results) > 3


def test_a_finished_game_can_be_forked_and_kept():
    env = rf.Env(rf.games.TicTacToe(), rf.Reward())
    for cell in (0, 3, 1, 4, 2):
        env.step({env.active_agents()[0]: cell})
    for copied in (env.fork(), rf.Env(rf.games.TicTacToe(), rf.Reward())):
        copied.restore(env.snapshot())
        assert copied.done()
        assert copied.state() == env.state()
        assert copied.ticks == 5
        assert np.array_equal(copied.observe(1), env.observe(1))
        copied.reset()
        assert not copied.done()
        assert copied.ticks == 0


def test_numpy_integers_are_integers():
    env = rf.Env(rf.games.TicTacToe(), seed=np.int64(3))
    env.step({np.int64(0): np.int32(4)})
    env.step({np.uint8(1): np.array(0)})
    assert env.legal_actions(np.int16(0)) == [1, 2, 3, 5, 6, 7, 8]
    assert env.observe(np.int8(1))[0, 0, 0] == 1


def test_equal_compositions_are_composed_once():
    first = rf.Env(rf.games.Connect4(), rf.Reward(win=2))
    second = rf.Env(rf.games.Connect4(), rf.Reward(win=2.0), seed=9)
    assert first.rules is second.rules
    assert rf.Env(rf.games.Connect4()).rules is not first.rules
    assert rf.Env(rf.games.GridWorld(size=3)).rules is not rf.Env(rf.games.GridWorld(size=4)).rules
    wide, narrow = LongChain(links=2), LongChain(links=np.int32(2))
    assert wide == narrow
    assert rf.Env(wide).rules is not rf.Env(narrow).rules  # equal, but not to compiled code
    best = 1.0
    for _ in range(20):
        began = time.perf_counter()
        rf.Env(rf.games.Connect4(), rf.Reward(win=2.0))
        best = min(best, time.perf_counter() - began)
    assert best < 1e-3


def test_environments_do_not_share_a_state():
    first, second = (rf.Env(rf.games.TicTacToe()) for _ in range(2))
    first.step({0: 8})
    assert second.legal_actions(0) == list(range(9))
    assert first.state_address != second.state_address
    assert first.state_bytes != second.state_bytes
    assert len(first.state_bytes) == first.rules.state_size


def uniform(obs):
    """A network that knows nothing."""
    return np.zeros((len(obs), 9)), np.zeros(len(obs))


def test_a_policy_chooses_for_environments():
    policy = rf.policies.AlphaZero(100, temperature=0.0, noise=None)
    first, second = (rf.Env(rf.games.TicTacToe(), rf.Reward()) for _ in range(2))
    for cell in (0, 3, 1, 4):
        first.step({first.active_agents()[0]: cell})  # then 2 completes the upper row
    for cell in (8, 3, 1, 4, 2):
        second.step({second.active_agents()[0]: cell})  # then 5 completes the middle row
    before = first.snapshot()
    assert policy.choose([first, second, first.fork()], uniform, gamma=1.0) == [2, 5, 2]
    assert first.snapshot() == before


def test_the_position_stands_for_the_moment():
    env = rf.Env(DiceRace(), rf.Reward(), seed=3)
    position = env.position()
    assert position == env.fork().position()
    assert position.rules is env.rules
    assert position.fingerprint == env.config_fingerprint()
    assert position.state == env.state_bytes
    assert position.ticks == 0
    keys = {position.key, env.fork(seed=4).position().key}
    for _ in range(4):
        env.step({env.active_agents()[0]: 0})
        keys.add(env.position().key)
    assert len(keys) == 6
    assert rf.Env(DiceRace()).position().rules is None


def test_an_environment_is_not_copied_by_accident():
    env = rf.Env(rf.games.TicTacToe())
    for copying in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"use fork\(\) for a copy"):
            copying(env)


def test_the_configuration():
    env = rf.Env(rf.games.GridWorld(size=3), rf.Reward(goal=2.0), seed=1)
    assert env.resolved_config() == {
        "schema_version": 2,
        "game": {
            "name": "gridworld",
            "size": 3,
            "goal_row": 2,
            "goal_col": 2,
            "max_ticks": 1000,
            "encoder": {"name": "gridworld"},
        },
        "reward": {"step": 0.0, "goal": 2.0},
    }
    assert rf.Env(LongChain()).resolved_config()["reward"] is None


def test_the_fingerprint_tells_compositions_apart_and_nothing_else():
    game = rf.games.GridWorld
    same = [
        rf.Env(game(), rf.Reward(), 1),
        rf.Env(game(size=5, goal_row=4), rf.Reward(goal=1), 2),
    ]
    others = [
        rf.Env(game()),
        rf.Env(game(size=6), rf.Reward()),
        rf.Env(game(), rf.Reward(goal=1.5)),
        rf.Env(game(max_ticks=None), rf.Reward()),
        rf.Env(rf.games.TicTacToe(), rf.Reward()),
    ]
    play(same[1], random.Random(0), 3)
    prints = {env.config_fingerprint() for env in same}
    assert len(prints) == 1
    prints |= {env.config_fingerprint() for env in others}
    assert len(prints) == 1 + len(others)
    assert all(len(text) == 64 and int(text, 16) >= 0 for text in prints)


def test_the_fingerprint_of_a_release_is_kept():
    expected = "53b715f3d345a891679a7cec3fd9ca5d3497a084a8868c2b84535b13e9f5a536"
    assert rf.Env(rf.games.TicTacToe(), rf.Reward()).config_fingerprint() == expected
