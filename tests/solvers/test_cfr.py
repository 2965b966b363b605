"""What `Cfr` takes, answers and refuses; how it is saved and loaded."""

import threading

import numpy as np
import pytest

import rinforza as rf
from rinforza.contracts.envelope import DIGEST_SIZE
from rinforza.solvers import Cfr, saving
from rinforza.solvers.cfr import VARIANTS
from tests.testing.toys import Guess
from tests.toys.whispers import Whispers

SAMPLED = ["external_mccfr", "outcome_mccfr"]
KINDS = [*((variant, {}) for variant in VARIANTS), *((variant, {"most_histories": 9}) for variant in SAMPLED)]


def test_the_variants():
    assert set(VARIANTS) == {"vanilla", "plus", "linear", "dcfr", "predictive_plus", *SAMPLED}
    assert Cfr(rf.games.KuhnPoker()).variant == "plus"


@pytest.mark.lanes
@pytest.mark.parametrize(("variant", "options"), KINDS)
def test_before_the_first_iteration(variant, options):
    solver = Cfr(rf.games.KuhnPoker(), variant, **options)
    assert (solver.iterations, solver.num_infosets, solver.num_players) == (0, 0, 2)
    assert solver.average_strategy(b"\x00\x02") is None
    if not options:
        assert solver.exploitability() == pytest.approx(0.4583333)
        assert solver.expected_value(0) == pytest.approx(0.125)
    solver.iterate(0)
    assert (solver.iterations, solver.num_infosets) == (0, 0)


@pytest.mark.lanes
@pytest.mark.parametrize(("variant", "options"), KINDS)
def test_average_strategies(variant, options):
    solver = Cfr(rf.games.KuhnPoker(), variant, **options)
    solver.iterate(80)
    assert solver.iterations == 80
    assert solver.num_infosets == 12
    actions, probabilities = solver.average_strategy(b"\x00\x02")
    assert actions == [0, 1]
    assert type(probabilities) is list
    assert sum(probabilities) == pytest.approx(1.0)
    for key in (b"", b"\x00", b"\x00\x02\x00", b"\x02\x00", bytes(100)):
        assert solver.average_strategy(key) is None


def test_the_keys_are_those_of_environments():
    game = rf.games.LeducPoker()
    solver = Cfr(game, "plus")
    solver.iterate(1)
    env = rf.Env(game, seed=3)
    while not env.done():
        mover = env.active_agents()[0]
        actions, _ = solver.average_strategy(env.information_state_key(mover))
        assert actions == env.legal_actions(mover)
        env.step({mover: actions[-1]})


def test_any_game_that_keeps_the_contract_is_solved():
    """The first player can hide its card, so the other is right once in three times; a hint costs a quarter."""
    solver = Cfr(Guess(rounds=1), "plus")
    solver.iterate(2000)
    assert solver.exploitability() < 1e-3
    assert solver.expected_value(0) == pytest.approx(2 / 3 - 1 / 3 - 1 / 4, abs=2e-3)
    assert solver.expected_value(1) == pytest.approx(1 / 3 - 2 / 3, abs=2e-3)


@pytest.mark.lanes
def test_a_game_of_one_player_is_a_decision_problem():
    solver = Cfr(Whispers(6, 1, longest=5), "plus")
    solver.iterate(40)
    assert solver.expected_value(0) == pytest.approx(solver.best_response_values()[0], abs=0.05)


# ---- arguments ----


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda game: Cfr(game, "chance_sampling"),
            "variant must be one of 'vanilla', 'plus', .* got 'chance",
        ),
        (
            lambda game: Cfr(game, "plus", alpha=1.0),
            "alpha is a parameter of 'dcfr', not of the variant 'plus'",
        ),
        (lambda game: Cfr(game, "dcfr", exploration=0.5), "exploration is a parameter of 'outcome_mccfr'"),
        (lambda game: Cfr(game, "dcfr", gamma=-0.1), "gamma must be >= 0, got -0.1"),
        (lambda game: Cfr(game, "dcfr", alpha=21), "alpha must be <= 20, got 21"),
        (lambda game: Cfr(game, "dcfr", beta=float("nan")), "beta must be finite"),
        (lambda game: Cfr(game, "outcome_mccfr", exploration=0), "exploration must be > 0, got 0"),
        (lambda game: Cfr(game, "outcome_mccfr", exploration=1.5), "exploration must be <= 1, got 1.5"),
        (lambda game: Cfr(game, most_histories=1 << 31), "most_histories must be <= 2147483647"),
        (
            lambda game: Cfr(rf.games.KuhnPoker(players=7)),
            "has more than 4,000,000 histories .* sampled variants",
        ),
        (lambda game: Cfr(game, "vanilla", most_histories=54), "has more than 54 histories"),
        (lambda game: Cfr(rf.games.Connect4()), "solvers need information states"),
        (lambda game: Cfr(rf.games.Snake(), "external_mccfr"), "solvers need a sequential game"),
    ],
)
def test_values_that_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make(rf.games.KuhnPoker())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda game: Cfr("kuhn_poker"), "game must be a Game, got str"),
        (lambda game: Cfr(game, 3), "variant must be a str"),
        (lambda game: Cfr(game, seed=1.5), "seed must be an int"),
        (lambda game: Cfr(game, "dcfr", alpha="1"), "alpha must be a float"),
        (lambda game: Cfr(game).iterate(1.0), "n must be an int"),
        (lambda game: Cfr(game).iterate(True), "n must be an int"),
        (lambda game: Cfr(game).average_strategy("key"), "key must be bytes, got str"),
        (lambda game: Cfr(game).expected_value(None), "player must be an int"),
        (lambda game: Cfr(game).load("saved"), "data must be bytes, got str"),
    ],
)
def test_types_that_are_refused(make, message):
    with pytest.raises(TypeError, match=message):
        make(rf.games.KuhnPoker())


def test_numbers_that_overflow():
    solver = Cfr(rf.games.KuhnPoker())
    for call in (
        lambda: solver.iterate(-1),
        lambda: solver.expected_value(-1),
        lambda: Cfr(solver.game, seed=-1),
    ):
        with pytest.raises(OverflowError, match="must not be negative"):
            call()
    with pytest.raises(OverflowError, match="seed must fit in 64 bits"):
        Cfr(solver.game, seed=1 << 64)
    with pytest.raises(ValueError, match="player must be <= 1, got 2"):
        solver.expected_value(2)
    assert solver.iterations == 0


# ---- saving and loading ----


@pytest.mark.lanes
@pytest.mark.parametrize(("variant", "options"), KINDS)
@pytest.mark.parametrize("before", [2, 30])
def test_a_loaded_solver_goes_on_as_the_saved_one(before, variant, options):
    game = Whispers(3, 2)
    solver, other = Cfr(game, variant, 1, **options), Cfr(game, variant, 2, **options)
    solver.iterate(7)
    other.iterate(before)
    other.load(solver.save())
    assert (other.iterations, other.num_infosets) == (7, solver.num_infosets)
    assert other.save() == solver.save()
    solver.iterate(5)
    other.iterate(5)
    assert other.save() == solver.save()


@pytest.mark.lanes
@pytest.mark.parametrize(("variant", "options"), KINDS)
def test_damage_is_refused_and_changes_nothing(variant, options):
    solver = Cfr(rf.games.KuhnPoker(), variant, **options)
    solver.iterate(5)
    saved = solver.save()
    solver.iterate(2)
    before = solver.save()
    generator = np.random.default_rng(0)
    damaged = [saved[:cut] for cut in (0, 10, 60, len(saved) // 2, len(saved) - 1)]
    damaged += [saved + b"\0", saved[:-DIGEST_SIZE], b"junk", bytes(500)]
    for place in generator.integers(0, len(saved), 20).tolist():
        damaged.append(saved[:place] + bytes([saved[place] ^ 4]) + saved[place + 1 :])
    for data in damaged:
        with pytest.raises(ValueError, match="invalid Cfr: "):
            solver.load(data)
    assert solver.save() == before


@pytest.mark.lanes
@pytest.mark.parametrize(
    "other",
    [
        lambda: Cfr(rf.games.KuhnPoker(), "vanilla"),
        lambda: Cfr(rf.games.KuhnPoker(players=3), "plus"),
        lambda: Cfr(rf.games.LiarsDice(sides=2), "plus"),
    ],
)
def test_another_composition_is_refused(other):
    with pytest.raises(ValueError, match="invalid Cfr: it was saved by another composition"):
        Cfr(rf.games.KuhnPoker(), "plus").load(other().save())


def test_parameters_belong_to_the_composition_and_the_seed_does_not():
    game = rf.games.KuhnPoker()
    Cfr(game, "outcome_mccfr", 1).load(Cfr(game, "outcome_mccfr", 2).save())
    with pytest.raises(ValueError, match="another composition"):
        Cfr(game, "outcome_mccfr").load(Cfr(game, "outcome_mccfr", exploration=0.5).save())
    with pytest.raises(ValueError, match="another composition"):
        Cfr(game, "dcfr").load(Cfr(game, "dcfr", beta=-1).save())


def resealed(solver, **changes):
    """Return what a solver saves with some arrays changed, sealed again as if nothing were wrong."""
    arrays = {name: array.copy() for name, array in solver._solver.saved().items()}
    for name, change in changes.items():
        arrays[name] = change(arrays[name])
    return saving.to_bytes(solver._fingerprint, arrays)


def put(place, value):
    """Return a function that changes one element."""

    def change(array):
        array[place] = value
        return array

    return change


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("variant", "changes", "problem"),
    [
        ("plus", {"regrets": put(0, np.nan)}, "regrets is not finite throughout"),
        ("plus", {"averages": put(3, np.inf)}, "averages is not finite throughout"),
        ("plus", {"averages": put(3, -1.0)}, "the weight of an action is negative"),
        ("plus", {"strategy": put(0, -0.5)}, "a probability is negative"),
        ("plus", {"strategy": put(0, 0.9)}, "do not add up to 1"),
        ("plus", {"strategy": lambda array: array[:-2]}, "another number of strategy"),
        ("plus", {"progress": put(0, -1)}, "its iteration is negative"),
        ("plus", {"progress": lambda array: array[:0]}, "its iteration is negative"),
        ("plus", {"regrets": lambda array: array.astype(np.int64)}, "it has other tables"),
        ("external_mccfr", {"visited": put(0, 2)}, "does not say of each information state"),
        ("external_mccfr", {"visited": lambda array: array[:-1]}, "does not say of each information state"),
        ("external_mccfr", {"regrets": lambda array: array[:-1]}, "another number of actions"),
        ("external_mccfr", {"stream": lambda array: array[:1]}, "its stream is none"),
        ("external_mccfr", {"averages": put(0, -1.0)}, "the weight of an action is negative"),
    ],
)
def test_nonsense_in_good_order_is_refused(variant, changes, problem):
    solver = Cfr(rf.games.KuhnPoker(), variant)
    solver.iterate(5)
    before = solver.save()
    with pytest.raises(ValueError, match=problem):
        solver.load(resealed(solver, **changes))
    assert solver.save() == before


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"players": lambda array: array[:-1]}, "its tables have different lengths"),
        ({"keys": lambda array: array[:-8]}, "its tables have different lengths"),
        ({"lengths": put(0, 0)}, "its lengths are not all from 1 to 5"),
        ({"lengths": put(0, 6)}, "its lengths are not all from 1 to 5"),
        ({"players": put(1, 2)}, "its players are not all from 0 to 1"),
        ({"counts": put(1, 0)}, "its counts are not all from 1 to 2"),
        ({"counts": put(1, 1)}, "another number of actions than its rows"),
        ({"actions": put(0, 2)}, "its actions are not all from 0 to 1"),
        ({"actions": put(0, 1)}, "the actions of a row are not ascending"),
        ({"keys": put(7, 1)}, "a key has bytes beyond its length"),
        (
            {"keys": lambda array: np.concatenate([array[8:16], array[8:]]), "lengths": put(0, 3)},
            "twice|beyond",
        ),
        ({"regrets": lambda array: array[:-1]}, "another number of actions"),
    ],
)
def test_impossible_information_states_are_refused(changes, problem):
    solver = Cfr(rf.games.KuhnPoker(), "external_mccfr", most_histories=9)
    solver.iterate(5)
    before = solver.save()
    with pytest.raises(ValueError, match=problem):
        solver.load(resealed(solver, **changes))
    assert solver.save() == before


@pytest.mark.parametrize(
    "listed", [None, [], [["regrets", "f8"]], [["regrets", "f8", -1]], [["regrets", "O8", 1]], [[1, "f8", 1]]]
)
def test_headers_that_list_something_else(listed):
    solver = Cfr(rf.games.KuhnPoker(), "plus")
    data = saving.ENVELOPE.seal({"fingerprint": solver._fingerprint, "arrays": listed}, b"")
    with pytest.raises(ValueError, match=r"invalid Cfr: it (lists no arrays|has other tables)"):
        solver.load(data)


# ---- use from several threads, and interrupts ----


def test_threads_take_turns():
    game = rf.games.LeducPoker()
    shared, alone = Cfr(game, "external_mccfr"), Cfr(game, "external_mccfr")
    workers = [threading.Thread(target=shared.iterate, args=(2000,)) for _ in range(4)]
    for worker in workers:
        worker.start()
    assert shared.exploitability() > 0.0
    for worker in workers:
        worker.join()
    alone.iterate(8000)
    assert shared.save() == alone.save()


@pytest.mark.parametrize("variant", ["plus", "external_mccfr"])
def test_an_interrupt_leaves_whole_iterations(variant, monkeypatch):
    game = rf.games.LeducPoker()
    solver = Cfr(game, variant)
    inner = solver._solver
    name = "_iterate" if variant == "plus" else "_run"
    compiled, calls = getattr(inner, name), []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return compiled(*arguments)

    monkeypatch.setattr(inner, name, interrupted)
    with pytest.raises(KeyboardInterrupt):
        solver.iterate(10_000_000)
    done = solver.iterations
    assert 0 < done < 10_000_000
    solver.iterate(5)
    other = Cfr(game, variant)
    other.iterate(done + 5)
    assert solver.save() == other.save()


@pytest.fixture
def interrupted(monkeypatch):
    """A solver whose tables had to grow in the middle of an iteration, where an interrupt came."""
    solver = Cfr(rf.games.LeducPoker(), "external_mccfr", most_histories=9)

    def stop(code):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(solver._solver, "_make_room", stop)
        with pytest.raises(KeyboardInterrupt):
            solver.iterate(1000)
    return solver


def test_loading_gives_up_an_open_iteration(interrupted):
    other = Cfr(interrupted.game, "external_mccfr", 9, most_histories=9)
    other.iterate(4)
    interrupted.load(other.save())
    interrupted.iterate(3)
    other.iterate(3)
    assert interrupted.save() == other.save()


def test_saving_completes_an_open_iteration(interrupted):
    solver, done = interrupted, interrupted.iterations
    other = Cfr(solver.game, "external_mccfr", most_histories=9)
    other.iterate(done + 1)
    assert solver.save() == other.save()
    assert solver.iterations == done + 1
