"""Backgammon: counted plays, OpenSpiel's games, the naive twin, rule traps, chance, ends, damaged states."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.rules import CHANCE, TERMINAL
from rinforza.testing.lanes import GameLane
from tests.naive.backgammon import BAR, NON_DOUBLES, PASS, ROLLS, NaiveBackgammon

from .damage import damaged
from .recorded import compare_playthrough, joint_of, legal_digest, open_spiel_games, playthrough
from .side_by_side import payloads_of
from .transcripts import transcribe

NO_MOVE = 26 * PASS + PASS + 676
# After one roll from the first position: (different positions, plays); doubles are two decisions.
COUNTS = {
    (1, 2): (15, 30),
    (1, 3): (16, 31),
    (1, 4): (14, 27),
    (1, 5): (8, 15),
    (1, 6): (10, 19),
    (2, 3): (17, 35),
    (2, 4): (18, 37),
    (2, 5): (8, 17),
    (2, 6): (14, 28),
    (3, 4): (17, 34),
    (3, 5): (9, 18),
    (3, 6): (14, 28),
    (4, 5): (9, 18),
    (4, 6): (14, 28),
    (5, 6): (7, 14),
    (1, 1): (42, None),
    (2, 2): (75, None),
    (3, 3): (73, None),
    (4, 4): (52, None),
    (5, 5): (4, None),
    (6, 6): (11, None),
}


@pytest.fixture(scope="module")
def lane():
    return GameLane(rf.games.Backgammon(), plain=plain_python())


def position(lane, player, dice, own=(), other=(), bar=(0, 0)):
    """Return a decision state: (point, checkers) pairs, `bar` and `off` the mover's first.

    Checkers that are not mentioned are borne off, but for one of the other's on the bar if none is.
    """
    bar = bar if other else (bar[0], 1)
    board = np.zeros((2, 24), np.int8)
    for owner, pairs in ((player, own), (1 - player, other)):
        for point, count in pairs:
            board[owner, point] = count
    bars = np.array(bar if player == 0 else bar[::-1])
    state = lane.initial()
    for field, content in {
        "board": board,
        "bar": bars,
        "off": 15 - bars - board.sum(axis=1),
        "mover": player,
        "dice": sorted(dice),
        "started": True,
    }.items():
        state = damaged(lane, state, field, content)
    assert lane.valid(state) == 1
    return state


def rolled(lane, state, outcome):
    """Return the state after a roll."""
    after, events = lane.resolve_chance(state, outcome)
    assert not events.any()
    return after


def played(lane, state, action):
    """Return state and events after an action of the mover."""
    return lane.step(state, joint_of(lane, lane.actor(state), action))


def results(lane, state):
    """Return the different states after a whole turn, doubles to the end, and how many plays there are."""
    mover = lane.actor(state)
    plays = lane.legal(state, mover)
    halfway = {played(lane, state, action)[0].tobytes() for action in plays}
    found = set()
    for raw in halfway:
        after = np.frombuffer(raw, np.uint8)
        if lane.actor(after) == mover:
            found |= results(lane, after)[0]
        else:
            found.add(raw)
    return found, len(plays)


def before_any_roll(lane):
    """Return the first position with player 0 to roll freely."""
    return damaged(lane, lane.initial(), "started", True)


# ---- numbers from outside ----


def test_plays_after_one_roll(lane):
    everything = set()
    for outcome, roll in enumerate(ROLLS):
        state = rolled(lane, before_any_roll(lane), outcome)
        found, plays = results(lane, state)
        everything |= found
        assert len(found) == COUNTS[roll][0]
        assert plays == COUNTS[roll][1] or roll[0] == roll[1]
    assert len(everything) == 406


@pytest.mark.slow
def test_positions_after_two_rolls(lane):
    """The total counts a position once for each pair of rolls and each first result that lead to it."""
    firsts = [results(lane, rolled(lane, before_any_roll(lane), outcome))[0] for outcome in range(21)]
    total, everything = 0, set()
    for raw in set().union(*firsts):
        ways = sum(raw in found for found in firsts)
        for outcome in range(21):
            found, _ = results(lane, rolled(lane, np.frombuffer(raw, np.uint8), outcome))
            total += ways * len(found)
            everything |= found
    assert (total, len(everything)) == (202_782, 163_706)


@pytest.mark.lanes
def test_games_of_open_spiel(lane):
    """OpenSpiel tells the dice apart and opens with the roll first, the beginner in the last bit."""
    games = list(open_spiel_games("backgammon"))
    assert len(games) == 100
    for game in games[: 1 if plain_python() else 100]:
        state = lane.initial()
        for ply, (action, digest) in enumerate(zip(game["actions"], game["legal"], strict=True)):
            mover = lane.actor(state)
            if mover == CHANCE:
                ours = action // 2 + 15 * (action % 2) if ply == 0 else open_spiel_roll(action)
                state, events = lane.resolve_chance(state, ours)
            else:
                assert legal_digest(lane.legal(state, mover).tolist()) == digest
                state, events = played(lane, state, action)
        assert lane.actor(state) == TERMINAL
        assert (events @ lane.rules.weights).tolist() == game["points"]


def open_spiel_roll(outcome):
    """Return our number of a later roll: each of the 30 ordered pairs, then the doubles."""
    return outcome // 2 if outcome < 30 else outcome - 15


# ---- the twin ----


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("plain", "nodes"),
    [(False, 400), (True, 120), pytest.param(False, 12_000, marks=pytest.mark.slow, id="many")],
)
def test_random_games_go_as_the_twin_goes(plain, nodes):
    game = rf.games.Backgammon()
    lane = GameLane(game, plain or plain_python())
    written = transcribe(lane, 120 if plain_python() else nodes, seed=nodes)
    twin, expected = NaiveBackgammon(), []
    for node, state in enumerate(written.states):
        turn = written.turns[node]
        assert payloads_of(lane, written.events[node]) == expected
        assert game.state_values(lane.record(state)) == twin.state_values()
        assert turn == (TERMINAL if twin.done else CHANCE if twin.waits_for_a_roll() else twin.turn)
        assert lane.valid(state) == (turn != CHANCE)
        for player in range(2):
            legal = [] if turn == CHANCE else twin.legal_actions(player)
            assert lane.legal(state, player).tolist() == legal
            assert lane.observe(state, player).tolist() == twin.observation(player)
        if turn == TERMINAL:
            twin, expected = NaiveBackgammon(), []
        elif turn == CHANCE:
            assert lane.chance(state).tolist() == twin.odds()
            (twin.roll if twin.started else twin.start)(written.outcomes[node])
            expected = []
        else:
            expected = twin.step(int(written.joints[node, turn]))


@pytest.mark.lanes
@pytest.mark.parametrize("seed", range(3))
def test_both_players_play_alike(lane, seed):
    """A position seen from the other side has the same plays, with the points numbered from the other end."""
    written = transcribe(lane, 150, seed)
    compared = 0
    for state, turn in zip(written.states, written.turns, strict=True):
        if turn < 0:
            continue
        record = lane.record(state)
        turned = damaged(lane, state, "board", record.board[::-1, ::-1])
        for field in ("bar", "off"):
            turned = damaged(lane, turned, field, record[field][::-1])
        turned = damaged(lane, turned, "mover", 1 - turn)
        expected = sorted(turned_action(action) for action in lane.legal(state, turn).tolist())
        assert lane.legal(turned, 1 - turn).tolist() == expected
        compared += 1
    assert compared > 50


def turned_action(action):
    """Return an action with its points numbered from the other end."""
    second, first = divmod(action % 676, 26)
    first, second = (23 - digit if digit < 24 else digit for digit in (first, second))
    return action // 676 * 676 + 26 * second + first


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
        assert payloads_of(lane, events) == expected
        weights = np.array([0.5, 7.0, 11.0])
        paid = events @ weights
        assert paid[player] == weights[margin - 1]
        assert paid[1 - player] == -weights[margin - 1]


# ---- chance ----


@pytest.mark.lanes
def test_the_opening_roll(lane):
    assert lane.actor(lane.initial()) == CHANCE
    assert lane.chance(lane.initial()).tolist() == [1 / 30] * 30
    for outcome in range(30):
        record = lane.record(rolled(lane, lane.initial(), outcome))
        assert record.mover == outcome // 15
        assert tuple(record.dice) == NON_DOUBLES[outcome % 15]


@pytest.mark.lanes
def test_later_rolls(lane):
    state = before_any_roll(lane)
    assert lane.chance(state).tolist() == [1 / 18] * 15 + [1 / 36] * 6
    for outcome, roll in enumerate(ROLLS):
        record = lane.record(rolled(lane, state, outcome))
        assert record.mover == 0
        assert tuple(record.dice) == roll


# ---- the face ----


def test_a_game_in_an_environment():
    env = rf.Env(rf.games.Backgammon(), rf.Reward(win=1.0, gammon=2.0, backgammon=3.0), seed=4)
    generator = np.random.default_rng(4)
    while not env.done():
        mover = env.active_agents()[0]
        events = env.step({mover: int(generator.choice(env.legal_actions(mover)))})
        assert (events == []) != env.done()
    values = env.state()
    winner = values["scores"].index(15)
    margin = events[winner][1]["margin"]
    assert events[winner] == (winner, {"result": "win", "margin": margin})
    assert env.rewards == [margin, -margin] if winner == 0 else [-margin, margin]
    assert values["dice"] == [0, 0] or values["double_turn"]


def test_what_it_claims():
    game = rf.games.Backgammon()
    assert game.truncation_horizon() == 1000
    assert rf.games.Backgammon(max_ticks=None).truncation_horizon() is None
    assert (game.num_players, game.num_actions, game.dynamics) == (2, 1352, "sequential")
    assert game.events == {"win": 1.0, "gammon": 2.0, "backgammon": 3.0}
    with pytest.raises(ValueError, match=r"max_ticks must be >= 1 \(or None to never truncate\)"):
        rf.games.Backgammon(max_ticks=0)


@pytest.mark.lanes
def test_a_recorded_game(lane):
    compare_playthrough("backgammon", playthrough(lane, seed=2, longest=80))


@pytest.mark.lanes
def test_the_contract_holds():
    game = rf.games.Backgammon()
    rf.testing.check_game(game, ticks=300, plain_ticks=60)
    rf.testing.check_encoder(game, ticks=100, plain_ticks=20)


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("field", "content", "index"),
    [
        ("board", 3, (0, 0)),
        ("board", -1, (0, 1)),
        ("board", 1, (1, 0)),
        ("bar", 1, 0),
        ("bar", -1, 1),
        ("off", 1, 0),
        ("off", -1, 1),
        ("mover", 2, ...),
        ("mover", -1, ...),
        ("dice", [0, 0], ...),
        ("dice", [0, 2], ...),
        ("dice", [3, 7], ...),
        ("dice", [4, 3], ...),
        ("second_half", True, ...),
        ("started", False, ...),
    ],
)
def test_damaged_states_are_refused(lane, field, content, index):
    state = rolled(lane, lane.initial(), 7)
    assert lane.valid(state) == 1
    assert lane.valid(damaged(lane, state, field, content, index)) == 0


@pytest.mark.lanes
def test_two_winners_and_lost_halves_are_refused(lane):
    state = position(lane, 0, (1, 2), [(23, 1)], [(5, 3)])
    after, _ = played(lane, state, int(lane.legal(state, 0)[0]))
    assert lane.valid(after) == 1
    assert lane.valid(damaged(lane, after, "second_half", True)) == 0
    emptied = damaged(lane, damaged(lane, after, "board", 0), "off", 15)
    assert lane.valid(emptied) == 0
