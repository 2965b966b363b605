"""From the arrays of a snapshot to a machine, with nothing taken on trust.

`keeping` wrote the arrays. A machine is filled that has not run, so that a snapshot which is refused halfway
does no harm. Sizes, indices, and phases are checked before compiled code sees them, states by the game
itself; what follows from other arrays is not stored but worked out.
"""

from typing import Any

import numpy as np

from ..compiled import plain_python
from ..contracts.composition import Rules
from ..contracts.learner import Learner
from ..contracts.policy import Policy
from ..contracts.state_bytes import clear_padding
from .content import Content, expect
from .flight import Flight
from .keeping import BEGINS_WITH, KEPT_TABLES, PHASES, STEP_FIELDS, first_of_each
from .kernels import keeping_kernels, restoring_kernels
from .layout import (
    CUT_AWAITING,
    FRESH,
    IDLE,
    STREAMS,
)
from .machine import Machine
from .replay import SOUND
from .snapshot import EngineSnapshot
from .start_tables import StartTables
from .telemetry import NO_ROWS

PHASE_OF_CODE = {code: phase for phase, code in PHASES.items()}
MOST_TICKS = 1 << 62


def fill(machine: Machine, snapshot: EngineSnapshot, rules: Rules, policy: Policy, learner: Learner) -> None:
    """Bring a new machine to the moment of a snapshot of its composition.

    Raises:
        ValueError: "invalid EngineSnapshot: ..." if it makes no sense. The machine is of no use then.
    """
    content = Content(snapshot.arrays)
    collecting = snapshot.header["collecting"]
    _fill_slots(machine, content, rules, policy)
    _fill_trajectories(machine, content, rules, learner)
    if machine.starts is not None:
        _fill_starts(machine, machine.starts, content, rules)
    _inspect(machine, rules)
    _fill_beginnings(machine, content, policy)
    flight = Flight(machine, content, snapshot.header, rules.game.num_players)
    if len(flight.slots):
        machine.flight = flight
    else:
        flight.install(machine)
    tally = machine.search.tally
    tally[:] = 0.0
    if collecting:
        _fill_batch(machine, content, snapshot.header, rules, learner)
        tally[:] = content.take("tally", np.float64, *tally.shape)
    else:
        phases = machine.tables.arrays["slots"]["phase"]
        at_rest = np.isin(phases, (FRESH, IDLE)).all() and len(machine.ready_slots()) == 0
        expect(at_rest, "rows are pending, though no collection is under way")
    content.check_empty()


def _fill_slots(machine: Machine, content: Content, rules: Rules, policy: Policy) -> None:
    """Fill in what each slot has one of."""
    arrays = machine.tables.arrays
    slots = arrays["slots"]
    n_slots, n_players = arrays["returns"].shape
    codes = content.take("phase", np.uint8, n_slots)
    expect(codes.max(initial=0) < len(PHASES), "a slot is in no known phase")
    phases = np.array([PHASE_OF_CODE[code] for code in codes.tolist()])
    goes_on = content.take("goes_on", np.uint8, n_slots)
    windowed = bool(machine.record["windowed"][0])
    cut = phases == CUT_AWAITING
    expect(not np.any((goes_on > 1) | ((goes_on == 1) & ~(cut & windowed))), "a slot goes on without a cut")
    expect(not np.any(cut) or machine.record["uses_tail"][0], "rows of a cut are pending that nobody reads")
    ticks = content.take("ticks", np.int64, n_slots)
    horizon = int(machine.record["horizon"][0]) or MOST_TICKS
    at_horizon = cut & (goes_on == 0)
    right = np.where(at_horizon, ticks == horizon, (ticks >= 0) & (ticks < horizon))
    expect(np.all(right | (phases == FRESH)), "a slot's ticks do not go with the game's horizon")
    progress = content.take("progress", np.int64, n_slots)
    playing = phases != FRESH
    known = all(policy.valid_progress(value) for value in set(progress[playing].tolist()))
    expect(known, f"{policy.name!r} has no such state of an episode")
    slots["phase"], slots["goes_on"] = phases, goes_on
    slots["ticks"], arrays["progress"][:] = np.where(playing, ticks, 0), np.where(playing, progress, 0)
    arrays["streams"]["counter"] = content.take("counters", np.uint64, n_slots, STREAMS)
    arrays["returns"][:] = content.take("returns", np.float64, n_slots, n_players)
    live = content.take("live", np.uint8, n_slots, rules.state_size).copy()
    expect(clear_padding(live, rules.game.state_dtype), "a state has a flag that is no bool")
    arrays["live"].view(np.uint8)[:] = live


def _fill_trajectories(machine: Machine, content: Content, rules: Rules, learner: Learner) -> None:
    """Fill in the kept steps, states and evaluations."""
    record, arrays = machine.record[0], machine.tables.arrays
    slots = arrays["slots"]
    n_slots, n_players = arrays["returns"].shape
    n_steps = content.take("n_steps", np.int64, n_slots)
    total = int(n_steps.sum()) if n_steps.min(initial=0) >= 0 else -1
    fields = {name: content.take(f"step_{name}", arrays["steps"].dtype[name], total) for name in STEP_FIELDS}
    owner = np.repeat(np.arange(n_slots), n_steps)
    first = np.ones(total, bool)
    first[1:] = owner[1:] != owner[:-1]
    _check_steps(fields, first, n_players, rules.game.num_actions)
    n_states = np.bincount(owner, first | (np.diff(fields["state"], prepend=0) > 0), n_slots).astype(np.int64)
    expect(not np.any(n_states > slots["ticks"]), "a slot has kept more decisions than it has played")
    sizes = np.where(
        fields["n_actions"] > 0,
        record["evaluation_scalars"] + record["evaluation_heads"] * fields["n_actions"].astype(np.int64),
        0,
    )
    sizes = sizes if learner.stores_evaluations else np.zeros(total, np.int64)
    n_evaluations = np.bincount(owner, sizes, n_slots).astype(np.int64)
    states = content.take("states", np.uint8, int(n_states.sum()), rules.state_size).copy()
    expect(clear_padding(states, rules.game.state_dtype), "a state has a flag that is no bool")
    evaluations = content.take("evaluations", np.float64, int(n_evaluations.sum()))
    while record["step_capacity"] < n_steps.max() or record["evaluation_capacity"] < n_evaluations.max():
        machine.trajectories.grow()
    arrays = machine.tables.arrays  # grown ones are others
    steps = np.zeros(total, arrays["steps"].dtype)
    for name, values in fields.items():
        steps[name] = values
    steps["evaluation"] = _places(sizes, owner, n_evaluations, fields["n_actions"] > 0)
    capacity = int(record["step_capacity"])
    arrays["steps"][first_of_each(n_steps, capacity)] = steps
    kept = arrays["step_states"].view(np.uint8).reshape(n_slots, capacity, -1)
    kept[first_of_each(n_states, capacity)] = states
    arrays["evaluations"][first_of_each(n_evaluations, int(record["evaluation_capacity"]))] = evaluations
    slots["n_steps"], slots["n_states"], slots["n_evaluations"] = n_steps, n_states, n_evaluations
    arrays["last_step"][:] = -1
    arrays["last_step"][owner, fields["player"]] = np.arange(total) - (np.cumsum(n_steps) - n_steps)[owner]
    learning = (arrays["learns"][fields["player"]] != 0) & (fields["n_actions"] > 0)
    machine.record["unrecorded"] = int(learning.sum()) if machine.record["windowed"][0] else 0


def _fill_starts(machine: Machine, starts: StartTables, content: Content, rules: Rules) -> None:
    """Fill in the start buffer, and whose episodes began in it; ask the game about every state."""
    slots = machine.tables.arrays["slots"]
    starts.fill(content)
    slots["seeded"] = _flags(content, "seeded", len(slots))
    empty, no_episode = machine.record["n_occupied"][0] == 0, slots["phase"] == FRESH
    expect(
        not np.any(slots["seeded"][no_episode | empty]),
        "a slot is seeded from nothing, or without an episode",
    )
    slots["n_offered"] = slots["n_states"]
    found = restoring_kernels(plain_python()).inspect_starts(machine.address)
    expect(found == SOUND, f"the start buffer has a state that {rules.game.name!r} does not know in its cell")


def _flags(content: Content, name: str, count: int) -> np.ndarray:
    """Return an array of zeros and ones."""
    flags = content.take(name, np.uint8, count)
    expect(flags.max(initial=0) < 2, f"the array {name!r} holds what is neither 0 nor 1")
    return flags


def _check_steps(fields: dict[str, np.ndarray], first: np.ndarray, n_players: int, n_actions: int) -> None:
    """Check the numbers of steps; `first` marks each slot's first one."""
    ranges = {"player": (0, n_players - 1), "action": (-1, n_actions - 1), "n_actions": (0, n_actions)}
    for name, (low, high) in ranges.items():
        values = fields[name]
        expect(not np.any((values < low) | (values > high)), f"a step's {name} is out of range")
    jumps = np.diff(fields["state"], prepend=0)
    right = np.where(first, (fields["state"] == 0) & (fields["n_actions"] > 0), (jumps == 0) | (jumps == 1))
    expect(np.all(right), "steps are not in the order of their states")


def _places(sizes: np.ndarray, owner: np.ndarray, totals: np.ndarray, acts: np.ndarray) -> np.ndarray:
    """Return where in its slot's evaluations each step's begins; one that does not act has the last one's."""
    places = np.cumsum(sizes) - sizes - (np.cumsum(totals) - totals)[owner]
    last_acting = np.maximum.accumulate(np.where(acts, np.arange(len(sizes)), -1))
    return np.where(last_acting >= 0, places[last_acting], 0)


def _inspect(machine: Machine, rules: Rules) -> None:
    """Ask the game about every state, and whether the steps are possible in theirs."""
    slots = machine.tables.arrays["slots"]
    expect(not np.any(slots["n_steps"][slots["phase"] == FRESH]), "a slot without an episode has kept steps")
    for slot in np.flatnonzero(slots["phase"] != FRESH).tolist():
        found = restoring_kernels(plain_python()).inspect(machine.address, slot)
        expect(found == SOUND, f"slot {slot} has a state or a step that {rules.game.name!r} does not know")


def _fill_beginnings(machine: Machine, content: Content, policy: Policy) -> None:
    """Fill in what searches begin with, where the policy keeps searches; the policy says if it is sound."""
    if not policy.keeps_search:
        return
    arrays, search = machine.tables.arrays, machine.search
    n_slots = len(arrays["slots"])
    counts = {name: content.take(name, np.int64, n_slots) for name in ("kept_nodes", "kept_edges")}
    begins = np.isin(arrays["slots"]["phase"], BEGINS_WITH)
    for name, values in counts.items():
        expect(values.min(initial=0) >= 0 and not np.any(values[~begins]), f"{name} has impossible numbers")
    taken = {}
    for name in KEPT_TABLES:
        total = int(counts["kept_edges" if name in ("edges", "actions") else "kept_nodes"].sum())
        taken[name] = content.take(f"search_{name}", np.uint8, total, search.rows(f"kept_{name}").shape[2])
    search.make_room(int(counts["kept_nodes"].max()) + 1, int(counts["kept_edges"].max()))
    for name, values in taken.items():
        table = search.rows(f"kept_{name}")
        own = counts["kept_edges" if name in ("edges", "actions") else "kept_nodes"]
        table[first_of_each(own, table.shape[1])] = values
    memories = arrays["memories"]
    memories["n_kept_nodes"], memories["n_kept_edges"] = counts["kept_nodes"], counts["kept_edges"]
    kernels = keeping_kernels(plain_python())
    for slot in np.flatnonzero(begins).tolist():
        kernels.put_back(machine.address, slot)
        sound = kernels.is_sound(machine.address, slot) != 0
        expect(sound, f"slot {slot} begins a search with what {policy.name!r} cannot have left")


def _fill_batch(machine: Machine, content: Content, header: Any, rules: Rules, learner: Learner) -> None:
    """Fill in the records that were finished, and what was counted."""
    counters = header["counters"]
    names = [*machine.calls, *NO_ROWS]
    expect(sorted(counters) == sorted(names), "its counters are others")
    arrays: dict[str, np.ndarray] = {}
    rows = None
    for name, column, role in machine.batch.fields:
        shape = column.shape if role == "rows" else ()
        array = content.take(f"batch_{name}", column.dtype, None, *shape)
        if role != "ids":
            length = len(array) - (role == "offsets")
            rows = length if rows is None else rows
            expect(length == rows, "the records' arrays differ in length")
        if role == "offsets":
            ids = arrays[name.replace("_offsets", "_ids")]
            limits = np.concatenate([[0], array, [len(ids)]])
            expect(
                array[0] == 0 and array[-1] == len(ids) and np.all(np.diff(limits) >= 0), f"{name} is no CSR"
            )
        arrays[name] = array
    summaries = content.take("summaries", np.float64, None, rules.game.num_players + 1)
    seeded = np.zeros(len(summaries), np.uint8)
    if machine.starts is not None:
        seeded = _flags(content, "summaries_seeded", len(summaries))
    machine.batch.fill(arrays, np.column_stack([summaries, seeded]))
    for name in machine.calls:
        machine.calls[name] = type(machine.calls[name])(counters[name])
    for name in NO_ROWS:
        machine.record[name] = int(counters[name])
