"""Backgammon: counted plays, OpenSpiel's games, the naive twin, chance, ends, damaged states."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.rules import CHANCE, TERMINAL
from rinforza.testing.lanes import GameLane
from tests.naive.backgammon import NON_DOUBLES, ROLLS, NaiveBackgammon

from .backgammons import played, position
from .damage import damaged
from .recorded import compare_playthrough, legal_digest, open_spiel_games, playthrough
from .side_by_side import payloads_of
from .transcripts import transcribe

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


def rolled(lane, state, outcome):
    """Return the state after a roll."""
    after, events = lane.resolve_chance(state, outcome)
    assert not events.any()
    return after


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
        assert payloads_of(lane, written.states[node], written.events[node]) == expected
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
