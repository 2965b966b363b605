"""Every refusal: its class, its words, and that it changes nothing."""

import itertools
from types import MappingProxyType

import numpy as np
import pytest

import rinforza as rf
from tests.env.games import DiceRace, HighCard, LongChain, Showdown

pytestmark = pytest.mark.lanes


class Table(dict):
    """A dict of another type."""


@pytest.fixture
def env():
    return rf.Env(rf.games.TicTacToe(), rf.Reward())


def refused(env, actions, error, words):
    """Checks that a step is refused in these words and leaves the environment as it was."""
    before, rewards = env.snapshot(), env.rewards
    with pytest.raises(error, match=words):
        env.step(actions)
    assert env.snapshot() == before
    assert env.rewards == rewards


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ({}, r"missing action for active agent 0; active agents: \[0\]"),
        ({1: 3}, r"agent 1 is not active this tick; active agents: \[0\]"),
        ({0: 3, 1: 3}, r"agent 1 is not active this tick"),
        ({0: 9}, r"action 9 is illegal for agent 0; legal actions: 0, 1, 2, 3, 4, 5, 6, 7, 8$"),
        ({0: 2**64 - 1}, r"action 18446744073709551615 is illegal for agent 0"),
        ({2: 0}, r"agent 2 is out of range for a 2-agent game"),
        ({0: 1, 2**40: 0}, r"agent 1099511627776 is out of range for a 2-agent game"),
    ],
)
def test_steps_that_are_refused(env, actions, words):
    refused(env, actions, ValueError, words)
    env.step({0: 3})  # nothing of the refused action stays behind
    assert env.state()["board"][1] == [1, 0, 0]


def test_a_taken_cell(env):
    env.step({0: 4})
    refused(env, {1: 4}, ValueError, r"action 4 is illegal for agent 1; .*: 0, 1, 2, 3, 5, 6, 7, 8$")
    refused(env, {0: 0}, ValueError, r"agent 0 is not active this tick; active agents: \[1\]")


@pytest.mark.parametrize(
    "actions", [None, [4], (0, 4), "04", 4, {"0": 4}, {0: "4"}, {0: 4.0}, {0.0: 4}, {0: None}]
)
def test_actions_of_another_type(env, actions):
    refused(env, actions, TypeError, "must be a")


@pytest.mark.parametrize("actions", [{True: 4}, {0: True}, {np.bool_(False): 4}, {0: np.bool_(1)}])
def test_a_bool_is_no_integer(env, actions):
    refused(env, actions, TypeError, "must be an int|as an integer")


@pytest.mark.parametrize("actions", [{-1: 4}, {0: -1}, {0: 2**64}, {2**70: 1}, {0: np.int8(-3)}])
def test_numbers_beyond_unsigned_64_bits(env, actions):
    refused(env, actions, OverflowError, "must")


@pytest.mark.parametrize("kind", [dict, Table, MappingProxyType])
@pytest.mark.parametrize("integer", [int, np.int64, np.uint8])
def test_mappings_and_integers_of_other_types(env, kind, integer):
    env.step(kind({integer(0): integer(4)}))
    assert env.state()["board"][1] == [0, 1, 0]


def test_another_agents_action_that_no_game_has(env):
    for action, error in (
        (-1, OverflowError),
        (-(2**63), OverflowError),
        (True, TypeError),
        (None, TypeError),
    ):
        refused(env, {0: 3, 1: action}, error, "must")


class Crowd(Showdown):
    """More players than may act at once."""

    num_players = 1025


def test_too_many_players_at_once():
    with pytest.raises(ValueError, match="1,024 players at once at most, got 1,025"):
        rf.Env(Crowd())


def test_the_episode_is_over(env):
    for cell in (0, 3, 1, 4, 2):
        env.step({env.active_agents()[0]: cell})
    for actions in ({1: 5}, {}, {0: 5, 1: 6}):
        refused(env, actions, ValueError, r"the episode is over; call reset\(\)")
    env.reset()
    env.step({0: 0})


def test_a_long_list_of_legal_actions_is_cut():
    env = rf.Env(LongChain())
    shown = ", ".join(map(str, range(20)))
    refused(env, {0: 30}, ValueError, rf"legal actions: {shown}, \.\.\. \(30 in all\)$")


def outcome_of(standing, actions):
    """What a showdown's rules say of a joint action: None when it is played."""
    if any(player not in standing for player in actions):
        return "is not active this tick"
    if any(player not in actions for player in standing):
        return "missing action for active agent"
    if any(pick > 2 for pick in actions.values()):
        return "is illegal for agent"
    return None


@pytest.mark.parametrize("standing", [{0, 1, 2}, {0, 2}, {1, 2}])
def test_every_joint_action_is_played_or_refused(standing):
    env = rf.Env(Showdown())
    if len(standing) < 3:
        env.step({player: int(player in standing) for player in range(3)})
    assert env.active_agents() == sorted(standing)
    played = 0
    for picks in itertools.product((None, 0, 2, 3), repeat=3):
        actions = {player: pick for player, pick in enumerate(picks) if pick is not None}
        words = outcome_of(standing, actions)
        if words is None:
            env.fork().step(actions)
            played += 1
        else:
            refused(env, actions, ValueError, words)
    assert played == 2 ** len(standing)


def test_simultaneous_steps_that_are_refused():
    env = rf.Env(Showdown())
    refused(env, {0: 0, 2: 0}, ValueError, r"missing action for active agent 1; .*\[0, 1, 2\]")
    refused(env, {0: 0, 1: 3, 2: 0}, ValueError, r"action 3 is illegal for agent 1")
    env.step({0: 1, 1: 0, 2: 1})  # player 1 falls
    refused(env, {0: 0, 1: 0, 2: 0}, ValueError, r"agent 1 is not active this tick; .*\[0, 2\]")
    refused(env, {0: 0}, ValueError, "missing action for active agent 2")
    env.step({2: 0, 0: 1})
    refused(env, {0: 0}, ValueError, "the episode is over")


@pytest.mark.parametrize("method", ["legal_actions", "observe", "information_state_key"])
@pytest.mark.parametrize(
    ("agent", "error", "words"),
    [
        (2, ValueError, "agent 2 is out of range for a 2-agent game"),
        (2**63, ValueError, "out of range for a 2-agent game"),
        (2**64, OverflowError, "64 bits"),
        (-1, OverflowError, "must not be negative"),
        ("0", TypeError, "agent must be an int"),
        (0.0, TypeError, "agent must be an int"),
        (None, TypeError, "agent must be an int"),
        (True, TypeError, "agent must be an int"),
    ],
)
def test_agents_that_do_not_exist(method, agent, error, words):
    with pytest.raises(error, match=words):
        getattr(rf.Env(HighCard()), method)(agent)


def test_games_without_information_states(env):
    with pytest.raises(ValueError, match="this game does not declare information states"):
        env.information_state_key(0)
    with pytest.raises(ValueError, match="out of range for a 2-agent game"):
        env.information_state_key(2)


@pytest.mark.parametrize(
    ("seed", "error"),
    [(-1, OverflowError), (2**64, OverflowError), (1.0, TypeError), ("1", TypeError)],
)
def test_seeds(env, seed, error):
    before = env.snapshot()
    for seeded in (env.reset, env.fork, lambda value: rf.Env(env.game, None, value)):
        with pytest.raises(error, match="seed must"):
            seeded(seed)
    assert env.snapshot() == before


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("tictactoe",), TypeError, "game must be a Game, got str"),
        (([],), TypeError, "game must be a Game, got list"),
        ((rf.games.TicTacToe,), TypeError, "game must be a Game, got type"),
        ((rf.games.TicTacToe(), {"win": 1}), TypeError, "reward must be a Reward or None"),
        ((rf.games.TicTacToe(), rf.Reward(wins=1)), ValueError, "unknown reward key 'wins'"),
        ((rf.games.TicTacToe(), None, None), TypeError, "seed must be an int"),
    ],
)
def test_constructions_that_are_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        rf.Env(*arguments)


class Faulty(DiceRace):
    """A race whose dice break: resolving a roll fails."""

    def resolve_chance(self, state, outcome, events):
        if state.started:
            raise ZeroDivisionError("the dice are gone")
        state.started = True
        state.mover = outcome


def test_an_error_in_the_rules_changes_nothing():
    env = rf.Env(Faulty())
    roll = {env.active_agents()[0]: 1}
    refused(env, roll, ZeroDivisionError, "the dice are gone")
    env.step({env.active_agents()[0]: 0})
    assert sum(env.state()["scores"]) == 1


class Speechless(DiceRace):
    """A race that does not say what is legal once the first player has a point."""

    def legal_actions(self, state, player, out):
        if state.scores[0] == 1:
            raise ZeroDivisionError("no idea")
        out[0] = 0
        out[1] = 1
        return 2


def test_an_error_about_what_comes_next_changes_nothing():
    env = rf.Env(Speechless(), rf.Reward(), seed=next(seed for seed in range(50) if begins_with_first(seed)))
    refused(env, {0: 0}, ZeroDivisionError, "no idea")
    assert env.legal_actions(0) == [0, 1]
    assert env.legal_actions(1) == []


def begins_with_first(seed):
    """Return whether player 0 begins."""
    return rf.Env(DiceRace(), seed=seed).active_agents() == [0]
