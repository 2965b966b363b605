"""Counter-based random streams: one record per stream, no shared state, the same bits everywhere.

Output `i` of a stream with key `k` is `mix(mix(k ^ (i * GOLDEN)) + k)`, where `mix` is the finaliser of
SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators"; constants by
D. Stafford). The key enters twice, so that two streams are not shifts of each other. A stream can be copied,
stored in 16 bytes, and moved to any position.

Logarithms, cosines and powers come from `math`, not NumPy: it calls the C library as compiled code does, and
NumPy has faster versions of its own that differ in the last bit.
"""

import math

import numpy as np

STREAM = np.dtype([("key", np.uint64), ("counter", np.uint64)], align=True)

ONE = np.uint64(1)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
SHIFT_30 = np.uint64(30)
SHIFT_27 = np.uint64(27)
SHIFT_31 = np.uint64(31)
SHIFT_11 = np.uint64(11)
UNIT = 1.0 / 9007199254740992.0  # 2 ** -53


def mix(word):
    """Scramble 64 bits, one to one."""
    word = (word ^ (word >> SHIFT_30)) * FIRST_FACTOR
    word = (word ^ (word >> SHIFT_27)) * SECOND_FACTOR
    return word ^ (word >> SHIFT_31)


def derive_key(seed, purpose, index):
    """Return the key of stream `index` of a `purpose` under a `seed` (all uint64)."""
    return mix(mix(mix(seed + GOLDEN) ^ purpose) + index * GOLDEN)


def next_word(stream):
    """Draw 64 random bits (uint64)."""
    stream.counter = stream.counter + ONE
    return mix(mix(stream.key ^ (stream.counter * GOLDEN)) + stream.key)


def uniform(stream):
    """Draw a float64 in [0, 1), with 53 random bits."""
    return np.float64(next_word(stream) >> SHIFT_11) * UNIT


def integer_below(stream, bound):
    """Draw an int64 uniformly from 0 to `bound - 1`; one draw, bias under `bound` / 2**53."""
    return np.int64(uniform(stream) * bound)


def categorical(stream, weights, count):
    """Draw an index below `count` with probability proportional to `weights` (>= 0); one draw.

    An index of weight zero is never drawn. When every weight is zero the answer is 0.
    """
    total = 0.0
    for index in range(count):
        total += weights[index]
    remainder = uniform(stream) * total
    chosen = 0
    for index in range(count):
        if weights[index] > 0.0:
            chosen = index
            remainder -= weights[index]
            if remainder < 0.0:
                break
    return chosen


def normal(stream):
    """Draw a standard normal float64 (Box and Muller 1958); two draws."""
    radius = math.sqrt(-2.0 * math.log(1.0 - uniform(stream)))
    return radius * math.cos(2.0 * math.pi * uniform(stream))


def gamma(stream, alpha):
    """Draw from Gamma(alpha, 1), alpha > 0 (Marsaglia and Tsang 2000; boosted below one)."""
    boost = 1.0
    if alpha < 1.0:
        boost = math.pow(1.0 - uniform(stream), 1.0 / alpha)
        alpha += 1.0
    shift = alpha - 1.0 / 3.0
    scale = 1.0 / math.sqrt(9.0 * shift)
    while True:
        deviate = normal(stream)
        root = 1.0 + scale * deviate
        if root > 0.0:
            cube = root * root * root
            test = math.log(1.0 - uniform(stream))
            if test < 0.5 * deviate * deviate + shift - shift * cube + shift * math.log(cube):
                return boost * shift * cube


def dirichlet(stream, alpha, out, count):
    """Fill `out[:count]` with a draw from the symmetric Dirichlet(alpha); uniform if all gammas vanish."""
    total = 0.0
    for index in range(count):
        out[index] = gamma(stream, alpha)
        total += out[index]
    for index in range(count):
        out[index] = out[index] / total if total > 0.0 else 1.0 / count
