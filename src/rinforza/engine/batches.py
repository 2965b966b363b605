"""From what a machine has made to the batch that the caller gets."""

from typing import Any

import numpy as np

from ..contracts.batch import Batch
from ..contracts.learner import Learner
from ..contracts.policy import Policy
from ..contracts.search_memory import TALLY
from .batch_tables import BatchTables
from .course import current
from .machine import Machine
from .tables import Tables, new_record
from .telemetry import NO_CALLS, NO_ROWS, telemetry


def finished_batch(machine: Machine, learner: Learner, policy: Policy) -> Batch:
    """Return the batch that a machine has filled; `policy` has the settings that were in force."""
    arrays, summaries = machine.batch.filled()
    rows = {name: int(machine.record[name][0]) for name in NO_ROWS}
    return _made(machine, learner, policy, arrays, summaries, machine.search.tally, machine.calls, rows)


def empty_batch(machine: Machine, learner: Learner, policy: Policy) -> Batch:
    """Return a batch without records."""
    game = machine.rules.game
    columns = learner.columns(game, policy, machine.rules.observation_size)
    arrays, summaries = BatchTables(Tables(new_record()), columns, game.num_players).filled()
    tally = np.zeros((0, len(TALLY)))
    return _made(machine, learner, policy, arrays, summaries, tally, NO_CALLS, NO_ROWS)


def _made(
    machine: Machine,
    learner: Learner,
    policy: Policy,
    arrays: dict[str, np.ndarray],
    summaries: np.ndarray,
    tally: np.ndarray,
    calls: dict[str, Any],
    rows: dict[str, int],
) -> Batch:
    records = len(next(iter(arrays.values())))
    measured = telemetry(tally, summaries, calls, rows, records, machine.batch_size, current(policy))
    return learner.batch_type(arrays, measured, machine.rules.game.num_actions)
