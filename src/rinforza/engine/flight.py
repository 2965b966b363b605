"""The searches of a restored engine that were in flight, and the order in which slots are served.

A search in flight is not stored: its tables are full of indices that compiled code follows, and nobody but its
policy could check them. Stored are what it began with (`beginnings`; most policies begin with nothing), its
place in its random stream when it began, the number of rounds that it has absorbed, and which rows of its last
round were answered. Before the engine goes on it does these searches again, round by round, up to there: it
asks the network once more for the rows that had been answered, and for no others. A policy draws randomness
only from the search's stream, learns of the network only through its rows, and the state that is searched does
not change meanwhile; so where equal rows get equal answers, which is what repeatable batches rest on anyway,
the same calls in the same order give the same tables, request for request. Then the window and the queues are
put back as they were, and all that follows is what would have followed.

Where the network has changed since, a search may ask for other rows. It then goes on with those: nothing is
refused, since nothing is wrong. Answers that a policy had absorbed are not kept for such a case: to copy each
of them would cost every search several percent, all the time.
"""

from typing import Any

import numpy as np

from ..compiled import plain_python
from ..contracts.infer import Infer
from ..contracts.search_memory import REQUEST
from .content import Content, expect
from .interrupts import interrupts_held
from .keeping import first_of_each, in_flight
from .kernels import keeping_kernels, restoring_kernels
from .layout import AWAITING, CUT, CUT_AWAITING, FRESH, IDLE, SEARCH_STREAM
from .machine import Machine

OVER = -1  # of the rounds that are left of a search, when the last has been seen to
BEGINNING = {AWAITING: IDLE, CUT_AWAITING: CUT}
ARRAYS = (
    "began",
    "n_rounds",
    "n_requests",
    "request_player",
    "answered",
    "ready",
    "ring_counts",
    "rings",
    "window_slots",
    "window_requests",
)
Rows = dict[int, list[np.ndarray]]  # for each slot and queue, numbers of requests


class Flight:
    """What a snapshot says of the searches in flight; everything in it is checked.

    Args:
        machine: The machine, in which all else is in place.
        content: The snapshot's arrays.
        header: Its header.
        n_players: Players of the game.

    Attributes:
        slots: The slots in flight.
        arrays, header: What a snapshot has of it, until it has landed.
    """

    def __init__(self, machine: Machine, content: Content, header: Any, n_players: int):
        self.header = {name: header[name] for name in ("n_queues", "window_queue")}
        self._phases = machine.tables.arrays["slots"]["phase"].copy()
        self._counters = machine.tables.arrays["streams"]["counter"].copy()
        self.slots = in_flight(machine)
        self.arrays = self._taken(content, len(self.slots))
        self._check_searches(n_players)
        self._check_queues(n_players)

    def _taken(self, content: Content, count: int) -> dict[str, np.ndarray]:
        n_requests = content.take("n_requests", np.int64, count)
        ring_counts = content.take("ring_counts", np.int64, self.header["n_queues"])
        for values in (n_requests, ring_counts):
            expect(values.min(initial=0) >= 0, "a number of rows or slots is negative")
        window = content.take("window_slots", np.int32, None)
        found = {
            "began": content.take("began", np.uint64, count),
            "n_rounds": content.take("n_rounds", np.int64, count),
            "n_requests": n_requests,
            "request_player": content.take("request_player", np.int32, int(n_requests.sum())),
            "answered": content.take("answered", np.uint8, int(n_requests.sum())),
            "ready": content.take("ready", np.int32, None),
            "ring_counts": ring_counts,
            "rings": content.take("rings", np.int32, int(ring_counts.sum())),
            "window_slots": window,
            "window_requests": content.take("window_requests", np.int32, len(window)),
        }
        return {name: found[name] for name in ARRAYS}

    def _check_searches(self, n_players: int) -> None:
        arrays = self.arrays
        players = arrays["request_player"]
        cut = self._phases[self.slots] == CUT_AWAITING
        right = np.where(cut, arrays["n_rounds"] == 0, arrays["n_rounds"] >= 0)
        expect(np.all(right), "a number of rounds is negative, or one of a cut")
        expect(arrays["n_requests"].min(initial=1) >= 1, "a slot waits for no rows")
        expect(not np.any((players < 0) | (players >= n_players)), "a row is for a player that there is not")
        expect(arrays["answered"].max(initial=0) < 2, "a row is answered neither 0 nor 1")

    def _check_queues(self, n_players: int) -> None:
        """Check that each row without an answer is in the window, or waits in the ring of its queue."""
        arrays, n_slots = self.arrays, len(self._phases)
        n_queues, window_queue = self.header["n_queues"], self.header["window_queue"]
        right = n_queues in (1, n_players) and window_queue < n_queues
        expect(right, "it has other queues than the game's players")
        waiting = self._waiting()
        window = _window_rows(arrays["window_slots"], arrays["window_requests"], waiting, window_queue)
        for queue, ring in enumerate(self._rings()):
            _check_slots(ring, n_slots, "a ring")
            taken = window if queue == window_queue else {}
            left = {slot for slot, rows in waiting.items() if len(rows[queue]) > taken.get(slot, 0)}
            expect(set(ring.tolist()) == left, "a ring does not list the slots whose rows are left")
        _check_slots(arrays["ready"], n_slots, "the list of ready slots")
        answered = {slot for slot, rows in waiting.items() if not any(map(len, rows))}
        in_play = ~np.isin(self._phases[arrays["ready"]], (FRESH, IDLE))
        listed = set(arrays["ready"][in_play].tolist())
        expect(listed == answered, "the slots that are to go on are not those that have their answers")

    def _rings(self) -> list[np.ndarray]:
        return np.split(self.arrays["rings"], np.cumsum(self.arrays["ring_counts"])[:-1])

    def _per_slot(self, name: str) -> dict[int, np.ndarray]:
        """Return an array of all rows in pieces, one for each slot."""
        pieces = np.split(self.arrays[name], np.cumsum(self.arrays["n_requests"])[:-1])
        return dict(zip(self.slots.tolist(), pieces, strict=False))

    def _waiting(self) -> Rows:
        players, answered = self._per_slot("request_player"), self._per_slot("answered")
        n_queues = self.header["n_queues"]
        return {slot: _by_queue(answered[slot], players[slot], n_queues) for slot in self.slots.tolist()}

    # ------------------------------------------------------------------------------ doing it again

    def land(self, machine: Machine, callbacks: list[Infer]) -> None:
        """Do the searches again and put everything in its place; after an error nothing has happened.

        Args:
            machine: The machine.
            callbacks: The network. What it is asked here is not counted.
        """
        calls, tally = dict(machine.calls), machine.search.tally.copy()
        try:
            self._redo(machine, callbacks)
            with interrupts_held():
                self.install(machine)
                machine.flight = None
        except BaseException:
            if machine.flight is self:  # an interrupt may come when all is done
                self._put_back(machine)
            raise
        finally:
            machine.calls = calls
            machine.search.tally[:] = tally

    def _redo(self, machine: Machine, callbacks: list[Infer]) -> None:
        own, redo = machine.tables.arrays["slots"], restoring_kernels(plain_python()).redo
        searching = self.slots[self._phases[self.slots] == AWAITING]
        began = self.arrays["began"][self._phases[self.slots] == AWAITING]
        machine.tables.arrays["streams"]["counter"][searching, SEARCH_STREAM] = began
        own["phase"][self.slots] = [BEGINNING[phase] for phase in self._phases[self.slots].tolist()]
        own["new_steps"][self.slots] = 0
        machine.redo(redo, self.slots)
        left = np.full(len(own), OVER)
        left[self.slots] = self.arrays["n_rounds"]
        while (left >= 0).any():
            whole = left > 0
            slots, requests = self._due(machine, left)
            _ask(machine, callbacks, slots, requests)
            machine.redo(redo, np.flatnonzero(whole & np.isin(own["phase"], tuple(BEGINNING))))
            left[left >= 0] -= 1
            left[~np.isin(own["phase"], tuple(BEGINNING))] = OVER  # done sooner than before

    def _due(self, machine: Machine, left: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows to ask for: whole rounds, and in the last one those that had been answered."""
        table = machine.search.table("requests", REQUEST)
        in_flight = np.isin(machine.tables.arrays["slots"]["phase"], tuple(BEGINNING))
        counts = machine.tables.arrays["memories"]["n_requests"]
        due = first_of_each(counts, table.shape[1]) & (in_flight & (left > 0))[:, None]
        players, answered = self._per_slot("request_player"), self._per_slot("answered")
        for slot in np.flatnonzero(in_flight & (left == 0)).tolist():
            if np.array_equal(table["player"][slot, : counts[slot]], players[slot]):
                due[slot, : counts[slot]] = answered[slot] == 1
        slots, requests = np.nonzero(due)
        return slots.astype(np.int32), requests.astype(np.int32)

    def _put_back(self, machine: Machine) -> None:
        machine.tables.arrays["slots"]["phase"] = self._phases
        machine.tables.arrays["streams"]["counter"] = self._counters
        if machine.record["keeps_search"][0]:
            for slot in self.slots[self._phases[self.slots] == AWAITING].tolist():
                keeping_kernels(plain_python()).put_back(machine.address, slot)

    # ------------------------------------------------------------------------------ the queues

    def install(self, machine: Machine) -> None:
        """Fill in who waits where.

        A window that does not fit is taken apart, and its slots go first. Slots whose searches went another
        way go last.
        """
        waiting = _found(machine, self.header["n_queues"])
        usual = self._waiting()
        strays = [slot for slot in usual if slot not in waiting or not _alike(waiting[slot], usual[slot])]
        window, taken = self.arrays["window_slots"], self.arrays["window_requests"]
        kept = ~np.isin(window, strays)
        window, taken = window[kept], taken[kept]
        rings = [ring[~np.isin(ring, strays)] for ring in self._rings()]
        if len(window) > machine.record["batch_size"][0]:
            queue = self.header["window_queue"]
            rings[queue] = _joined(window, rings[queue])
            window, taken = window[:0], taken[:0]
        for queue, ring in enumerate(rings):
            late = [slot for slot in strays if slot in waiting and len(waiting[slot][queue])]
            rings[queue] = np.append(ring, np.array(late, np.int32))
        _fill_window(machine, window, taken, self.header["window_queue"])
        _fill_rings(machine, rings, waiting, window)
        _look_up_window(machine)
        ready = self.arrays["ready"]
        over = [slot for slot in strays if slot not in waiting]  # done sooner than before
        machine.make_ready(np.append(ready[~np.isin(ready, strays)], np.array(over, np.int32)))
        own = machine.tables.arrays["slots"]
        machine.record["unrecorded"] += own["new_steps"].sum()
        own["new_steps"] = 0


def _by_queue(answered: np.ndarray, players: np.ndarray, n_queues: int) -> list[np.ndarray]:
    """Return the numbers of a slot's rows without an answer, for each queue."""
    return [
        np.flatnonzero((answered == 0) & ((n_queues == 1) | (players == queue))) for queue in range(n_queues)
    ]


def _found(machine: Machine, n_queues: int) -> Rows:
    """Return the rows without an answer that the machine's own slots wait for."""
    table, counts = machine.search.table("requests", REQUEST), machine.tables.arrays["memories"]["n_requests"]
    found = {}
    for slot in in_flight(machine).tolist():
        requests = table[slot, : counts[slot]]
        found[slot] = _by_queue(requests["answered"], requests["player"], n_queues)
    return found


def _alike(first: list[np.ndarray], second: list[np.ndarray]) -> bool:
    return all(map(np.array_equal, first, second))


def _ask(machine: Machine, callbacks: list[Infer], slots: np.ndarray, requests: np.ndarray) -> None:
    """Ask for rows, window by window, each for one callback."""
    players = machine.search.table("requests", REQUEST)["player"][slots, requests]
    take, size = restoring_kernels(plain_python()).take, int(machine.record["batch_size"][0])
    for queue, infer in enumerate(callbacks):
        places = np.flatnonzero((players == queue) | (len(callbacks) == 1))
        for begin in range(0, len(places), size):
            window = places[begin : begin + size]
            machine.ask_again(infer, slots[window], requests[window], take)


def _check_slots(slots: np.ndarray, n_slots: int, where: str) -> None:
    inside = not np.any((slots < 0) | (slots >= n_slots))
    expect(inside and len(np.unique(slots)) == len(slots), f"{where} does not list different slots")


def _window_rows(window: np.ndarray, taken: np.ndarray, waiting: Rows, queue: int) -> dict[int, int]:
    """Return how many of each slot's rows are in the window: the first ones that wait in its queue."""
    rows: dict[int, int] = {}
    for slot, request in zip(window.tolist(), taken.tolist(), strict=True):
        place = rows.get(slot, 0)
        own = waiting[slot][queue] if slot in waiting else ()
        expect(place < len(own) and own[place] == request, "the window holds a row that nobody waits for")
        rows[slot] = place + 1
    return rows


def _joined(window: np.ndarray, ring: np.ndarray) -> np.ndarray:
    """Return the slots of a window, then those of a ring, each once."""
    both = np.concatenate([window, ring])
    return both[np.sort(np.unique(both, return_index=True)[1])]


def _fill_rings(machine: Machine, rings: list[np.ndarray], waiting: Rows, window: np.ndarray) -> None:
    """Fill in the rings, the slots' places in their rows, and what the scheduler knows of the slots."""
    record, arrays = machine.record, machine.tables.arrays
    n_slots, n_queues = len(arrays["slots"]), len(rings)
    record["n_queues"] = n_queues
    machine.cache.partition(n_queues)
    table = arrays["rings"].reshape(-1)[: n_queues * n_slots].reshape(n_queues, n_slots)
    cursors = arrays["cursors"].reshape(-1)[: n_queues * n_slots].reshape(n_slots, n_queues)
    in_order = n_queues == 1
    for slot, own in waiting.items():
        rows = int(arrays["memories"]["n_requests"][slot])
        arrays["awaited"][slot] = sum(map(len, own))
        arrays["outcomes"]["rows"][slot] = rows
        in_order = in_order and len(own[0]) + own[0].min(initial=rows) == rows
    arrays["outcomes"]["phase"] = arrays["slots"]["phase"]
    in_window = np.bincount(window, minlength=n_slots)
    for queue, ring in enumerate(rings):
        total = 0
        for slot in ring.tolist():
            left = waiting[slot][queue][in_window[slot] if queue == record["window_queue"][0] else 0 :]
            cursors[slot, queue] = left[0]
            total += len(left)
        table[queue, : len(ring)] = ring
        arrays["ring_heads"][queue], arrays["ring_counts"][queue] = 0, len(ring)
        arrays["ring_rows"][queue] = total
    record["in_order"] = in_order


def _fill_window(machine: Machine, window: np.ndarray, taken: np.ndarray, queue: int) -> None:
    arrays = machine.tables.arrays
    arrays["window_slots"][: len(window)] = window
    arrays["window_requests"][: len(window)] = taken
    machine.record["window_rows"] = machine.record["asked_rows"] = len(window)
    machine.record["window_closed"], machine.record["window_queue"] = len(window) > 0, queue
    machine.record["answered"] = 0


def _look_up_window(machine: Machine) -> None:
    """Find again which rows of the window are equal, where there is a cache.

    They have been counted before, and a snapshot leaves the cache empty.
    """
    record = machine.record
    counted = {name: int(record[name][0]) for name in ("cache_lookups", "cache_hits")}
    restoring_kernels(plain_python()).look_up(machine.address)
    machine.cache.clear()
    for name, count in counted.items():
        record[name] = count
