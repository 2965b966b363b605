"""What `DeepCfr` takes, answers and refuses, and what a failed collection leaves behind."""

import itertools
import json
import threading

import numpy as np
import pytest

import rinforza as rf
from rinforza.contracts.telemetry import Telemetry
from rinforza.solvers import DeepCfr, DeepCfrBatch, deep_cfr_collection, exploitability
from tests.solvers.test_deep_cfr_sampling import ARRAYS, advantages, check_equal
from tests.testing.toys import Guess
from tests.toys.lottery import Lottery
from tests.toys.whispers import Whispers, turn_of

GAME = rf.games.KuhnPoker()


def zeros(obs):
    return np.zeros((len(obs), 2), np.float32)


TELEMETRY = {
    "player",
    "traversals",
    "advantage_samples",
    "strategy_samples",
    "infer_calls",
    "infer_rows",
    "infer_seconds",
    "collect_seconds",
    "cache_lookups",
    "cache_hits",
}


def ready(game=GAME, seed=1):
    """A solver in its first iteration."""
    solver = DeepCfr(game, seed)
    solver.next_iteration()
    return solver


@pytest.mark.lanes
def test_iterations():
    solver = DeepCfr(GAME)
    assert (solver.iteration, solver.num_players) == (0, 2)
    with pytest.raises(ValueError, match=r"call next_iteration\(\) before collecting"):
        solver.collect(0, 1, zeros)
    for number in (1, 2, 3):
        assert solver.next_iteration() is None
        assert solver.iteration == number
        batch = solver.collect(player=1, traversals=2, infer=zeros)
        assert set(batch.advantage_iterations) == set(batch.strategy_iterations) == {number}
    with pytest.raises(AttributeError):
        solver.iteration = 7


def test_the_configuration():
    config = DeepCfr(rf.games.LeducPoker(), 7).resolved_config()
    assert config == {
        "schema": 1,
        "solver": {"name": "deep_cfr", "seed": 7},
        "game": {"name": "leduc_poker", "encoder": {"name": "leduc_poker"}},
        "reward": {"scale": 1.0},
    }
    assert json.loads(json.dumps(config)) == config


@pytest.mark.lanes
def test_the_batch():
    batch = ready().collect(0, 5, zeros)
    assert isinstance(batch, DeepCfrBatch)
    assert isinstance(batch.telemetry, Telemetry)
    assert set(batch.telemetry) == TELEMETRY
    assert "callback_share" in batch.telemetry.scalars()
    assert repr(batch).startswith("DeepCfrBatch(advantage_obs=(5, 6), advantage_iterations=(5,), ")
    mask, targets = batch.advantage_legal_mask(), batch.dense_targets()
    assert mask.shape == targets.shape == (5, 2)
    assert mask.all()
    assert (targets.dtype, batch.dense_probs().dtype) == (np.float32, np.float32)
    np.testing.assert_array_equal(targets.reshape(-1), batch.advantage_targets.astype(np.float32))
    np.testing.assert_array_equal(batch.dense_probs().sum(1), 1.0)


@pytest.mark.lanes
def test_dense_arrays_are_zero_where_an_action_is_not_legal():
    game = rf.games.LeducPoker()
    batch = ready(game).collect(0, 5, advantages(game))
    mask, probs = batch.strategy_legal_mask(), batch.dense_probs()
    assert 0 < mask.sum() < mask.size
    assert not probs[~mask].any()
    for row, (low, high) in enumerate(itertools.pairwise(batch.strategy_legal_offsets)):
        expected = batch.strategy_probs[low:high].astype(np.float32)
        np.testing.assert_array_equal(probs[row, batch.strategy_legal_ids[low:high]], expected)
    np.testing.assert_array_equal(batch.strategy_legal_mask([3, 1]), mask[[3, 1]])


@pytest.mark.lanes
def test_no_traversals_give_an_empty_batch():
    solver = ready()
    batch = solver.collect(0, 0, zeros)
    assert batch.advantage_obs.shape == batch.strategy_obs.shape == (0, 6)
    assert batch.advantage_legal_offsets.tolist() == batch.strategy_legal_offsets.tolist() == [0]
    assert batch.dense_targets().shape == (0, 2)
    assert batch.telemetry["infer_calls"] == 0
    check_equal(solver.collect(0, 3, zeros), ready().collect(0, 3, zeros))


@pytest.mark.lanes
def test_seeds():
    game = rf.games.LeducPoker()
    first, second = ready(game, 4), ready(game, 4)
    batch = first.collect(0, 4, advantages(game))
    check_equal(batch, second.collect(0, 4, advantages(game)))
    other, later = ready(game, 5).collect(0, 4, advantages(game)), first.collect(0, 4, advantages(game))
    for different in (other, later):
        same = [np.array_equal(getattr(batch, name), getattr(different, name)) for name in ARRAYS]
        assert not all(same)


@pytest.mark.lanes
def test_a_collection_is_the_sum_of_its_parts():
    game = rf.games.LeducPoker()
    whole = ready(game).collect(0, 9, advantages(game))
    solver = ready(game)
    parts = [solver.collect(0, count, advantages(game)) for count in (4, 0, 5)]
    for name in ("advantage_obs", "advantage_targets", "strategy_obs", "strategy_probs"):
        together = np.concatenate([getattr(part, name) for part in parts])
        np.testing.assert_array_equal(together, getattr(whole, name))


# ---- what is refused ----


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"game": "kuhn_poker"}, TypeError, "game must be a Game"),
        ({"game": rf.games.Connect4()}, ValueError, "solvers need information states"),
        ({"game": Lottery(2)}, ValueError, "solvers need information states"),
        ({"game": rf.games.Snake()}, ValueError, "solvers need a sequential game"),
        ({"game": GAME, "seed": -1}, OverflowError, "seed must not be negative"),
        ({"game": GAME, "seed": 1 << 64}, OverflowError, "seed"),
        ({"game": GAME, "seed": 1.0}, TypeError, "seed must be an int"),
    ],
)
def test_constructor_arguments(arguments, error, words):
    with pytest.raises(error, match=words):
        DeepCfr(**arguments)


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"player": 2}, ValueError, "player must be <= 1"),
        ({"player": -1}, OverflowError, "player must not be negative"),
        ({"player": "0"}, TypeError, "player must be an int"),
        ({"traversals": -1}, OverflowError, "traversals must not be negative"),
        ({"traversals": 2.0}, TypeError, "traversals must be an int"),
        ({"infer": 5}, TypeError, "infer must be a callable or a sequence of 2 callables, got int"),
        ({"infer": [zeros]}, ValueError, "expected 2 per-player infer callables, got 1"),
        ({"infer": [zeros, 3]}, TypeError, r"infer\[1\] must be callable, got int"),
    ],
)
def test_collect_arguments(changed, error, words):
    with pytest.raises(error, match=words):
        ready().collect(**{"player": 0, "traversals": 2, "infer": zeros, **changed})


ANSWERS = [
    (lambda rows: [1.0], TypeError, "output must be a float64 or float32 ndarray; got type list"),
    (lambda rows: np.zeros(rows), TypeError, "output must be a 2-d ndarray; got 1-d"),
    (lambda rows: np.zeros((rows, 1, 2)), TypeError, "output must be a 2-d ndarray; got 3-d"),
    (lambda rows: np.zeros((rows, 2), np.int64), TypeError, "float32 ndarray; got dtype int64"),
    (lambda rows: np.zeros((rows, 2), np.float16), TypeError, "float32 ndarray; got dtype float16"),
    (lambda rows: np.zeros((rows, 3)), ValueError, r"returned shape \(\d+, 3\); expected .* per query"),
    (lambda rows: np.zeros((rows + 1, 2)), ValueError, r"returned shape \(\d+, 2\); expected .* per query"),
    (lambda rows: np.full((rows, 2), np.nan), ValueError, "outputs must contain only finite values"),
    (lambda rows: np.full((rows, 2), -np.inf, np.float32), ValueError, "must contain only finite values"),
]


@pytest.mark.parametrize(("answer", "error", "words"), ANSWERS)
def test_wrong_answers(answer, error, words):
    solver = ready()
    with pytest.raises(error, match=words):
        solver.collect(0, 3, lambda obs: answer(len(obs)))
    with pytest.raises(error, match=words):
        solver.exploitability(lambda obs: answer(len(obs)))


def test_the_words_of_the_messages():
    for answer, words in (
        (np.zeros((1, 5)), "infer returned shape (1, 5); expected (1, 2), one row of 2 advantages per query"),
        (np.array([[0.0, np.inf]]), "Deep CFR infer outputs must contain only finite values"),
    ):
        with pytest.raises(ValueError, match=r"shape|finite") as caught:
            ready().collect(0, 1, lambda obs, answer=answer: answer)
        assert str(caught.value) == words


@pytest.mark.lanes
@pytest.mark.parametrize("convert", [np.asfortranarray, lambda a: a.astype(">f8"), lambda a: a.astype("f4")])
def test_answers_of_any_layout_are_read(convert):
    def infer(obs):
        return advantages(GAME, dtype=np.float32)(obs).astype(np.float64)

    expected = ready().collect(0, 9, infer)
    check_equal(ready().collect(0, 9, lambda obs: convert(infer(obs))), expected)


# ---- failures ----


@pytest.mark.lanes
def test_a_failure_at_any_call_rolls_the_sampling_back():
    game = rf.games.LeducPoker()
    solver, untouched = ready(game), ready(game)
    for _ in range(2):
        expected = untouched.collect(1, 2, advantages(game))
        for failing in range(expected.telemetry["infer_calls"]):
            calls = iter(range(1000))

            def infer(obs, failing=failing, calls=calls):
                if next(calls) == failing:
                    raise KeyError("mine")
                return advantages(game)(obs)

            with pytest.raises(KeyError, match="mine"):
                solver.collect(1, 2, infer)
        check_equal(solver.collect(1, 2, advantages(game)), expected)


def test_one_collection_at_a_time():
    solver = ready()
    errors = []

    def infer(obs):
        with pytest.raises(RuntimeError, match="collecting already"):
            solver.collect(0, 1, zeros)
        thread = threading.Thread(target=lambda: errors.append(solver.exploitability(zeros)))
        thread.start()
        thread.join()
        return zeros(obs)

    solver.collect(0, 1, infer)
    assert len(errors) >= 1
    solver.collect(0, 1, zeros)


class Ambiguous(Whispers):
    """The bytes tell nothing."""

    name = "whispers"

    def information_state(self, state, player, out):
        out[0] = 0
        return 1


class Stuck(Whispers):
    """Nobody ever has a legal action."""

    name = "whispers"

    def legal_actions(self, state, player, out):
        return 0


class Lost(Whispers):
    """Nobody's turn."""

    name = "whispers"

    def actor(self, state):
        return -7 if state.ply == 2 else turn_of(self, state)


class Endless(Whispers):
    """The first player moves on and on."""

    name = "whispers"

    def actor(self, state):
        return 0

    def step(self, state, actions, events):
        state.ply += 1

    def legal_actions(self, state, player, out):
        out[0] = 0
        return 1


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (Ambiguous(2, 2), "gives the same bytes for different players or legal actions"),
        (Stuck(2, 2), "a player is to move and has no legal action"),
        (Lost(2, 2), "its actor is neither a player nor CHANCE nor TERMINAL"),
    ],
)
def test_games_that_break_their_contract(game, words):
    with pytest.raises(ValueError, match=f"breaks the Game contract: .*{words}; .*check_game"):
        ready(game).collect(0, 50, advantages(game))


def test_games_that_do_not_end(monkeypatch):
    monkeypatch.setattr(deep_cfr_collection, "MOST_PLIES", 12)
    for player in (0, 1):
        with pytest.raises(ValueError, match=r"a game of Endless.* was not over after 12 moves"):
            ready(Endless(2, 2)).collect(player, 5, advantages(Endless(2, 2)))


# ---- exploitability ----


@pytest.mark.lanes
def test_exploitability_asks_once_and_normalises_what_is_positive():
    game = rf.games.KuhnPoker()
    seen = []

    def scores(obs):
        seen.append(obs)
        return advantages(game)(obs)

    found = DeepCfr(game).exploitability(scores)
    assert len(seen) == 1
    assert seen[0].shape == (12, 6)
    assert len({row.tobytes() for row in seen[0]}) == 12

    def policy(state):
        positive = np.maximum(advantages(game)(state.observation.reshape(1, -1))[0], 0.0).astype(np.float64)
        return positive / positive.sum() if positive.any() else None

    assert found == pytest.approx(exploitability(game, policy))
    assert found != pytest.approx(0.458333, abs=0.01)


@pytest.mark.parametrize("score", [0.0, -3.0, 5.0, 1e308])
def test_scores_that_are_all_alike_are_the_uniform_policy(score):
    solver = DeepCfr(GAME)
    assert solver.exploitability(lambda obs: np.full((len(obs), 2), score)) == pytest.approx(0.4583333)


def test_scores_are_network_columns():
    """A policy of a renumbering encoder, column by column, is that of the game's own actions."""
    game = Guess(rounds=1)

    def scores(obs):
        return advantages(game)(obs) + 1.0

    def policy(state):
        columns = [(action + state.player) % 4 for action in state.actions]
        own = scores(state.observation.reshape(1, -1))[0, columns].astype(np.float64)
        return own / own.sum()

    assert DeepCfr(game).exploitability(scores) == pytest.approx(exploitability(game, policy))


def test_exploitability_refuses_what_it_cannot_do():
    with pytest.raises(TypeError, match="policy_infer must be callable, got list"):
        DeepCfr(GAME).exploitability([zeros, zeros])
    with pytest.raises(ValueError, match="imperfect recall"):
        DeepCfr(Whispers(1, 2, forgetful=True)).exploitability(lambda obs: np.zeros((len(obs), 6)))
