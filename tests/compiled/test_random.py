"""Random streams: the same bits in both lanes, every draw within its range."""

import math

import numpy as np
import pytest

from rinforza.compiled import random, without_compiling
from tests.compiled import draws
from tests.compiled.draws import draw

pytestmark = pytest.mark.lanes

MASK = (1 << 64) - 1


def mix(word):
    """The finaliser in Python's own integers."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & MASK
    word = (word ^ word >> 27) * 0x94D049BB133111EB & MASK
    return word ^ word >> 31


def word_of(key, counter):
    return mix(mix(key ^ counter * 0x9E3779B97F4A7C15 & MASK) + key & MASK)


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("key", [0, 1, 2, 12345, MASK, 1 << 63, 0x9E3779B97F4A7C15])
def test_the_formula(key, plain):
    found, counter = draw(draws.words, 20, key=key, plain=plain)
    assert [int(word) for word in found] == [word_of(key, place) >> 11 for place in range(1, 21)]
    assert counter == 20


def test_derived_keys():
    with np.errstate(over="ignore"):
        for seed, purpose, index in [(0, 0, 0), (1, 2, 3), (MASK, MASK, MASK)]:
            inner = mix(mix(seed + 0x9E3779B97F4A7C15 & MASK) ^ purpose)
            expected = mix(inner + index * 0x9E3779B97F4A7C15 & MASK)
            assert random.derive_key(*map(np.uint64, (seed, purpose, index))) == expected


def test_derived_keys_are_all_different():
    seeds, purposes, indices = (np.arange(size, dtype=np.uint64) for size in (20, 8, 1000))
    with np.errstate(over="ignore"):
        keys = random.derive_key(seeds[:, None, None], purposes[:, None], indices)
    assert len(np.unique(keys)) == keys.size


@pytest.mark.parametrize(
    ("function", "parameter", "weights"),
    [
        (draws.words, 0, [0]),
        (draws.uniforms, 0, [0]),
        (draws.integers, 7, [0]),
        (draws.integers, 1_000_003, [0]),
        (draws.categoricals, 0, [0.2, 0.0, 0.5, 0.3]),
        (draws.normals, 0, [0]),
        (draws.gammas, 0.03, [0]),
        (draws.gammas, 0.3, [0]),
        (draws.gammas, 1.0, [0]),
        (draws.gammas, 5.0, [0]),
        (draws.dirichlets, 0.03, [0] * 5),
        (draws.dirichlets, 0.3, [0] * 5),
        (draws.dirichlets, 5.0, [0] * 5),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_both_lanes_draw_the_same_bits(function, parameter, weights):
    for key in (3, MASK - 5):
        compiled = draw(function, 2000, key, parameter, weights)
        plain = draw(function, 2000, key, parameter, weights, plain=True)
        assert compiled[0].tobytes() == plain[0].tobytes()
        assert compiled[1] == plain[1]


@pytest.mark.parametrize(
    ("function", "count"), [(draws.uniforms, 1), (draws.integers, 1), (draws.normals, 2)]
)
def test_how_many_words_a_draw_takes(function, count):
    assert draw(function, 100, parameter=3)[1] == 100 * count


def fix_uniform(monkeypatch, value):
    """Let every uniform number be `value`."""
    monkeypatch.setattr(random, "uniform", lambda stream: value)


LARGEST = 1.0 - 2.0**-53


@pytest.mark.parametrize(
    "bound", [1, 2, 3, 5, 7, 10, 1000, (1 << 31) - 1, (1 << 52) + 1, (1 << 53) - 1, 1 << 53]
)
def test_an_integer_stays_below_its_bound_for_the_largest_uniform_number(monkeypatch, bound):
    fix_uniform(monkeypatch, LARGEST)
    assert random.integer_below(None, bound) == bound - 1 or bound > 1 << 52
    assert random.integer_below(None, bound) < bound
    fix_uniform(monkeypatch, 0.0)
    assert random.integer_below(None, bound) == 0


@pytest.mark.parametrize("value", [0.0, 2.0**-53, 0.25, 0.5, 0.75, LARGEST])
@pytest.mark.parametrize(
    "weights",
    [
        [1.0],
        [0.0, 1.0],
        [1.0, 0.0],
        [0.0, 0.0, 0.5, 0.0, 0.5, 0.0, 0.0],
        [0.0, 1e-300, 0.0],
        [0.0, 5e-324, 0.0],
        [0.0, 1e300, 0.0, 1e-300, 0.0],
        [0.1] * 10 + [0.0],
        [0.0] + [1 / 3] * 3 + [0.0],
    ],
)
def test_an_index_of_weight_zero_is_never_drawn(monkeypatch, weights, value):
    fix_uniform(monkeypatch, value)
    assert weights[random.categorical(None, weights, len(weights))] > 0.0


def test_no_weight_at_all_draws_the_first_index(monkeypatch):
    for value in (0.0, LARGEST):
        fix_uniform(monkeypatch, value)
        assert random.categorical(None, [0.0, 0.0], 2) == 0


@pytest.mark.parametrize("value", [0.0, 2.0**-53, LARGEST])
def test_a_normal_number_is_finite_at_the_ends(monkeypatch, value):
    fix_uniform(monkeypatch, value)
    assert math.isfinite(random.normal(None))


def test_a_gamma_number_of_a_tiny_alpha_and_the_dirichlet_of_nothing_but_zeros():
    out = np.zeros(4)
    stream = np.zeros(1, random.STREAM).view(np.recarray)[0]
    with np.errstate(over="ignore"):
        for alpha in (1e-3, 1e-5, 1e-300, 5e-324):
            for _ in range(20):
                assert math.isfinite(random.gamma(stream, alpha))
                random.dirichlet(stream, alpha, out, 4)
                assert np.isfinite(out).all()
                assert out.sum() == pytest.approx(1.0)


def test_a_stream_can_be_copied_and_moved():
    with np.errstate(over="ignore"), without_compiling():
        streams = np.zeros(3, random.STREAM).view(np.recarray)
        streams[0].key = 9
        first = [random.next_word(streams[0]) for _ in range(5)]
        streams[1] = streams[0]
        assert random.next_word(streams[1]) == random.next_word(streams[0])
        streams[2].key = 9
        streams[2].counter = 3
        assert random.next_word(streams[2]) == first[3]
