"""Kuhn poker, Leduc poker and liar's dice: counts, OpenSpiel's games, the twins, damaged states."""

from collections import Counter

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.rules import CHANCE, TERMINAL
from rinforza.testing.lanes import GameLane
from tests.naive.kuhn_poker import NaiveKuhnPoker
from tests.naive.leduc_poker import NaiveLeducPoker
from tests.naive.liars_dice import NaiveLiarsDice
from tests.testing.toys import GuessView

from .damage import damaged
from .recorded import joint_of, legal_digest, open_spiel_games
from .transcripts import transcribe

TWINS = {
    "kuhn_poker_2": (rf.games.KuhnPoker(), NaiveKuhnPoker),
    "kuhn_poker_5": (rf.games.KuhnPoker(players=5), lambda: NaiveKuhnPoker(5)),
    "kuhn_poker_10": (rf.games.KuhnPoker(players=10), lambda: NaiveKuhnPoker(10)),
    "leduc_poker": (rf.games.LeducPoker(), NaiveLeducPoker),
    "liars_dice_1x6": (rf.games.LiarsDice(), NaiveLiarsDice),
    "liars_dice_3x4": (rf.games.LiarsDice(dice=3, sides=4), lambda: NaiveLiarsDice(3, 4)),
}


# ---- numbers from outside ----


@pytest.mark.lanes
@pytest.mark.parametrize("name", TWINS)
def test_games_of_open_spiel(name):
    """OpenSpiel numbers the outcomes of a deal by the card, and does not list the dice in order."""
    lane = GameLane(TWINS[name][0], plain=plain_python())
    recorded = list(open_spiel_games(name))
    assert len(recorded) >= 60
    for game in recorded[: 5 if plain_python() else None]:
        state, dealt = lane.initial(), []
        for action, digest in zip(game["actions"], game["legal"], strict=True):
            turn = lane.actor(state)
            if turn == CHANCE:
                lower = 0 if name.startswith("liars") else sum(card < action for card in dealt)
                dealt.append(action)
                state, events = lane.resolve_chance(state, action - lower)
            else:
                assert legal_digest(lane.legal(state, turn).tolist()) == digest
                state, events = lane.step(state, joint_of(lane, turn, action))
        assert lane.actor(state) == TERMINAL
        assert (events @ lane.rules.weights).tolist() == game["points"]


def everything(lane):
    """Return how many histories of each kind there are, and the information states of the movers."""
    kinds, knowledge = Counter(), Counter()
    states = [lane.initial()]
    while states:
        state = states.pop()
        turn = lane.actor(state)
        kinds[min(turn, 0)] += 1
        if turn == CHANCE:
            states += [lane.resolve_chance(state, outcome)[0] for outcome in range(len(lane.chance(state)))]
        elif turn != TERMINAL:
            knowledge[lane.information_state(state, turn)] += 1
            states += [
                lane.step(state, joint_of(lane, turn, action))[0] for action in lane.legal(state, turn)
            ]
    return kinds, knowledge


@pytest.mark.parametrize(
    ("players", "deals", "betting_ends", "information_states"),
    [(2, 6, 5, 12), (3, 24, 13, 48), (4, 120, 33, 160)],
)
def test_all_of_kuhn_poker(players, deals, betting_ends, information_states):
    kinds, knowledge = everything(GameLane(rf.games.KuhnPoker(players), plain=False))
    assert kinds[TERMINAL] == deals * betting_ends
    assert len(knowledge) == information_states
    assert kinds[0] == 24 or players != 2


def test_all_of_leduc_poker():
    kinds, knowledge = everything(GameLane(rf.games.LeducPoker(), plain=False))
    assert kinds == {0: 3780, CHANCE: 157, TERMINAL: 5520}
    assert len(knowledge) == 936


def test_all_of_small_liars_dice():
    """Of 6 bids any set of them is a history, and all but the empty one can be called."""
    kinds, knowledge = everything(GameLane(rf.games.LiarsDice(sides=3), plain=False))
    assert kinds == {0: 9 * 2**6, CHANCE: 1 + 3, TERMINAL: 9 * (2**6 - 1)}
    assert len(knowledge) == 3 * 2**6


# ---- the twins ----


@pytest.mark.lanes
@pytest.mark.parametrize(("plain", "nodes"), [(False, 1500), (True, 250)])
@pytest.mark.parametrize("name", TWINS)
def test_random_games_go_as_the_twin_goes(name, plain, nodes):
    game, twin_type = TWINS[name]
    lane = GameLane(game, plain or plain_python())
    written = transcribe(lane, 200 if plain_python() else nodes, seed=nodes)
    twin, expected, ended = twin_type(), [], 0
    bytes_of, told_by = {}, {}
    for node, state in enumerate(written.states):
        turn, record = written.turns[node], lane.record(state)
        paid = [
            game.event_payload(player, written.events[node][player], record)
            for player in range(game.num_players)
        ]
        assert [(player, payload) for player, payload in enumerate(paid) if payload is not None] == expected
        assert game.state_values(record) == twin.state_values()
        assert turn == (CHANCE if twin.dealing else TERMINAL if twin.done else twin.turn)
        assert lane.valid(state) == (turn != CHANCE)
        for player in range(game.num_players):
            assert lane.legal(state, player).tolist() == twin.legal_actions(player)
            if turn != CHANCE:
                assert lane.observe(state, player).tolist() == twin.observation(player)
                raw, known = lane.information_state(state, player), twin.knowledge(player)
                assert raw[0] == player
                assert bytes_of.setdefault(known, raw) == raw
                assert told_by.setdefault(raw, known) == known
        if turn == TERMINAL:
            twin, expected, ended = twin_type(), [], ended + 1
        elif turn == CHANCE:
            assert lane.chance(state).tolist() == twin.odds()
            twin.draw(written.outcomes[node])
            expected = []
        else:
            expected = twin.step(int(written.joints[node, turn]))
    assert ended > 3


# ---- the face ----


@pytest.mark.parametrize(
    ("game", "facts", "events"),
    [
        (rf.games.KuhnPoker(), ("kuhn_poker", 2, 2, "root"), {"scale": 1.0}),
        (rf.games.KuhnPoker(players=7), ("kuhn_poker", 7, 2, "root"), {"scale": 1.0}),
        (rf.games.LeducPoker(), ("leduc_poker", 2, 3, "anywhere"), {"scale": 1.0}),
        (rf.games.LiarsDice(), ("liars_dice", 2, 13, "root"), {"win": 1.0, "loss": -1.0}),
    ],
)
def test_claims(game, facts, events):
    assert (game.name, game.num_players, game.num_actions, game.chance_nodes) == facts
    assert (game.dynamics, game.information, game.truncation_horizon()) == ("sequential", "imperfect", None)
    assert game.events == events
    assert type(game)(**game.parameters) == game


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rf.games.KuhnPoker(players=1), "players must be >= 2, got 1"),
        (lambda: rf.games.KuhnPoker(players=11), "players must be <= 10, got 11"),
        (lambda: rf.games.LiarsDice(dice=0), "dice must be >= 1, got 0"),
        (lambda: rf.games.LiarsDice(dice=11), "dice must be <= 10, got 11"),
        (lambda: rf.games.LiarsDice(sides=1), "sides must be >= 2, got 1"),
        (lambda: rf.games.LiarsDice(sides=21), "sides must be <= 20, got 21"),
        (lambda: rf.games.KuhnPoker(encoder=GuessView()), "incompatible encoder: 'guess_view'"),
        (lambda: rf.games.LeducPoker(encoder=GuessView()), "incompatible encoder: 'guess_view'"),
        (lambda: rf.games.LiarsDice(encoder=GuessView()), "incompatible encoder: 'guess_view'"),
    ],
)
def test_refused_arguments(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_negative_numbers_overflow_and_others_are_type_errors():
    for make in (rf.games.KuhnPoker, rf.games.LiarsDice):
        with pytest.raises(OverflowError, match="must not be negative"):
            make(-1)
        with pytest.raises(TypeError, match="must be an int"):
            make(2.0)


@pytest.mark.lanes
def test_a_split_pot_is_reported_as_nothing_won():
    env = rf.Env(rf.games.LeducPoker(), rf.Reward(), seed=0)
    seed = 0
    while len({card // 2 for card in env.state()["cards"]}) == 2:
        seed += 1
        env.reset(seed=seed)
    assert [env.step({player: 1}) for player in (0, 1, 0)] == [[], [], []]
    assert env.step({1: 1}) == [(0, 0.0), (1, 0.0)]
    assert env.rewards == [0.0, 0.0]
    assert env.done()


@pytest.mark.lanes
def test_the_weight_scales_the_chips():
    env = rf.Env(rf.games.KuhnPoker(players=3), rf.Reward(scale=0.5), seed=1)
    for player in range(2):
        assert env.step({player: 0}) == []
    assert env.step({2: 1}) == []
    assert env.step({0: 0}) == []
    assert env.step({1: 0}) == [(0, -1.0), (1, -1.0), (2, 2.0)]
    assert env.rewards == [-0.5, -0.5, 1.0]


@pytest.mark.parametrize(
    ("game", "text"),
    [
        (rf.games.KuhnPoker(), "cards -, actions -"),
        (rf.games.LeducPoker(), "cards -, open -, actions - / -, pot 2"),
        (rf.games.LiarsDice(), "dice - | -, bids -"),
    ],
)
def test_drawings_before_the_deal(game, text):
    lane = GameLane(game, plain=False)
    assert game.text(lane.record(lane.initial())) == text


@pytest.mark.lanes
@pytest.mark.parametrize("name", TWINS)
def test_the_contract_holds(name):
    game = TWINS[name][0]
    rf.testing.check_game(game, ticks=200, plain_ticks=30)


# ---- damaged states ----


def after(lane, outcomes, actions):
    """Return the state after some draws and decisions, in that order where both are possible."""
    state, outcomes, actions = lane.initial(), list(outcomes), list(actions)
    while outcomes or actions:
        turn = lane.actor(state)
        if turn == CHANCE:
            state, _ = lane.resolve_chance(state, outcomes.pop(0))
        else:
            state, _ = lane.step(state, joint_of(lane, turn, actions.pop(0)))
    return state


KUHN = (rf.games.KuhnPoker(players=3), (0, 1, 0), (0, 1, 0))
LEDUC = (rf.games.LeducPoker(), (4, 0, 2), (1, 2, 1, 2))
DICE = (rf.games.LiarsDice(dice=2, sides=3), (1, 0, 2, 1), (1, 4))


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("game", "field", "content", "index"),
    [
        (KUHN, "cards", 0, 1),
        (KUHN, "cards", -1, 0),
        (KUHN, "cards", 4, 0),
        (KUHN, "history", 2, 0),
        (KUHN, "history", -1, 2),
        (KUHN, "history", 1, 0),
        (KUHN, "history", 1, 4),
        (KUHN, "dealt", 2, ...),
        (KUHN, "length", 5, ...),
        (KUHN, "length", 6, ...),
        (KUHN, "length", -1, ...),
        (KUHN, "first_bet", 0, ...),
        (KUHN, "first_bet", 1, ...),
        (LEDUC, "cards", 4, 1),
        (LEDUC, "cards", 6, 2),
        (LEDUC, "cards", -1, 0),
        (LEDUC, "dealt", 2, ...),
        (LEDUC, "dealt", 1, ...),
        (LEDUC, "dealt", 4, ...),
        (LEDUC, "paid", 5, 0),
        (LEDUC, "paid", 5, 1),
        (LEDUC, "history", 0, (0, 0)),
        (LEDUC, "history", 3, (0, 1)),
        (LEDUC, "history", -1, (1, 0)),
        (LEDUC, "history", 1, (1, 1)),
        (LEDUC, "history", 0, (0, 2)),
        (LEDUC, "history", [1, 2, 2, 1], 0),
        (LEDUC, "lengths", 2, 0),
        (LEDUC, "lengths", 4, 0),
        (LEDUC, "lengths", 5, 1),
        (LEDUC, "lengths", -1, 1),
        (LEDUC, "betting_round", 0, ...),
        (LEDUC, "betting_round", 2, ...),
        (LEDUC, "done", 1, ...),
        (DICE, "bids", 2, 1),
        (DICE, "bids", 1, 0),
        (DICE, "bids", 1, 11),
        (DICE, "dice", 0, (0, 0)),
        (DICE, "dice", 3, (0, 0)),
        (DICE, "dice", 4, (1, 1)),
        (DICE, "rolled", 3, ...),
        (DICE, "ply", 1, ...),
        (DICE, "highest", 2, ...),
        (DICE, "highest", 13, ...),
        (DICE, "done", 2, ...),
        (DICE, "done", -1, ...),
    ],
)
def test_damaged_states_are_refused(game, field, content, index):
    rules, outcomes, actions = game
    lane = GameLane(rules, plain=plain_python())
    state = after(lane, outcomes, actions)
    assert lane.valid(state) == 1
    assert lane.valid(damaged(lane, state, field, content, index)) == 0


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("outcomes", "actions", "field", "content", "index"),
    [
        ((4, 0), (2, 0), "done", 0, ...),  # a fold ends the game
        ((4, 0), (2, 0), "lengths", 1, 1),
        ((4, 0), (2, 0), "history", 1, (1, 0)),
        ((4, 0), (1,), "history", 0, (0, 0)),  # nothing to fold against
        ((4, 0), (1, 2, 2), "history", 2, (0, 0)),  # three raises
        ((4, 0, 1), (1, 1, 1, 1), "done", 0, ...),
    ],
)
def test_betting_that_cannot_happen_is_refused(outcomes, actions, field, content, index):
    lane = GameLane(rf.games.LeducPoker(), plain=plain_python())
    state = after(lane, outcomes, actions)
    assert lane.valid(state) == 1
    assert lane.valid(damaged(lane, state, field, content, index)) == 0


@pytest.mark.lanes
def test_dice_are_shown_in_order():
    lane = GameLane(rf.games.LiarsDice(dice=3, sides=6), plain=plain_python())
    one, other = (after(lane, rolls, ()) for rolls in ((5, 0, 3, 2, 2, 1), (3, 5, 0, 1, 2, 2)))
    assert np.array_equal(one, other)
    assert lane.record(one).dice.tolist() == [[1, 4, 6], [2, 3, 3]]
