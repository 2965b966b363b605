"""Networks without training: an answer is a hash of its row, so rows are independent to the last bit."""

import numpy as np

FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB), np.uint64(0x9E3779B97F4A7C15))
SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))


def scramble(words):
    """Mix uint64s, one to one."""
    for factor, shift in zip(FACTORS, SHIFTS, strict=True):
        words = (words ^ (words >> shift)) * factor
    return words


def row_words(obs):
    """Return one uint64 for each row, a hash of its bytes."""
    bits = np.ascontiguousarray(obs).view(np.uint32).astype(np.uint64)
    words = np.zeros(len(obs), np.uint64)
    with np.errstate(over="ignore"):
        for column in range(bits.shape[1]):
            words = scramble(words + bits[:, column] + FACTORS[2])
    return words


def row_numbers(obs, count, salt=0):
    """Return float64 (rows, count) in [-1, 1), a hash of each row's bytes."""
    with np.errstate(over="ignore"):
        salts = (np.arange(count, dtype=np.uint64) + np.uint64(1 + 1000 * salt)) * FACTORS[2]
        words = scramble(row_words(obs)[:, None] ^ salts[None, :])
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1.0


class PolicyValueNetwork:
    """A hash as (logits, values).

    Args:
        n_actions: Columns of the logits.
        scale: How far the logits reach; 0 gives equal priors.
        value_scale: How far the values reach.
        salt: Which hash.
        dtype: Of both arrays.
    """

    def __init__(self, n_actions, scale=2.0, value_scale=1.0, salt=0, dtype=np.float64):
        self.n_actions, self.scale, self.value_scale = n_actions, scale, value_scale
        self.salt, self.dtype = salt, dtype

    def __call__(self, obs):
        numbers = row_numbers(obs, self.n_actions + 1, self.salt)
        logits = (self.scale * numbers[:, :-1]).astype(self.dtype)
        return logits, (self.value_scale * numbers[:, -1]).astype(self.dtype)


class QNetwork:
    """A hash as Q values (rows, heads, actions).

    Args:
        n_actions: Columns of a head.
        n_heads: Heads.
        salt: Which hash.
        dtype: Of the array.
    """

    def __init__(self, n_actions, n_heads=1, salt=0, dtype=np.float64):
        self.n_actions, self.n_heads, self.salt, self.dtype = n_actions, n_heads, salt, dtype

    def __call__(self, obs):
        numbers = row_numbers(obs, self.n_actions * self.n_heads, self.salt)
        return numbers.reshape(len(obs), self.n_heads, self.n_actions).astype(self.dtype)


class Recorder:
    """Hands calls on to a network and keeps a copy of every array of observations.

    Args:
        network: The network.
    """

    def __init__(self, network):
        self.network = network
        self.calls = []

    def __call__(self, obs):
        self.calls.append(obs.copy())
        return self.network(obs)

    @property
    def rows(self):
        """How many rows were asked in all."""
        return sum(len(call) for call in self.calls)
