"""Random streams: distributions and independence, with fixed keys, so that nothing here fails by chance."""

import math

import numpy as np
import pytest

from tests.compiled import draws
from tests.compiled.draws import draw

SIZE = 200_000
SIGMAS = 4.5


def near(sample, mean, deviation):
    """Whether the mean of a sample is within a few standard errors of `mean`."""
    return abs(np.mean(sample) - mean) < SIGMAS * deviation / math.sqrt(len(sample))


def chi_square(counts, expected):
    """Return how many standard deviations chi-square is off its mean."""
    counts, expected = np.asarray(counts, np.float64), np.asarray(expected, np.float64)
    freedom = counts.size - 1
    return (((counts - expected) ** 2 / expected).sum() - freedom) / math.sqrt(2 * freedom)


def bytes_of(key, size=SIZE // 8):
    """Return the upper six bytes of each word."""
    words = draw(draws.words, size, key=key)[0].astype(np.uint64)
    return np.stack([words >> np.uint64(shift) & np.uint64(255) for shift in range(5, 53, 8)])


@pytest.mark.parametrize("key", [0, 1, 2, 3, 1 << 32, (1 << 64) - 1])
def test_bytes_are_uniform(key):
    for column in bytes_of(key):
        counts = np.bincount(column.astype(np.int64), minlength=256)
        assert abs(chi_square(counts, np.full(256, column.size / 256))) < SIGMAS


def test_adjacent_keys_are_independent():
    """Neighbours in every sense: keys one apart, one bit apart, and one step of the generator apart."""
    golden = 0x9E3779B97F4A7C15
    pairs = [
        (0, 1),
        (1, 2),
        (7, 8),
        (0, 1 << 63),
        (0, 1 << 40),
        (5, 5 ^ golden),
        (1, golden),
        (3, 3 + golden),
    ]
    for one, other in pairs:
        first, second = (draw(draws.uniforms, SIZE, key=key)[0] - 0.5 for key in (one, other))
        for shift in (0, 1, 2):  # two streams must not be shifts of each other
            ahead, behind = first[shift:] * second[: SIZE - shift], first[: SIZE - shift] * second[shift:]
            assert near(ahead, 0.0, 1 / 12)
            assert near(behind, 0.0, 1 / 12)
        joint, *_ = np.histogram2d(first, second, bins=16, range=[[-0.5, 0.5]] * 2)
        assert abs(chi_square(joint, np.full((16, 16), SIZE / 256))) < SIGMAS


def test_the_first_draws_of_many_streams_are_uniform():
    """Games take few draws from each of many streams."""
    firsts = np.array([draw(draws.words, 2, key=key)[0] for key in range(4000)]).astype(np.int64)
    for column in (firsts[:, 0], firsts[:, 1], firsts[:, 0] ^ firsts[:, 1]):
        for shift in (0, 20, 45):
            counts = np.bincount(column >> shift & 255, minlength=256)
            assert abs(chi_square(counts, np.full(256, len(column) / 256))) < SIGMAS


def test_every_bit_flips_half_of_the_time_when_one_bit_of_the_key_flips():
    keys = range(0, 64, 3)
    flips = np.zeros(53)
    base = draw(draws.words, 500, key=77)[0].astype(np.int64)
    for bit in keys:
        difference = base ^ draw(draws.words, 500, key=77 ^ 1 << bit)[0].astype(np.int64)
        flips += [(difference >> place & 1).mean() for place in range(53)]
    assert np.abs(flips / len(keys) - 0.5).max() < SIGMAS * 0.5 / math.sqrt(500 * len(keys))


def test_serial_independence():
    sample = draw(draws.uniforms, SIZE, key=11)[0]
    for lag in (1, 2, 3, 7, 64):
        assert near((sample[lag:] - 0.5) * (sample[:-lag] - 0.5), 0.0, 1 / 12)


def test_uniform_numbers():
    sample = draw(draws.uniforms, SIZE, key=5)[0]
    assert sample.min() >= 0.0
    assert sample.max() < 1.0
    for power in (1, 2, 3, 4):
        deviation = math.sqrt(1 / (2 * power + 1) - 1 / (power + 1) ** 2)
        assert near(sample**power, 1 / (power + 1), deviation)


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 52, 1000])
def test_integers_are_uniform(bound):
    sample = draw(draws.integers, SIZE, key=bound, parameter=bound)[0].astype(np.int64)
    counts = np.bincount(sample, minlength=bound)
    assert counts.size == bound
    assert bound == 1 or abs(chi_square(counts, np.full(bound, SIZE / bound))) < SIGMAS


@pytest.mark.parametrize("weights", [[0.2, 0.0, 0.5, 0.3], [5.0, 1.0, 0.0], [0.0, 1e-12, 3e-12], [1 / 7] * 7])
def test_categorical_draws_in_proportion(weights):
    sample = draw(draws.categoricals, SIZE, key=8, weights=weights)[0].astype(np.int64)
    counts = np.bincount(sample, minlength=len(weights))
    weights = np.array(weights)
    assert (counts[weights == 0] == 0).all()
    expected = SIZE * weights[weights > 0] / weights.sum()
    assert abs(chi_square(counts[weights > 0], expected)) < SIGMAS


def test_normal_numbers():
    sample = draw(draws.normals, SIZE, key=21)[0]
    for power, mean, second in [(1, 0, 1), (2, 1, 3), (3, 0, 15), (4, 3, 105)]:
        assert near(sample**power, mean, math.sqrt(second - mean**2))


@pytest.mark.parametrize("alpha", [0.03, 0.3, 1.0, 5.0])
def test_gamma_numbers(alpha):
    """The moments are E[x] = a, E[x^2] = a (a + 1), and so on."""
    sample = draw(draws.gammas, SIZE, key=31, parameter=alpha)[0]
    assert np.isfinite(sample).all()
    assert sample.min() >= 0.0
    moments = np.cumprod([1.0, *(alpha + place for place in range(4))])
    for power in (1, 2):
        assert near(sample**power, moments[power], math.sqrt(moments[2 * power] - moments[power] ** 2))


@pytest.mark.parametrize("alpha", [0.03, 0.3, 1.0, 5.0])
@pytest.mark.parametrize("count", [2, 7])
def test_dirichlet_draws(alpha, count):
    sample = draw(draws.dirichlets, 20_000 * count, key=41, parameter=alpha, weights=[0] * count)[0]
    sample = sample.reshape(-1, count)
    assert np.isfinite(sample).all()
    assert sample.min() >= 0.0
    assert np.abs(sample.sum(axis=1) - 1.0).max() < 1e-12
    mean = 1 / count
    variance = mean * (1 - mean) / (count * alpha + 1)
    for column in range(count):
        assert near(sample[:, column], mean, math.sqrt(variance))
        spread = (sample[:, column] - mean) ** 2
        assert near(spread, variance, spread.std())
    products = (sample[:, 0] - mean) * (sample[:, 1] - mean)
    assert near(products, -(mean**2) / (count * alpha + 1), products.std())
