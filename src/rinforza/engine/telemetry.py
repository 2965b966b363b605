"""What a collection measured."""

import logging
from typing import Any

import numpy as np

from ..contracts.search_memory import (
    DECISIONS,
    DEPTHCAP_SIMS,
    DISAGREEMENT,
    EXPANSIONS,
    EXTRA_ROWS,
    LEAVES,
    MAX_DEPTH,
    RESIGNED,
    ROUNDS,
    SIGMA,
    TERMINAL_SIMS,
)

LOGGER = logging.getLogger(__name__)
NO_CALLS = {
    "infer_seconds": 0.0,
    "infer_calls": 0,
    "infer_rows": 0,
    "padded_rows": 0,
    "collect_seconds": 0.0,
}
NO_ROWS = {"requested_rows": 0, "tail_rows": 0, "cache_lookups": 0, "cache_hits": 0}


def telemetry(
    tally: np.ndarray,
    summaries: np.ndarray,
    calls: dict[str, Any],
    rows: dict[str, int],
    records: int,
    batch_size: int,
    settings: dict[str, Any],
) -> dict[str, Any]:
    """Put together the telemetry of one call.

    Args:
        tally: float64 (slots, counters), what the searches counted.
        summaries: float64 (episodes, players + 2), each episode's returns, its ticks, and whether it was seeded.
        calls: What `NO_CALLS` names.
        rows: What `NO_ROWS` names.
        records: Rows of the batch.
        batch_size: Rows that a call could have had.
        settings: The schedulable parameters of the policy.
    """
    sums = tally.sum(axis=0)
    decisions = int(sums[DECISIONS])
    per_decision = 1.0 / max(decisions, 1)
    return {
        "episodes": [(row[:-2], int(row[-2]), row[-1] != 0.0) for row in summaries.tolist()],
        "decisions": decisions,
        "max_depth": int(tally[:, MAX_DEPTH].max(initial=0)),
        "mean_leaves": float(sums[LEAVES] * per_decision),
        "mean_rounds": float(sums[ROUNDS] * per_decision),
        "mean_expansions": float(sums[EXPANSIONS] * per_decision),
        "mean_sigma": float(sums[SIGMA] * per_decision),
        "mean_disagreement": float(sums[DISAGREEMENT] * per_decision),
        **calls,
        "window_fill": calls["infer_rows"] / (batch_size * max(calls["infer_calls"], 1)),
        "terminal_sims": int(sums[TERMINAL_SIMS]),
        "depthcap_sims": int(sums[DEPTHCAP_SIMS]),
        **rows,
        "extra_eval_rows": int(sums[EXTRA_ROWS]),
        "resigned_episodes": int(sums[RESIGNED]),
        "records": records,
        "settings": settings,
    }


def log_collection(measured: dict[str, Any]) -> None:
    """Tell the log what a collection came to, and where its time went."""
    seconds = max(measured["collect_seconds"], 1e-9)
    LOGGER.debug(
        "%d records and %d episodes in %.3f s: %d calls with %d rows (%.0f rows/s), windows %.0f %% full, "
        "callback %.0f %% of the time, %d of %d rows from the cache",
        measured["records"],
        len(measured["episodes"]),
        seconds,
        measured["infer_calls"],
        measured["infer_rows"],
        measured["infer_rows"] / seconds,
        100.0 * measured["window_fill"],
        100.0 * measured["infer_seconds"] / seconds,
        measured["cache_hits"],
        measured["cache_lookups"],
    )
