"""The memory of the cache of answers, and what `infer_cache` may be."""

import re
from typing import Any

import numpy as np

from ..contracts.arguments import integer
from ..contracts.composition import Rules
from ..contracts.policy import USUAL_LEGAL_ACTIONS, Policy
from .cache import CACHE, ENTRY_SIZE, HALVES
from .checks import LARGEST_SEARCH
from .memory import aligned_zeros
from .tables import Tables

UNITS = {
    "B": 1,
    **{f"{prefix}B": 1000**power for power, prefix in enumerate(("K", "M", "G", "T"), 1)},
    **{f"{prefix}iB": 1024**power for power, prefix in enumerate(("K", "M", "G", "T"), 1)},
}
WORD_SIZE = 8
MOST_WORDS = 4  # of a table, for each entry of its half
FORM = "a number of entries, or a size like '512MB'"


def check_infer_cache(infer_cache: Any) -> int | str:
    """Return `infer_cache`: a number of entries, or bytes as `"512000000B"` for a size such as `"512MB"`.

    Raises:
        TypeError: If it is neither.
        OverflowError: If it is negative.
        ValueError: For a string that is no size.
    """
    if isinstance(infer_cache, str):
        size = size_in_bytes(infer_cache)
        return f"{size}B" if size else 0
    if isinstance(infer_cache, bool) or not hasattr(infer_cache, "__index__"):
        raise TypeError(f"infer_cache must be {FORM}; got {infer_cache!r:.40}")
    return integer("infer_cache", infer_cache, 0)


def size_in_bytes(text: str) -> int:
    """Return how many bytes a size such as `"512MB"` or `"2 GiB"` is."""
    found = re.fullmatch(r"\s*(\d{1,18})\s*([A-Za-z]+)\s*", text)
    units = {unit.lower(): size for unit, size in UNITS.items()}
    if found is None or found[2].lower() not in units:
        raise ValueError(f"infer_cache must be {FORM}; got {text[:40]!r}; units are {', '.join(UNITS)}")
    return int(found[1]) * units[found[2].lower()]


class CacheTables:
    """The partitions of the cache, one for each queue; without entries there is none.

    Args:
        tables: Where the engine's arrays are kept.
        rules: The composition's rules.
        policy: The policy.
        batch_size: Rows of a window.
        infer_cache: As `check_infer_cache` returned it.

    Raises:
        ValueError: If it is more than a machine can be expected to have, or too small for one entry.
    """

    def __init__(self, tables: Tables, rules: Rules, policy: Policy, batch_size: int, infer_cache: int | str):
        self._tables, self._infer_cache = tables, infer_cache
        game = rules.game
        self._entry_size = entry_size(rules, policy, min(game.num_actions, USUAL_LEGAL_ACTIONS))
        if infer_cache == 0:
            return
        for players in (1, game.num_players):
            self._check_size(players)
        candidate_size = ENTRY_SIZE + 8 * (rules.key_words + -(-game.num_actions // 2))
        tables.put("cache_candidates", aligned_zeros((batch_size, candidate_size)))
        tables.record["cache_candidate_size"] = candidate_size
        tables.zeros("window_entries", batch_size)
        tables.zeros("window_generations", batch_size)
        self.partition(1)

    def _entries(self, n_partitions: int) -> int:
        """Return how many entries half a partition has."""
        if isinstance(self._infer_cache, str):
            size = self._entry_size + MOST_WORDS * WORD_SIZE
            return size_in_bytes(self._infer_cache) // (HALVES * n_partitions * size)
        return -(-self._infer_cache // HALVES)

    def _check_size(self, n_partitions: int) -> None:
        size = HALVES * n_partitions * self._entries(n_partitions) * self._entry_size
        if size == 0:
            raise ValueError(
                f"infer_cache is too small for this composition: {self._infer_cache} holds no entries, of which "
                f"one takes {self._entry_size} bytes, in {HALVES * n_partitions} parts; raise it, or give 0 for none"
            )
        if size > LARGEST_SEARCH:
            raise ValueError(
                f"infer_cache is too large for this composition: {self._infer_cache} takes {size:,} bytes, more "
                f"than {LARGEST_SEARCH:,}; lower it"
            )

    def partition(self, n_partitions: int) -> None:
        """Have so many empty partitions."""
        if self._infer_cache == 0:
            return
        most = self._entries(n_partitions)
        caches = self._tables.zeros("caches", n_partitions, CACHE)
        caches["most"] = most
        caches["n_words"] = n_words = 2 << (most - 1).bit_length()
        caches["arena_size"] = arena_size = most * self._entry_size
        try:  # the system gives memory as it is written to
            self._words = aligned_zeros((n_partitions, HALVES, n_words), np.uint64)
            self._arenas = aligned_zeros((n_partitions, HALVES * arena_size))
        except MemoryError as error:
            raise ValueError(f"infer_cache is too large for this machine: {error}; lower it") from error
        caches["words"] = self._words.ctypes.data + np.arange(n_partitions) * self._words.strides[0]
        caches["arenas"] = self._arenas.ctypes.data + np.arange(n_partitions) * self._arenas.strides[0]

    def clear(self, player: int | None = None) -> None:
        """Forget the answers of one player's network, or all of them."""
        caches = self._tables.arrays.get("caches")
        if caches is None:
            return
        which = slice(None) if player is None or len(caches) == 1 else slice(player, player + 1)
        self._words[which] = 0
        caches["count"][which] = caches["used"][which] = 0
        caches["generation"][which] += HALVES  # entries that wait for their answers are gone, too


def entry_size(rules: Rules, policy: Policy, n_actions: int) -> int:
    """Return the bytes of an entry for so many actions."""
    output = policy.output
    words = rules.key_words + -(-n_actions // 2) + output.scalars + output.heads * n_actions
    return ENTRY_SIZE + 8 * words
