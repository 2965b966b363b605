"""The memory that one search works in, and how it asks for network rows.

A slot owns one `MEMORY` record and the tables it points to. A policy numbers its nodes and edges from 0; node
i has state i, edge j has action j. Before it adds anything it calls `has_room`, and returns FULL when the
answer is no: the engine enlarges the tables and calls the same method again. A search that passes a bound of its
own returns `refuse(memory, reason)`.
"""

import numpy as np

from ..compiled import array_at

FULL = -1
REFUSED = -2

MEMORY = np.dtype(
    [
        # what every simulation reads
        ("nodes", np.int64),  # the policy's node_dtype[node_capacity]
        ("edges", np.int64),  # the policy's edge_dtype[edge_capacity]
        ("states", np.int64),  # node_capacity states of rules.state_size bytes
        ("sides", np.int64),  # the policy's side_dtype[node_capacity, n_sides]
        ("n_sides", np.int64),  # the number of players where a node holds something for each, else 0
        ("node_capacity", np.int64),
        ("edge_capacity", np.int64),
        ("n_nodes", np.int64),
        ("n_edges", np.int64),
        ("actions", np.int64),  # int32[edge_capacity]
        ("requests", np.int64),  # REQUEST[request_capacity]
        ("answers", np.int64),  # float64[answer_capacity]
        ("request_capacity", np.int64),
        ("answer_capacity", np.int64),
        ("n_requests", np.int64),
        ("n_answers", np.int64),  # float64s given out to this round's requests
        ("answer_scalars", np.int64),  # numbers per row beside those per action
        ("answer_heads", np.int64),  # numbers per action
        ("tally", np.int64),  # float64[len(TALLY)]
        ("scratch", np.int64),  # the SCRATCH record of the running thread
        ("n_rounds", np.int64),  # rounds that the search has absorbed
        # what few read
        ("is_trimmed", np.int64),  # 1 once `keep_search` has seen to what the last search left
        ("kept_nodes", np.int64),  # the tables as the search began, where the policy keeps searches
        ("kept_edges", np.int64),
        ("kept_states", np.int64),
        ("kept_sides", np.int64),
        ("kept_actions", np.int64),
        ("n_kept_nodes", np.int64),
        ("n_kept_edges", np.int64),
        ("began", np.uint64),  # where its stream stood when the search began
        ("short", np.int64),  # the SHORT_ bits of the tables that were too small
        ("refusal", np.int64),  # why the search was refused: an index into the policy's refusals
    ],
    align=True,
)

REQUEST = np.dtype(
    [
        ("state", np.int32),  # index into the states
        ("player", np.int32),  # whose view is encoded
        ("first_action", np.int32),  # index into the actions
        ("n_actions", np.int32),  # how many actions the answer covers; 0 for a value alone
        ("answer", np.int64),  # index into the answers
        ("answered", np.int64),  # 1 when the answer has come
    ],
    align=True,
)

# What a search may count, and the engine beside it, which sums it into the telemetry.
TALLY = (
    "decisions",
    "leaves",
    "rounds",
    "expansions",
    "max_depth",
    "sigma",
    "disagreement",
    "terminal",
    "depth_cap",
    "extra_rows",
    "resigned",
)
(
    DECISIONS,
    LEAVES,
    ROUNDS,
    EXPANSIONS,
    MAX_DEPTH,
    SIGMA,
    DISAGREEMENT,
    TERMINAL_SIMS,
    DEPTHCAP_SIMS,
    EXTRA_ROWS,
    RESIGNED,
) = range(11)


SHORT_NODES, SHORT_EDGES, SHORT_REQUESTS, SHORT_ANSWERS = 1, 2, 4, 8


def has_room(memory, nodes, edges, requests, answers):
    """Return whether the tables can take this many more of each; note those that cannot."""
    short = 0
    if memory.n_nodes + nodes > memory.node_capacity:
        short |= SHORT_NODES
    if memory.n_edges + edges > memory.edge_capacity:
        short |= SHORT_EDGES
    if memory.n_requests + requests > memory.request_capacity:
        short |= SHORT_REQUESTS
    if memory.n_answers + answers > memory.answer_capacity:
        short |= SHORT_ANSWERS
    memory.short = short
    return short == 0


def refuse(memory, reason):
    """Note that the search passes a bound, which is number `reason` of the policy's `refusals`; return REFUSED.

    The caller of the engine gets it as ValueError, and the decision has not been started.
    """
    memory.refusal = reason
    return REFUSED


def answer_size(counts, n_actions):
    """Return how many float64s answer a request for `n_actions` actions; `counts` is a record that says of what."""
    return counts.answer_scalars + counts.answer_heads * n_actions


def ask(memory, state, player, first_action, n_actions):
    """Request one row: `player`'s view of a state, answered for the actions listed at `first_action`.

    The answer is `answer_scalars` numbers, then for each head one number per action. Call `has_room` before.
    """
    requests = array_at(memory.requests, memory.request_capacity, REQUEST)
    request = requests[memory.n_requests]
    request.state = state
    request.player = player
    request.first_action = first_action
    request.n_actions = n_actions
    request.answer = memory.n_answers
    request.answered = 0
    memory.n_requests += 1
    memory.n_answers += answer_size(memory, n_actions)


def answer_to(memory, index):
    """Return the float64 array that answers request `index` of this round."""
    request = array_at(memory.requests, memory.request_capacity, REQUEST)[index]
    size = answer_size(memory, request.n_actions)
    return array_at(memory.answers + request.answer * 8, size, np.float64)


def forget_requests(memory):
    """Start a new round: its requests are numbered from 0."""
    memory.n_requests = 0
    memory.n_answers = 0


def forget_search(memory):
    """Empty the tables for a new search."""
    forget_tables(memory)
    memory.is_trimmed = 0
    memory.n_rounds = 0
    forget_requests(memory)


def forget_tables(memory):
    """Empty the tables of nodes and edges."""
    memory.n_nodes = 0
    memory.n_edges = 0


def state_at(rules, memory, index):
    """Return the address of state `index`."""
    return memory.states + index * rules.state_size


def count(memory, what, amount):
    """Add to one of the TALLY counters."""
    tally = array_at(memory.tally, RESIGNED + 1, np.float64)
    tally[what] += amount


def note_depth(memory, depth):
    """Raise the largest depth seen."""
    tally = array_at(memory.tally, RESIGNED + 1, np.float64)
    if depth > tally[MAX_DEPTH]:
        tally[MAX_DEPTH] = depth
