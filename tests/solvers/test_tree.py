"""Games as flat arrays: how much there is of them, and what is refused."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.contracts.rules import CHANCE, TERMINAL
from rinforza.solvers.tree import Composition, GameTree
from tests.naive.cfr import histories
from tests.testing.toys import Guess
from tests.toys.whispers import Whispers


def tree_of(game, most_nodes=4_000_000):
    return GameTree(Composition(game), most_nodes)


# ---- numbers from outside ----


@pytest.mark.parametrize(
    ("players", "deals", "betting_ends", "information_states"),
    [(2, 6, 5, 12), (3, 24, 13, 48), (4, 120, 33, 160), (5, 720, 81, 480), (6, 5040, 193, 1344)],
)
def test_kuhn_poker(players, deals, betting_ends, information_states):
    tree = tree_of(rf.games.KuhnPoker(players))
    assert len(tree.leaf_utilities) == deals * betting_ends
    assert tree.sets.rows == len(tree.sightings) == information_states
    assert tree.nodes[0]["player"] == CHANCE
    assert tree.nodes[0]["count"] == deals  # the chain of draws is one node


def test_leduc_poker():
    tree = tree_of(rf.games.LeducPoker())
    turns = tree.nodes["player"]
    assert (turns >= 0).sum() == 3780
    assert (turns == CHANCE).sum() == 157 - 6  # the second draw is part of the first
    assert (turns == TERMINAL).sum() == len(tree.leaf_utilities) == 5520
    assert tree.sets.rows == 936
    assert tree.n_sequences == 1093 * 2


def test_liars_dice():
    tree = tree_of(rf.games.LiarsDice())
    assert tree.sets.rows == 24_576
    assert (tree.nodes["player"] == TERMINAL).sum() == 36 * (2**12 - 1)
    assert (tree.nodes["player"] >= 0).sum() == 36 * 2**12


def test_what_is_too_large():
    assert len(tree_of(rf.games.KuhnPoker(), 55).nodes) == 55
    with pytest.raises(ValueError, match="has more than 54 histories"):
        tree_of(rf.games.KuhnPoker(), 54)
    with pytest.raises(ValueError, match="has more than 4,000,000 histories"):
        tree_of(rf.games.KuhnPoker(players=7))


# ---- the twin ----


@pytest.mark.lanes
@pytest.mark.parametrize(("seed", "players"), [(0, 2), (1, 3), (9, 1)])
def test_the_same_histories_as_the_twins(seed, players):
    """Both list them in another order; chains of chance nodes are one node here."""
    game = Whispers(seed, players, longest=5)
    tree, root = tree_of(game), histories(game)
    assert leaves_of(tree) == pytest.approx(naive_leaves(root))
    rows = {history.key: history for history in root.walk() if history.key}
    assert {tree.sets.key(row) for row in range(tree.sets.rows)} == set(rows)
    for key, history in rows.items():
        row = tree.sets.find(key)
        assert tree.sets.player(row) == history.turn
        assert tree.sets.actions(row) == tuple(history.actions)
        assert tree.observation(row).reshape(-1).tolist() == [len_of(key), history.turn]


def len_of(key):
    """The ply, which is the second byte of what a player of whispers knows."""
    return key[1]


def leaves_of(tree):
    """Return (probability of chance, utilities) of all ends, sorted."""
    found = []

    def walk(node, chance):
        record = tree.nodes[node]
        if record["player"] == TERMINAL:
            found.append([chance, *tree.leaf_utilities[record["row"]]])
        below = 0.0
        for child in range(record["first_child"], record["first_child"] + record["count"]):
            odds = 1.0
            if record["player"] == CHANCE:
                odds, below = tree.cumulative[child] - below, tree.cumulative[child]
            walk(child, chance * odds)

    walk(0, 1.0)
    return np.array(sorted(np.round(found, 9).tolist()))


def naive_leaves(root):
    found = []

    def walk(history, chance):
        if history.turn == TERMINAL:
            found.append([chance, *history.paid])
        for index, child in enumerate(history.children):
            walk(child, chance * (history.odds[index] if history.odds else 1.0))

    walk(root, 1.0)
    return np.array(sorted(np.round(found, 9).tolist()))


@pytest.mark.lanes
@pytest.mark.parametrize(("seed", "players"), [(4, 2), (9, 3), (10, 1)])
def test_sequences_fit_together(seed, players):
    tree = tree_of(Whispers(seed, players))
    starts = tree.sequence_starts
    assert starts[0] == 0
    assert starts[-1] == tree.n_sequences
    for player in range(players):
        mine = tree.sightings[tree.sighting_starts[player] : tree.sighting_starts[player + 1]]
        expected = starts[player] + 1
        for sighting in mine:
            assert tree.sets.player(sighting["row"]) == player
            assert sighting["first_sequence"] == expected
            assert starts[player] <= sighting["parent_sequence"] < expected  # parents come first
            expected += sighting["count"]
        assert expected == starts[player + 1]
        own = tree.leaf_sequences[:, player]
        assert ((own >= starts[player]) & (own < starts[player + 1])).all()
    assert len(np.unique(tree.leaf_sequences, axis=0)) == len(tree.leaf_sequences)


@pytest.mark.lanes
def test_who_forgets_has_more_sightings_than_information_states():
    assert tree_of(Whispers(1, 2)).has_perfect_recall
    forgetful = tree_of(Whispers(1, 2, forgetful=True))
    assert not forgetful.has_perfect_recall
    assert len(forgetful.sightings) > forgetful.sets.rows
    assert tree_of(Guess(rounds=1)).has_perfect_recall
    assert not tree_of(Guess(rounds=2)).has_perfect_recall


# ---- what is refused ----


class Vague(Guess):
    """Player 1 cannot tell its own turn from the other's."""

    def information_state(self, state, player, out):
        return 1


class Anonymous(rf.games.KuhnPoker):
    """A card and the actions, but not whose card it is."""

    def information_state(self, state, player, out):
        out[0] = state.cards[player]
        return 1


class Stuck(Guess):
    """The guesser has no action."""

    def legal_actions(self, state, player, out):
        if player == 0:
            out[0] = 1
            return 1 if state.phase == 1 else 0
        return 0


class Unlisted(Guess):
    """A chance node that only draws."""

    most_outcomes = 1

    def chance(self, state, probabilities):
        return 0


class Nobody(Guess):
    """All at once in a game that claims to be sequential."""

    def actor(self, state):
        return -2


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("game", "message"),
    [
        (Vague, "same bytes for different players or legal actions"),
        (Anonymous, "same bytes for different players or legal actions"),
        (Stuck, "a player is to move and has no legal action"),
        (Unlisted, "has a chance node that cannot be listed"),
        (Nobody, "its actor is neither a player nor CHANCE nor TERMINAL"),
    ],
)
def test_broken_games_are_refused(game, message):
    with pytest.raises(ValueError, match=message):
        tree_of(game())


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (
            rf.games.TicTacToe(),
            "solvers need information states, and 'tictactoe' defines no information_state",
        ),
        (rf.games.Snake(), "solvers need a sequential game, and 'snake' is simultaneous"),
    ],
)
def test_games_that_do_not_fit(game, message):
    with pytest.raises(ValueError, match=message):
        Composition(game)


@pytest.mark.parametrize("thing", [rf.games.KuhnPoker, "kuhn_poker", None])
def test_what_is_no_game_is_a_type_error(thing):
    with pytest.raises(TypeError, match="game must be a Game"):
        Composition(thing)
