"""Chance, simultaneous moves and hidden information, against plain rules in Python integers."""

import itertools
import random
from collections import Counter

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import without_compiling
from tests.env.games import (
    FACE_WEIGHTS,
    TARGET,
    DiceRace,
    HighCard,
    LongChain,
    Showdown,
    play,
)

pytestmark = pytest.mark.lanes

WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mixed(word):
    """The finaliser of SplitMix64 on Python integers."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD
    return word ^ word >> 31


class NaiveStream:
    """The environment's random stream on Python integers."""

    def __init__(self, seed):
        purpose = int.from_bytes(b"env", "big")
        self.key = mixed(mixed(mixed((seed + GOLDEN) & WORD) ^ purpose))
        self.drawn = 0

    def uniform(self):
        self.drawn += 1
        word = mixed(mixed(self.key ^ (self.drawn * GOLDEN & WORD)) + self.key & WORD)
        return (word >> 11) / 2**53

    def outcome(self, weights):
        remainder = self.uniform() * sum(weights)
        for index, weight in enumerate(weights):
            remainder -= weight
            if remainder < 0:
                return index
        return len(weights) - 1


class NaiveRace:
    """The dice race, written from its rules."""

    def __init__(self, seed):
        self.stream = NaiveStream(seed)
        self.start()

    def start(self):
        self.scores = [0, 0]
        self.mover = self.stream.outcome([0.5, 0.5])

    def step(self, action):
        """Plays a tick; returns the points that each player rolled."""
        rolled, mover = [0, 0], self.mover
        if action == 0:
            self.scores[mover] += 1
        while action == 1:
            points = self.stream.outcome(FACE_WEIGHTS.tolist()) + 1
            rolled[mover] += points
            self.scores[mover] += points
            if points < 4 or self.scores[mover] >= TARGET:
                break
        self.mover = 1 - mover
        return rolled

    def winner(self):
        return next((player for player in (0, 1) if self.scores[player] >= TARGET), None)


@pytest.mark.parametrize("seed", [0, 1, 17, WORD])
def test_chance_follows_the_stream_and_its_events_belong_to_the_tick(seed):
    env = rf.Env(DiceRace(), rf.Reward(), seed=seed)
    twin = NaiveRace(seed)
    generator = random.Random(seed)
    for _ in range(20):  # episodes, on one stream
        while twin.winner() is None:
            assert env.active_agents() == [twin.mover]
            assert env.observe(twin.mover).tolist() == [
                [[twin.scores[twin.mover], twin.scores[1 - twin.mover]]]
            ]
            mover, action = twin.mover, generator.randrange(2)
            rolled = twin.step(action)
            won = twin.winner()
            events = dict(env.step({mover: action}))
            for player in (0, 1):
                expected = {"rolled": float(rolled[player])} if rolled[player] else {}
                if won is not None:
                    expected["win" if won == player else "loss"] = 1.0
                assert events.pop(player, {}) == expected
                assert env.rewards is not None
                sign = 0 if won is None else 1 if won == player else -1
                assert env.rewards[player] == pytest.approx(0.25 * rolled[player] + sign)
            assert not events
            assert env.state()["scores"] == twin.scores
        assert env.done()
        assert env.active_agents() == []
        assert env.legal_actions(0) == []
        assert env.stream == (twin.stream.key, twin.stream.drawn)
        env.reset()
        twin.start()


def test_chance_draws_have_their_weights():
    env = rf.Env(HighCard(), seed=5)
    deals = Counter()
    for _ in range(1200):
        env.reset()
        deals[tuple(env.state()["cards"])] += 1
    assert set(deals) == set(itertools.permutations((1, 2, 3), 2))
    # five standard deviations of a count are 65
    assert all(abs(count - 200) < 65 for count in deals.values())


def test_chance_that_is_only_sampled():
    env, stream = rf.Env(LongChain(links=3, first=2), seed=9), NaiveStream(9)
    total = sum(int(stream.uniform() * 100) for _ in range(2))
    assert env.state()["total"] == total
    for _ in range(3):
        env.step({0: 29})
        total += sum(int(stream.uniform() * 100) for _ in range(3))
        assert env.state() == {"ticks": env.ticks, "left": 0, "total": total}
    assert env.done()


def naive_showdown(standing, picks):
    """Who falls, of those that stand."""
    lowest = min(picks[player] for player in standing)
    fallen = {player for player in standing if picks[player] == lowest}
    return set() if fallen == standing else fallen


def test_simultaneous_moves_of_those_that_can_act():
    generator = random.Random(3)
    lengths = Counter()
    for _ in range(150):
        env, standing = rf.Env(Showdown(), rf.Reward(fell=-2.0)), {0, 1, 2}
        while len(standing) > 1 and env.ticks < 3:
            assert env.active_agents() == sorted(standing)
            for player in range(3):
                expected = [0, 1, 2] if player in standing else []
                assert env.legal_actions(player) == expected
            picks = {player: generator.randrange(3) for player in standing}
            fallen = naive_showdown(standing, picks)
            events = env.step(picks)
            assert events == [
                (player, {"fell": 1.0} if player in fallen else {"stood": 1.0}) for player in sorted(standing)
            ]
            assert env.rewards == [
                -2.0 if player in fallen else 0.5 if player in standing else 0.0 for player in range(3)
            ]
            standing -= fallen
            assert env.observe(1).tolist() == [[[float(player in standing) for player in range(3)]]]
        assert env.done()
        assert env.active_agents() == []
        lengths[env.ticks] += 1
    assert lengths[1] > 0
    assert lengths[3] > 0


def test_what_a_player_knows():
    env, other = rf.Env(HighCard(), seed=1), rf.Env(HighCard(), seed=1)
    cards = env.state()["cards"]
    while (hidden := other.state()["cards"]) == cards or hidden[0] != cards[0]:
        other.reset()
    for first in (env, other):
        assert first.information_state_key(0) == bytes([0, cards[0]])
    assert env.information_state_key(1) != other.information_state_key(1)
    assert (env.observe(0) == other.observe(0)).all()
    assert (env.observe(1) != other.observe(1)).any()
    env.step({0: 1})
    assert env.information_state_key(0) == bytes([0, cards[0], 1])
    assert env.information_state_key(1) == bytes([1, cards[1], 1])  # also of who is not to move
    env.step({1: 0})
    assert env.information_state_key(1) == bytes([1, cards[1], 1, 0])  # and at the end


@pytest.mark.parametrize("bets", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_an_end_that_pays_nothing_has_its_events(bets):
    env = rf.Env(HighCard(), rf.Reward(chips=10.0), seed=4)
    cards = env.state()["cards"]
    assert env.step({0: bets[0]}) == []
    pot = float(sum(bets)) if cards[0] > cards[1] else -float(sum(bets))
    assert env.step({1: bets[1]}) == [(0, pot), (1, -pot)]
    assert env.rewards == [10 * pot, -10 * pot]


@pytest.mark.parametrize("game", [DiceRace, Showdown, HighCard, rf.games.GridWorld])
def test_plain_python_plays_the_same_game(game):
    with without_compiling():
        plain = rf.Env(game(), rf.Reward(), seed=11)
    env = rf.Env(game(), rf.Reward(), seed=11)
    for episode in range(3):
        left, right = random.Random(episode), random.Random(episode)
        assert play(plain, left, 30) == play(env, right, 30)
        assert plain.snapshot() == env.snapshot()
        assert np.array_equal(plain.observe(0), env.observe(0))
        plain.reset()
        env.reset()
