"""What a collection measured."""

from typing import Any

import numpy as np

from ..contracts.search_memory import (
    DECISIONS,
    DEPTHCAP_SIMS,
    DISAGREEMENT,
    EXPANSIONS,
    LEAVES,
    MAX_DEPTH,
    ROUNDS,
    SIGMA,
    TERMINAL_SIMS,
)


def telemetry(
    tally: np.ndarray, summaries: np.ndarray, calls: dict[str, Any], rows: dict[str, int]
) -> dict[str, Any]:
    """Put together the telemetry of one call.

    Args:
        tally: float64 (slots, counters), what the searches counted.
        summaries: float64 (episodes, players + 1), each episode's returns and ticks.
        calls: `infer_calls`, `infer_rows`, `infer_seconds` and `padded_rows`.
        rows: `requested_rows` and `tail_rows`.
    """
    sums = tally.sum(axis=0)
    decisions = int(sums[DECISIONS])
    per_decision = 1.0 / max(decisions, 1)
    return {
        "episodes": [(row[:-1], int(row[-1]), False) for row in summaries.tolist()],
        "decisions": decisions,
        "max_depth": int(tally[:, MAX_DEPTH].max(initial=0)),
        "mean_leaves": float(sums[LEAVES] * per_decision),
        "mean_rounds": float(sums[ROUNDS] * per_decision),
        "mean_expansions": float(sums[EXPANSIONS] * per_decision),
        "mean_sigma": float(sums[SIGMA] * per_decision),
        "mean_disagreement": float(sums[DISAGREEMENT] * per_decision),
        **calls,
        "cache_lookups": 0,
        "cache_hits": 0,
        "terminal_sims": int(sums[TERMINAL_SIMS]),
        "depthcap_sims": int(sums[DEPTHCAP_SIMS]),
        **rows,
        "extra_eval_rows": 0,
    }
