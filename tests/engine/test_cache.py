"""The cache of answers: what it gives is what the network gave, and the network is asked once."""

from collections import Counter

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python, without_compiling
from rinforza.engine import cache
from tests.engine.compositions import COMPOSITIONS, Composition, bits, data, search_composition
from tests.engine.test_failures import Flaky, NetworkError
from tests.toys.networks import PolicyValueNetwork, Recorder

pytestmark = pytest.mark.lanes

FLOORS = (1, 4) if plain_python() else (1, 9, 14)
MANY = 20 if plain_python() else 60
SIZES = (6,) if plain_python() else (1, 6, 10_000, "200kB")


class Blind(rf.Encoder):
    """A view that shows nothing."""

    name = "blind"
    games = ("connect4",)

    def shape(self, game):
        return 1, 1, 1

    def encode(self, game, state, player, out):
        out[0, 0, 0] = 0.5


def blind_composition():
    """Connect 4 under a network that sees nothing; legality still tells positions apart."""
    return Composition(
        rf.games.Connect4(encoder=Blind()),
        None,
        rf.policies.AlphaZero(6),
        rf.learners.AlphaZero(),
        PolicyValueNetwork(7),
    )


CHESS_ENCODERS = {
    encoder.name: encoder
    for encoder in (
        rf.encoders.MinimalChess(),
        rf.encoders.RelativeChess(),
        rf.encoders.OpenSpielChess(),
        rf.encoders.AlphaZeroChess(3),
    )
}
GAMES_WITH_KEYS = {
    "connect4": rf.games.Connect4(),
    "othello": rf.games.Othello(),
    "go": rf.games.Go(size=4),
    "hex": rf.games.Hex(size=4),
    **{name: rf.games.Chess(max_ticks=9, encoder=encoder) for name, encoder in CHESS_ENCODERS.items()},
}


def collected(composition, floors=FLOORS, network=None, **options):
    """Collect batch after batch with a new engine."""
    engine = composition.engine(**options)
    return [engine.collect(floor, network or composition.network) for floor in floors]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", COMPOSITIONS)
def test_the_records_are_those_without_a_cache(name, size):
    composition = COMPOSITIONS[name]()
    expected = collected(composition, n_games=1)
    batches = collected(composition, n_games=1, infer_cache=size)
    assert list(map(data, batches)) == list(map(data, expected))
    assert sum(batch.telemetry["cache_lookups"] for batch in batches) > 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_answer_keeps_its_bits(dtype):
    composition = search_composition(openings=2)
    network = PolicyValueNetwork(5, dtype=dtype)
    expected = collected(composition, network=network, n_games=1)
    batches = collected(composition, network=network, n_games=1, infer_cache=1000)
    assert list(map(data, batches)) == list(map(data, expected))
    assert batches[-1].telemetry["cache_hits"] > 0


@pytest.mark.skipif(plain_python(), reason="plain Python runs on one thread")
@pytest.mark.parametrize("n_threads", [2, 3])
@pytest.mark.parametrize("options", [{}, {"batch_size": 3}, {"infer_cache": 20}])
def test_threads_change_nothing(n_threads, options):
    options = {"infer_cache": 10_000, **options}
    expected = collected(search_composition(openings=3), n_threads=1, **options)
    batches = collected(search_composition(openings=3), n_threads=n_threads, **options)
    assert list(map(bits, batches)) == list(map(bits, expected))


@pytest.mark.parametrize(
    "options", [{"batch_size": 3}, {"pad": True}, {}, {"batch_size": 64}][: 2 if plain_python() else 4]
)
def test_no_row_is_asked_twice(options):
    composition = search_composition(openings=3)
    recorder = Recorder(composition.network)
    batches = collected(composition, network=recorder, infer_cache=10_000, **options)
    asked = Counter(row.tobytes() for call in recorder.calls for row in call if row.any())
    assert max(asked.values()) == 1
    for measured in (batch.telemetry for batch in batches):
        assert measured["cache_lookups"] == measured["requested_rows"]
        assert measured["infer_rows"] == measured["requested_rows"] - measured["cache_hits"]
        assert measured["cache_hits"] > 0


class Halves:
    """The naive twin of a partition: two sets of keys.

    Args:
        most: How many a set holds.
    """

    def __init__(self, most):
        self.most, self.young, self.old = most, set(), set()

    def knows(self, key):
        """Look a key up, and enter it where it is not young."""
        if key in self.young:
            return True
        known = key in self.old
        if len(self.young) == self.most:
            self.young, self.old = set(), self.young
        self.young.add(key)
        return known


@pytest.mark.parametrize("entries", [1, 7] if plain_python() else [1, 2, 7, 40])
def test_hits_are_those_of_two_halves(entries):
    composition = search_composition(openings=2, max_ticks=4)
    recorder = Recorder(composition.network)
    collected(composition, network=recorder, n_games=1, batch_size=1)
    twin = Halves((entries + 1) // 2)
    expected = sum(twin.knows(call.tobytes()) for call in recorder.calls)
    batches = collected(composition, n_games=1, batch_size=1, infer_cache=entries)
    assert sum(batch.telemetry["cache_hits"] for batch in batches) == expected
    assert expected > 0 or entries == 1


def test_positions_that_look_alike_are_told_apart_by_their_actions():
    expected = collected(blind_composition(), n_games=1)
    recorder = Recorder(blind_composition().network)
    batches = collected(blind_composition(), network=recorder, n_games=1, infer_cache=1000)
    assert list(map(data, batches)) == list(map(data, expected))
    assert 1 < recorder.rows < batches[-1].telemetry["requested_rows"]


def test_rows_with_one_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr(cache, "hash_words", lambda words, count: np.uint64(7))
    with without_compiling():
        composition = search_composition(openings=2, max_ticks=4)
        expected = collected(composition, floors=(9,), n_games=1)
        batches = collected(composition, floors=(9,), n_games=1, infer_cache=1000)
    assert list(map(data, batches)) == list(map(data, expected))
    assert batches[0].telemetry["cache_hits"] > 0


@pytest.mark.parametrize("name", GAMES_WITH_KEYS)
def test_keys_stand_for_the_views(name):
    if plain_python() and name in CHESS_ENCODERS:
        pytest.skip("one row of chess has thousands of columns")
    game = GAMES_WITH_KEYS[name]
    assert game.encoder.key_words(game) > 0
    network = PolicyValueNetwork(game.num_actions)
    composition = Composition(game, None, rf.policies.AlphaZero(4), rf.learners.AlphaZero(), network)
    expected = collected(composition, n_games=1)
    batches = collected(composition, n_games=1, infer_cache=1000)
    assert list(map(data, batches)) == list(map(data, expected))
    assert sum(batch.telemetry["cache_hits"] for batch in batches) > 0


def test_new_weights_are_asked_from_the_next_batch_on():
    composition = search_composition(openings=2)
    engine = composition.engine(infer_cache=10_000)
    recorder = Recorder(composition.network)
    engine.collect(MANY, recorder)
    known = {row.tobytes() for call in recorder.calls for row in call}
    recorder.calls.clear()
    engine.weights_updated()
    engine.collect(MANY, recorder)
    again = Counter(row.tobytes() for call in recorder.calls for row in call)
    assert known & set(again)
    assert max(again.values()) == 1


def test_new_weights_of_one_player_leave_the_others_answers():
    composition = search_composition(openings=2)
    engine = composition.engine(infer_cache=10_000)
    recorders = [Recorder(composition.network) for _ in range(2)]
    engine.collect(MANY, recorders)
    known = [{row.tobytes() for call in recorder.calls for row in call} for recorder in recorders]
    for recorder in recorders:
        recorder.calls.clear()
    engine.weights_updated(0)
    engine.collect(MANY, recorders)
    again = [{row.tobytes() for call in recorder.calls for row in call} for recorder in recorders]
    assert known[0] & again[0]
    assert not known[1] & again[1]


def test_new_weights_of_one_player_count_for_a_network_that_all_share():
    composition = search_composition(openings=2)
    engine = composition.engine(infer_cache=10_000)
    engine.collect(MANY, composition.network)
    recorder = Recorder(PolicyValueNetwork(5, salt=1))
    engine.weights_updated(1)
    batch = engine.collect(30, recorder)
    assert recorder.rows == batch.telemetry["infer_rows"] > 0
    fresh = recorder.calls[0]
    engine.collect(30, recorder)
    assert not {row.tobytes() for row in fresh} & {
        row.tobytes() for call in recorder.calls[1:] for row in call
    }


@pytest.mark.parametrize("n_threads", [1] if plain_python() else [1, 2])
def test_a_failing_network_costs_nothing(n_threads):
    composition = search_composition(openings=3)
    options = {"infer_cache": 60, "n_games": 4, "batch_size": 3}
    usual = Recorder(composition.network)
    expected = collected(composition, network=usual, floors=(12,), **options)
    for number in range(len(usual.calls)):
        flaky = Flaky(composition.network, {number})
        engine = composition.engine(n_threads=n_threads, **options)
        with pytest.raises(NetworkError):
            engine.collect(12, flaky)
        assert data(engine.collect(12, flaky)) == data(expected[0])
        flaky.assert_asked_again()


def test_a_restored_engine_goes_on_as_the_one_it_is_from():
    composition = search_composition(openings=3)
    options = {"infer_cache": 200, "n_games": 4, "batch_size": 3}
    engine, restored = composition.engine(**options), composition.engine(**options, n_threads=2)
    engine.collect(8, composition.network)
    for number in (None, 2, 5, None):
        if number is not None:
            with pytest.raises(NetworkError):
                engine.collect(20, Flaky(composition.network, {number}))
        restored.restore(engine.snapshot())
        expected = engine.collect(20, composition.network)
        assert data(restored.collect(20, composition.network)) == data(expected)


@pytest.mark.parametrize("number", [None, 3])
def test_a_restored_engine_has_a_cache_for_each_callback(number):
    composition = search_composition(openings=3)
    options = {"infer_cache": 200, "n_games": 4, "batch_size": 3}
    engine, restored = composition.engine(**options), composition.engine(**options)
    engine.collect(8, [composition.network] * 2)
    if number is not None:
        with pytest.raises(NetworkError):
            engine.collect(20, [Flaky(composition.network, {number})] * 2)
    restored.restore(engine.snapshot())
    for floor in (20, 30):
        expected = engine.collect(floor, [composition.network] * 2)
        assert data(restored.collect(floor, [composition.network] * 2)) == data(expected)


@pytest.mark.parametrize("pad", [False, True])
def test_a_restored_window_has_its_equal_rows(pad):
    composition = search_composition(openings=1, max_ticks=4)
    options = {"infer_cache": 200, "n_games": 8, "pad": pad}
    engine, restored = composition.engine(**options), composition.engine(**options)
    with pytest.raises(NetworkError):
        engine.collect(30, Flaky(composition.network, {0}))  # all games ask for the same
    restored.restore(engine.snapshot())
    expected = engine.collect(30, composition.network)
    assert bits(restored.collect(30, composition.network)) == bits(expected)


def test_new_weights_before_a_snapshot():
    composition = search_composition(openings=3)
    options = {"infer_cache": 10_000}
    engine, restored = composition.engine(**options), composition.engine(**options)
    with pytest.raises(NetworkError):
        engine.collect(20, Flaky(composition.network, {3}))
    engine.weights_updated()
    restored.restore(engine.snapshot())
    for floor in (20, 30, 10):
        assert bits(restored.collect(floor, composition.network)) == bits(
            engine.collect(floor, composition.network)
        )


def test_an_engine_with_another_cache_takes_the_snapshot():
    composition = search_composition()
    engine = composition.engine(n_games=1, infer_cache=50)
    engine.collect(8, composition.network)
    restored = composition.engine(n_games=1)
    restored.restore(engine.snapshot())
    assert data(restored.collect(8, composition.network)) == data(engine.collect(8, composition.network))


def test_one_callback_after_one_for_each_player():
    composition = search_composition(openings=2)
    expected, cached = composition.engine(n_games=1), composition.engine(n_games=1, infer_cache=100)
    for infer in (composition.network, [composition.network] * 2, composition.network):
        assert data(cached.collect(6, infer)) == data(expected.collect(6, infer))


@pytest.mark.parametrize(
    ("infer_cache", "error", "words"),
    [
        (-1, OverflowError, "infer_cache must not be negative"),
        (1.0, TypeError, "a size like '512MB'; got 1.0"),
        (True, TypeError, "a size like '512MB'; got True"),
        (None, TypeError, "a size like '512MB'; got None"),
        ("100B", ValueError, "too small for this composition"),
        ("", ValueError, "a size like '512MB'"),
        ("12", ValueError, "a size like '512MB'"),
        ("1.5GB", ValueError, "a size like '512MB'"),
        ("12 parsecs", ValueError, "units are B, KB"),
        ("9" * 19 + "B", ValueError, "a size like"),
        (1 << 63, ValueError, "too large for this composition"),
        ("999TB", ValueError, "too large for this composition"),
    ],
)
def test_what_is_no_size_is_refused(infer_cache, error, words):
    with pytest.raises(error, match=words):
        search_composition().engine(infer_cache=infer_cache)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [("64KiB", "65536B"), ("1 mb", "1000000B"), (" 2MB ", "2000000B"), ("1GiB", "1073741824B"), ("0B", 0)],
)
def test_sizes_are_read_as_people_write_them(text, meaning):
    engine = search_composition().engine(infer_cache=text)
    assert engine.resolved_config()["engine"]["infer_cache"] == meaning
    assert (
        engine.config_fingerprint() == search_composition().engine(infer_cache=meaning).config_fingerprint()
    )
