"""The rounds of a tree search: one simulation of each tree runs until it needs the network, and is backed up.

A policy gives two functions. `choose_edge` is described in `descent`. `read_row(policy, search, memory, first,
count, answer, place, stream)` takes in the answer to one player's row at a node: it returns the player's value and may
set up the player's edges `first` to `first + count - 1`; `place` says where the node stands.

The policy's record has `num_simulations`, `root_visits` (of them, those that pass a root that has not been searched
before), `leaves` (simulations of a tree that may wait for the network at once), `normalise` (whether the range of
values is kept), `reuse_tree` (whether the tree of the last search is gone on with), `max_depth`, `chance_kind` and
`chance_samples`; the search's record begins with the fields of `TREES`.
"""

import numpy as np

from ..compiled import array_at
from ..contracts.search_memory import (
    DEPTHCAP_SIMS,
    EXTRA_ROWS,
    FULL,
    REQUEST,
    TERMINAL_SIMS,
    answer_size,
    answer_to,
    ask,
    count,
    forget_requests,
    has_room,
    note_depth,
)
from .backup import back_up, back_up_fan, pretend_loss
from .descent import HOLD, descend
from .reuse import is_worth_keeping, note_means
from .tree import (
    ASKED,
    CAPPED,
    ENDED,
    EXPANDED,
    FIXED,
    JOINT,
    NONE,
    OPEN,
    ROOT,
    WAITING,
    edges_of,
    nodes_of,
    plant,
    side_of,
)

TREES = np.dtype(
    [
        ("budget", np.int64),  # simulations that are to have passed each root
        # what is to be added to make it the number of simulations of this search: the one that evaluates a new
        # root, or minus the visits with which an old one came
        ("beside", np.int64),
        ("n_trees", np.int64),  # one, or one for each acting player where all act at once
        ("tree", np.int64),  # the next one to have its simulation in this round
        ("in_flight", np.int64),  # simulations of that tree that wait for the network
        ("at", np.int64),  # the node at which the simulation under way stands, NONE before it begins
        ("chain", np.int64),  # chance nodes in a row on the way there
        ("normalises", np.int64),  # 1 where the range of the action values is kept, as player 0 sees them
        ("lowest", np.float64),
        ("highest", np.float64),
    ]
)

# Where a node stands, for `read_row`.
INSIDE, OWN_ROOT, OTHERS_ROOT = range(3)


def begin_trees(policy, rules, search, memory, state, players):
    """Plant the trees; return 0 or FULL."""
    search.n_trees = len(players) if rules.simultaneous != 0 else 1
    search.tree = 0
    search.at = NONE
    search.budget = policy.root_visits
    search.beside = policy.num_simulations - policy.root_visits
    search.normalises = policy.normalise
    search.lowest = np.inf
    search.highest = -np.inf
    if policy.reuse_tree and is_worth_keeping(policy, memory):
        visits = nodes_of(memory)[ROOT].visits
        search.budget = visits + policy.num_simulations  # none of which evaluates the root
        search.beside = -visits
        if policy.normalise:
            note_means(search, memory)
        return 0
    memory.n_nodes = 0
    memory.n_edges = 0  # those of a first try that found no room
    for tree in range(search.n_trees):
        if plant(rules, memory, state, tree) == FULL:
            return FULL
        if rules.simultaneous != 0:
            nodes_of(memory)[tree].mover = players[tree]
    return 0


def run_round(policy, rules, search, memory, choose_edge, stream):
    """Run each tree until it asks for rows or is done; return how many rows, FULL, or REFUSED."""
    while search.tree < search.n_trees:
        code = grow(policy, rules, search, memory, choose_edge, stream)
        if code < 0:
            return code
        search.tree += 1
        search.in_flight = 0
    return memory.n_requests


def grow(policy, rules, search, memory, choose_edge, stream):
    """Run simulations of one tree until one asks for rows or all are done; return 0, FULL or REFUSED.

    A simulation that finds a table too small goes on where it stood.
    """
    root = nodes_of(memory)[search.tree]
    while root.kind == WAITING or root.visits < search.budget:
        if search.at == NONE:
            search.at = search.tree
            search.chain = 0
        code = descend(policy, rules, search, memory, choose_edge, stream)
        if code == HOLD:
            search.at = NONE
            return 0
        if code < 0:
            return code
        leaf = search.at
        if policy.leaves > 1 and is_asked(memory, leaf):
            search.at = NONE  # its rows are on their way: the tree waits
            return 0
        rows = ask_leaf(rules, memory, leaf)
        if rows < 0:
            return rows
        search.at = NONE
        if rows == 0:
            finish_without_rows(rules, search, memory, leaf)
            continue
        if rows > 1:
            count(memory, EXTRA_ROWS, rows - 1)
        search.in_flight += 1
        if policy.leaves > 1:
            pretend_loss(memory, leaf, 1)
        if search.in_flight >= policy.leaves or leaf == search.tree:
            return 0
    return 0


def finish_without_rows(rules, search, memory, leaf):
    """Back up a simulation whose leaf needs no network."""
    node = nodes_of(memory)[leaf]
    count(memory, DEPTHCAP_SIMS if node.kind == CAPPED else TERMINAL_SIMS, 1)
    note_depth(memory, node.depth)
    if node.kind == EXPANDED:
        node.kind = FIXED
        back_up_fan(search, memory, leaf, rules.discount)
    else:
        back_up(search, memory, leaf, rules.discount)


def ask_leaf(rules, memory, leaf):
    """Ask for the rows of a leaf; return how many, or FULL with none asked."""
    node = nodes_of(memory)[leaf]
    if node.kind == ENDED or node.kind == CAPPED:
        return 0
    if node.kind != EXPANDED:
        return ask_node(rules, memory, leaf)
    n_requests, n_answers = memory.n_requests, memory.n_answers
    for below in range(np.int64(edges_of(memory)[node.first].child), np.int64(node.child)):
        if nodes_of(memory)[below].kind == WAITING and ask_node(rules, memory, below) == FULL:
            for asked in range(edges_of(memory)[node.first].child, below):
                if nodes_of(memory)[asked].kind == ASKED:
                    nodes_of(memory)[asked].kind = WAITING
            memory.n_requests = n_requests
            memory.n_answers = n_answers
            return FULL
    return memory.n_requests - n_requests


def ask_node(rules, memory, index):
    """Ask for the rows of a waiting node: the mover's, or every player's; return how many, or FULL."""
    node = nodes_of(memory)[index]
    if memory.n_sides == 0:
        if not has_room(memory, 0, 0, 1, answer_size(memory, node.count)):
            return FULL
        node.kind = ASKED
        ask(memory, index, np.int64(node.mover), node.first, np.int64(node.count))
        return 1
    rows = memory.n_sides
    answers = rows * answer_size(memory, 0) + memory.answer_heads * node.count
    if not has_room(memory, 0, 0, rows, answers):
        return FULL
    node.kind = ASKED
    for player in range(memory.n_sides):
        if rules.simultaneous != 0:
            side = side_of(memory, index, player)
            ask(memory, index, player, side.first, np.int64(side.count))
        else:
            ask(memory, index, player, node.first, node.count if player == node.mover else 0)
    return rows


def is_asked(memory, leaf):
    """Return whether the rows of a leaf are on their way."""
    nodes = nodes_of(memory)
    node = nodes[leaf]
    if node.kind != EXPANDED:
        return node.kind == ASKED
    for below in range(edges_of(memory)[node.first].child, node.child):
        if nodes[below].kind == ASKED:
            return True
    return False


def absorb_round(policy, rules, search, memory, read_row, stream):
    """Take in the answers, leaf by leaf, and back up each simulation; return 0."""
    requests = array_at(memory.requests, memory.n_requests, REQUEST)
    nodes = nodes_of(memory)
    if policy.leaves > 1:
        forgive_losses(memory)
    index = 0
    while index < memory.n_requests:
        leaf = np.int64(requests[index].state)
        index = open_node(policy, rules, search, memory, leaf, index, read_row, stream)
        note_depth(memory, nodes[leaf].depth)
        fan = fan_of(memory, leaf)
        if fan == NONE:
            back_up(search, memory, leaf, rules.discount)
        elif index == memory.n_requests or fan_of(memory, requests[index].state) != fan:
            nodes[fan].kind = FIXED
            back_up_fan(search, memory, fan, rules.discount)
    search.tree = 0
    forget_requests(memory)
    return 0


def forgive_losses(memory):
    """Take back the lost visits on the way to every leaf of the round."""
    requests = array_at(memory.requests, memory.n_requests, REQUEST)
    last = NONE
    for index in range(memory.n_requests):
        leaf = requests[index].state
        fan = fan_of(memory, leaf)
        asked = leaf if fan == NONE else fan
        if asked != last:
            pretend_loss(memory, asked, -1)
        last = asked


def fan_of(memory, leaf):
    """Return the expanded chance node above a leaf, or NONE."""
    nodes = nodes_of(memory)
    index = nodes[leaf].parent
    while index != NONE and nodes[index].kind == FIXED:
        index = nodes[index].parent
    return index if index != NONE and nodes[index].kind == EXPANDED else NONE


def open_node(policy, rules, search, memory, leaf, request, read_row, stream):
    """Read the answers of a node's rows from `request` on; return the next request."""
    node = nodes_of(memory)[leaf]
    is_root = node.parent == NONE
    if memory.n_sides == 0:
        place = OWN_ROOT if is_root else INSIDE
        answer = answer_to(memory, request)
        n_edges = np.int64(node.count)
        node.value = read_row(policy, search, memory, node.first, n_edges, answer, place, stream)
    for player in range(memory.n_sides):
        side = side_of(memory, leaf, player)
        first, n_edges = node.first, node.count if player == node.mover else 0
        if rules.simultaneous != 0:
            first, n_edges = side.first, side.count
        place = INSIDE
        if is_root:
            place = OWN_ROOT if player == node.mover else OTHERS_ROOT
        answer = answer_to(memory, request + player)
        side.value = read_row(policy, search, memory, first, n_edges, answer, place, stream)
        if player == node.mover:
            node.value = side.value
    node.kind = JOINT if rules.simultaneous != 0 else OPEN
    if node.depth >= policy.max_depth:
        node.kind = CAPPED
    return request + max(memory.n_sides, 1)


def open_roots(rules, search, memory):
    """Open the roots without the network's view of them."""
    for tree in range(search.n_trees):
        nodes_of(memory)[tree].kind = JOINT if rules.simultaneous != 0 else OPEN


def root_edges(rules, memory, perspective):
    """Return the first edge, and the number of edges, of a perspective's player at its root."""
    if rules.simultaneous == 0:
        root = nodes_of(memory)[ROOT]
        return root.first, root.count
    side = side_of(memory, perspective, nodes_of(memory)[perspective].mover)
    return side.first, side.count
