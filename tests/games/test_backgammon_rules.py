"""Backgammon: the traps of its rules, for both players."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.rules import CHANCE, TERMINAL
from rinforza.testing.lanes import GameLane
from tests.naive.backgammon import BAR, PASS

from .backgammons import played, position
from .side_by_side import payloads_of

NO_MOVE = 26 * PASS + PASS + 676


@pytest.fixture(scope="module")
def lane():
    return GameLane(rf.games.Backgammon(), plain=plain_python())


# ---- rule traps ----


def plays_of(lane, state):
    """Return the legal plays as (first source, second source, whether the lower die is first)."""
    ids = lane.legal(state, lane.actor(state)).tolist()
    return [(action % 26, action % 676 // 26, action >= 676) for action in ids]


@pytest.mark.lanes
@pytest.mark.parametrize("player", [0, 1])
class TestTraps:
    """Points are given as player 0 counts them, and turned round for player 1."""

    def state(self, lane, player, dice, own=(), other=(), bar=(0, 0)):
        def turned(pairs):
            return [(point if player == 0 else 23 - point, count) for point, count in pairs]

        return position(lane, player, dice, turned(own), turned(other), bar)

    def plays(self, lane, player, *arguments, **keywords):
        found = plays_of(lane, self.state(lane, player, *arguments, **keywords))
        turned = [
            (*(23 - digit if player == 1 and digit < 24 else digit for digit in digits), lower)
            for *digits, lower in found
        ]
        return sorted(turned)

    def test_both_dice_if_that_can_be(self, lane, player):
        """After a 6 from 10 the 1 could not be played, so the 6 must come from 1."""
        blocks = [(2, 2), (8, 2), (17, 2)]
        assert self.plays(lane, player, (1, 6), [(1, 1), (10, 1)], blocks) == [(1, 10, False), (10, 1, True)]

    def test_the_higher_die_if_only_one_can_be_played(self, lane, player):
        blocks = [(6, 2), (12, 2), (5, 2)]
        assert self.plays(lane, player, (2, 5), [(1, 1)], blocks[:1]) == [(1, 3, True)]
        # From 0 the 5 and the 2 can be played, but neither after the other.
        assert self.plays(lane, player, (2, 5), [(0, 1)], [(7, 2)]) == [(0, PASS, False)]

    def test_the_lower_die_if_only_that_can_be_played(self, lane, player):
        assert self.plays(lane, player, (2, 5), [(0, 1)], [(7, 2), (5, 2)]) == [(0, PASS, True)]

    def test_no_die(self, lane, player):
        state = self.state(lane, player, (2, 5), [(0, 1)], [(2, 2), (5, 2)])
        assert lane.legal(state, player).tolist() == [NO_MOVE]
        after, events = played(lane, state, NO_MOVE)
        assert lane.actor(after) == CHANCE
        assert lane.record(after).mover == 1 - player
        assert not events.any()

    def test_the_bar_comes_first(self, lane, player):
        own = [(0, 5), (12, 5)]
        assert self.plays(lane, player, (3, 4), own, [(3, 2)], bar=(1, 0)) == [
            (BAR, 0, True),
            (BAR, 2, True),
            (BAR, 12, True),
        ]
        assert self.plays(lane, player, (3, 4), own, [(3, 2)], bar=(2, 0)) == [(BAR, PASS, True)]
        assert self.plays(lane, player, (3, 4), own, bar=(2, 0)) == [(BAR, BAR, False), (BAR, BAR, True)]
        assert self.plays(lane, player, (3, 4), own, [(2, 2), (3, 2)], bar=(1, 0)) == [(PASS, PASS, True)]

    def test_bearing_off_needs_all_at_home(self, lane, player):
        assert (20, 23, False) not in self.plays(lane, player, (1, 4), [(17, 1), (20, 1), (23, 1)])
        # Once the 4 has brought the last one home, the 1 bears off.
        assert (17, 23, False) in self.plays(lane, player, (1, 4), [(17, 1), (20, 1), (23, 1)])

    def test_bearing_off_from_the_farthest_point(self, lane, player):
        assert self.plays(lane, player, (5, 6), [(20, 1), (22, 2)]) == [(20, 22, False), (20, 22, True)]
        assert self.plays(lane, player, (2, 6), [(20, 1), (22, 2)]) == [
            (20, 22, False),
            (20, 22, True),
            (22, 20, True),
        ]
        # A 4 from 19 leaves nobody behind 20, so the 6 may follow from there.
        assert (19, 20, True) in self.plays(lane, player, (4, 6), [(19, 1), (20, 1)])

    def test_a_hit_goes_to_the_bar_and_unblocks_nothing(self, lane, player):
        state = self.state(lane, player, (1, 2), [(0, 2)], [(1, 1), (3, 2)])
        action = next(action for action in lane.legal(state, player) if action % 676 // 26 != PASS)
        after, _ = played(lane, state, int(action))
        record = lane.record(after)
        assert record.bar.tolist() == ([0, 1] if player == 0 else [1, 0])
        assert record.board[1 - player].sum() == 2

    def test_doubles_are_two_decisions(self, lane, player):
        state = self.state(lane, player, (2, 2), [(0, 4)])
        assert self.plays(lane, player, (2, 2), [(0, 4)]) == [(0, 0, False), (0, 2, False)]
        after, _ = played(lane, state, int(lane.legal(state, player)[0]))
        assert lane.actor(after) == player
        assert lane.game.state_values(lane.record(after))["double_turn"]
        assert lane.record(after).dice.tolist() == [2, 2]
        after, _ = played(lane, after, int(lane.legal(after, player)[0]))
        assert lane.actor(after) == CHANCE
        assert lane.record(after).mover == 1 - player

    def test_a_double_that_cannot_be_played_twice_ends(self, lane, player):
        state = self.state(lane, player, (2, 2), [(0, 1)], [(4, 2)])
        assert plays_of(lane, state)[0][1] == PASS
        after, _ = played(lane, state, int(lane.legal(state, player)[0]))
        assert lane.actor(after) == CHANCE

    @pytest.mark.parametrize(
        ("other", "bar", "margin"),
        [([(5, 14)], 0, 1), ([(5, 15)], 0, 2), ([(5, 14)], 1, 3), ([(5, 14), (18, 1)], 0, 3)],
        ids=["plain", "gammon", "from the bar", "from home"],
    )
    def test_margins(self, lane, player, other, bar, margin):
        state = self.state(lane, player, (1, 2), [(23, 1)], other, bar=(0, bar))
        after, events = played(lane, state, int(lane.legal(state, player)[0]))
        assert lane.actor(after) == TERMINAL
        assert lane.valid(after) == 1
        results = ["win", "loss"] if player == 0 else ["loss", "win"]
        expected = [(agent, {"result": results[agent], "margin": margin}) for agent in range(2)]
        assert payloads_of(lane, state, events) == expected
        weights = np.array([0.5, 7.0, 11.0])
        paid = events @ weights
        assert paid[player] == weights[margin - 1]
        assert paid[1 - player] == -weights[margin - 1]
