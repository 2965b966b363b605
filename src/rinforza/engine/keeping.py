"""From a machine at rest to the arrays of a snapshot.

At rest a slot has no episode yet, stands at a decision that has not been started, or waits for rows: those
of a search's round, or those of a state at which a trajectory was cut. `restoring` takes these arrays apart
again. Where a policy keeps searches, what each slot's search began with, or will begin with, is among them.
"""

from typing import Any

import numpy as np

from ..compiled import plain_python
from ..contracts.learner import STEP
from ..contracts.search_memory import REQUEST
from .kernels import keeping_kernels
from .layout import AWAITING, CUT_AWAITING, FRESH, IDLE
from .machine import Machine
from .telemetry import NO_ROWS

# How a snapshot writes the phases.
PHASES = {FRESH: 0, IDLE: 1, AWAITING: 2, CUT_AWAITING: 3}
IN_FLIGHT = (AWAITING, CUT_AWAITING)
BEGINS_WITH = (IDLE, AWAITING)  # the phases in which it matters what a search begins with
KEPT_TABLES = ("nodes", "states", "sides", "edges", "actions")
STEP_FIELDS = ("player", "action", "n_actions", "state", "reward")


def keep(machine: Machine, collecting: bool) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Copy out everything that a machine's further course depends on.

    Args:
        machine: The machine, after `quiesce`.
        collecting: Whether a collection was cut short, whose records are kept then.

    Returns:
        What goes to the header, and the arrays.
    """
    record = machine.record[0]
    arrays = {**_slots(machine), **_trajectories(machine), **_beginnings(machine)}
    arrays |= machine.flight.arrays if machine.flight else {**_searches(machine), **_queues(machine)}
    if machine.starts is not None:
        arrays |= machine.starts.keep()
        arrays["seeded"] = machine.tables.arrays["slots"]["seeded"].astype(np.uint8)
    counters = {}
    if collecting:
        columns, summaries = machine.batch.filled()
        arrays |= {f"batch_{name}": array.copy() for name, array in columns.items()}
        arrays["summaries"] = summaries[:, :-1]
        if machine.starts is not None:
            arrays["summaries_seeded"] = summaries[:, -1].astype(np.uint8)
        arrays["tally"] = machine.search.tally.copy()
        counters = {**machine.calls, **{name: int(record[name]) for name in NO_ROWS}}
    queues = {
        "n_queues": int(record["n_queues"]),
        "window_queue": int(record["window_queue"]) if record["window_rows"] else 0,
    }
    return {"counters": counters, **(machine.flight.header if machine.flight else queues)}, arrays


def _slots(machine: Machine) -> dict[str, np.ndarray]:
    arrays = machine.tables.arrays
    slots = arrays["slots"]
    return {
        "phase": np.array([PHASES[phase] for phase in slots["phase"].tolist()], np.uint8),
        "goes_on": slots["goes_on"].astype(np.uint8),
        "ticks": slots["ticks"].copy(),
        "progress": arrays["progress"].copy(),
        "counters": arrays["streams"]["counter"].copy(),
        "returns": arrays["returns"].copy(),
        "live": arrays["live"].view(np.uint8).copy(),
    }


def _trajectories(machine: Machine) -> dict[str, np.ndarray]:
    """The kept steps, states and evaluations of all slots, one slot after the other."""
    arrays = machine.tables.arrays
    slots, steps = arrays["slots"], arrays["steps"]
    n_slots, capacity = steps.shape
    kept = np.ascontiguousarray(steps[first_of_each(slots["n_steps"], capacity)], STEP)
    states = arrays["step_states"].view(np.uint8).reshape(n_slots, capacity, -1)
    evaluations = arrays["evaluations"]
    return {
        "n_steps": slots["n_steps"].copy(),
        **{f"step_{field}": kept[field].copy() for field in STEP_FIELDS},
        "states": states[first_of_each(slots["n_states"], capacity)],
        "evaluations": evaluations[first_of_each(slots["n_evaluations"], evaluations.shape[1])],
    }


def first_of_each(counts: np.ndarray, capacity: int) -> np.ndarray:
    """Return a mask (slots, capacity) of the first so many places of each slot."""
    return np.arange(capacity) < counts[:, None]


def _beginnings(machine: Machine) -> dict[str, np.ndarray]:
    """What the searches of all slots begin with, one slot after the other, where the policy keeps searches."""
    if not machine.record["keeps_search"][0]:
        return {}
    arrays, search = machine.tables.arrays, machine.search
    phases, memories = arrays["slots"]["phase"], arrays["memories"]
    for slot in np.flatnonzero(phases == IDLE).tolist():
        keeping_kernels(plain_python()).trim(machine.address, slot)
    begins = np.isin(phases, BEGINS_WITH)
    n_nodes, n_edges = (np.where(begins, memories[name], 0) for name in ("n_kept_nodes", "n_kept_edges"))
    found = {"kept_nodes": n_nodes, "kept_edges": n_edges}
    for name in KEPT_TABLES:
        table = search.rows(f"kept_{name}")
        counts = n_edges if name in ("edges", "actions") else n_nodes
        found[f"search_{name}"] = table[first_of_each(counts, table.shape[1])]
    return found


def _searches(machine: Machine) -> dict[str, np.ndarray]:
    """Where the searches in flight began, how far they are, and the rows they wait for."""
    slots = in_flight(machine)
    memories = machine.tables.arrays["memories"][slots]
    searching = machine.tables.arrays["slots"]["phase"][slots] == AWAITING
    requests = machine.search.table("requests", REQUEST)[slots]
    asked = requests[first_of_each(memories["n_requests"], requests.shape[1])]
    return {
        "began": np.where(searching, memories["began"], np.uint64(0)),
        "n_rounds": memories["n_rounds"].copy(),
        "n_requests": memories["n_requests"].copy(),
        "request_player": asked["player"].copy(),
        "answered": asked["answered"].astype(np.uint8),
    }


def in_flight(machine: Machine) -> np.ndarray:
    """Return the slots that wait for rows, or have them and have not gone on."""
    return np.flatnonzero(np.isin(machine.tables.arrays["slots"]["phase"], IN_FLIGHT))


def _queues(machine: Machine) -> dict[str, np.ndarray]:
    """The order in which slots are served, and the window that was to be asked."""
    record, arrays = machine.record[0], machine.tables.arrays
    n_queues, rows = int(record["n_queues"]), int(record["window_rows"])
    counts = arrays["ring_counts"][:n_queues].copy()
    places = [
        (head + np.arange(count)) % arrays["rings"].shape[1]
        for head, count in zip(arrays["ring_heads"], counts, strict=False)
    ]
    rings = arrays["rings"].reshape(-1)[: n_queues * arrays["rings"].shape[1]].reshape(n_queues, -1)
    return {
        "ready": machine.ready_slots(),
        "ring_counts": counts,
        "rings": np.concatenate([ring[at] for ring, at in zip(rings, places, strict=True)]),
        "window_slots": arrays["window_slots"][:rows].copy(),
        "window_requests": arrays["window_requests"][:rows].copy(),
    }
