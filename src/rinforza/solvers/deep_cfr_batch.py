"""What a collection of Deep CFR returns."""

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ..contracts.batch import dense_mask
from ..contracts.telemetry import Telemetry


@dataclass(repr=False, eq=False)
class DeepCfrBatch:
    """Samples of one player's advantages, and of the strategies of the player after it.

    Ids are network columns, ascending in each row; row i of a ragged array is `offsets[i]:offsets[i + 1]`.

    Attributes:
        advantage_obs: float32 (advantage records, observation size).
        advantage_iterations: int64 (advantage records,), for the weight in the loss.
        advantage_legal_offsets: int64 (advantage records + 1,).
        advantage_legal_ids: int64 (advantage entries,).
        advantage_targets: float64 (advantage entries,), what an action brought beyond the strategy's mean.
        strategy_obs: float32 (strategy records, observation size).
        strategy_iterations: int64 (strategy records,).
        strategy_players: int64 (strategy records,), who acts.
        strategy_legal_offsets: int64 (strategy records + 1,).
        strategy_legal_ids: int64 (strategy entries,).
        strategy_probs: float64 (strategy entries,).
        n_actions: Columns of the networks.
        telemetry: `player`, `traversals`, `advantage_samples`, `strategy_samples`, `infer_calls`,
            `infer_rows`, `infer_seconds`, `collect_seconds`, `cache_lookups` and `cache_hits`.
    """

    advantage_obs: np.ndarray
    advantage_iterations: np.ndarray
    advantage_legal_offsets: np.ndarray
    advantage_legal_ids: np.ndarray
    advantage_targets: np.ndarray
    strategy_obs: np.ndarray
    strategy_iterations: np.ndarray
    strategy_players: np.ndarray
    strategy_legal_offsets: np.ndarray
    strategy_legal_ids: np.ndarray
    strategy_probs: np.ndarray
    n_actions: int
    telemetry: Telemetry = field(default_factory=Telemetry)

    def __repr__(self) -> str:
        arrays = {item.name: getattr(self, item.name) for item in fields(self)}
        shapes = [f"{name}={a.shape}" for name, a in arrays.items() if isinstance(a, np.ndarray)]
        return f"DeepCfrBatch({', '.join(shapes)})"

    def advantage_legal_mask(self, rows: Any = None) -> np.ndarray:
        """Return the legal actions of the advantage records.

        Args:
            rows: Indices of records, or None for all.

        Returns:
            bool (rows, n_actions).
        """
        return dense_mask(self.advantage_legal_ids, self.advantage_legal_offsets, self.n_actions, rows)

    def strategy_legal_mask(self, rows: Any = None) -> np.ndarray:
        """Return the legal actions of the strategy records, as `advantage_legal_mask` does."""
        return dense_mask(self.strategy_legal_ids, self.strategy_legal_offsets, self.n_actions, rows)

    def dense_targets(self) -> np.ndarray:
        """Return the advantage targets as float32 (advantage records, n_actions), 0 where not legal."""
        return _dense(self.advantage_legal_mask(), self.advantage_targets)

    def dense_probs(self) -> np.ndarray:
        """Return the probabilities as float32 (strategy records, n_actions), 0 where not legal."""
        return _dense(self.strategy_legal_mask(), self.strategy_probs)


def _dense(mask: np.ndarray, entries: np.ndarray) -> np.ndarray:
    """Spread the entries of all rows, which are ascending in each."""
    dense = np.zeros(mask.shape, np.float32)
    dense[mask] = entries
    return dense


def packed(
    entries: np.ndarray, rows: np.ndarray, first: np.ndarray, columns: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the actions of some records, and a value of each, as CSR: ids, values, offsets.

    Args:
        entries: ENTRY, the information states.
        rows: int64 (records,), the information state of each record.
        first: int64 (records,), where the values of each record begin in `values`.
        columns: int64, the network column of each action of the information states.
        values: Where the values lie.
    """
    counts = entries["count"][rows].astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], counts)
    ids = columns[np.repeat(entries["first"][rows], counts) + within]
    taken = values[np.repeat(first, counts) + within]
    if is_ascending(ids, offsets):
        return ids, taken, offsets
    order = np.lexsort((ids, np.repeat(np.arange(len(rows)), counts)))  # an encoder may renumber the actions
    return ids[order], taken[order], offsets


def is_ascending(ids: np.ndarray, offsets: np.ndarray) -> bool:
    """Return whether the ids of each row ascend."""
    ascends = np.diff(ids) > 0
    ascends[offsets[1:-1] - 1] = True  # from one row to the next
    return bool(ascends.all())
