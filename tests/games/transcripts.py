"""Random games that compiled code plays and writes down node by node, for twins to follow quickly."""

from typing import NamedTuple

import numpy as np

from rinforza.compiled import INT, Prototype, array_at, compile_function, copy_bytes, record_at
from rinforza.compiled.random import STREAM, derive_key, integer_below
from rinforza.contracts.rules import (
    CHANCE,
    INITIAL,
    RULES,
    SCRATCH,
    TERMINAL,
    actor,
    legal_actions,
    resolve_chance,
    sample_outcome,
    step,
)
from rinforza.testing.lanes import GameLane, in_lane, new_scratch

BOOK = np.dtype(
    [(name, np.int64) for name in ("trial", "states", "turns", "joints", "outcomes", "events", "nodes")]
)
TRANSCRIBE = Prototype("transcribe", None, *[INT] * 4)


class Transcript(NamedTuple):
    """Nodes of random games, one after the other; a game begins at node 0 and after each end.

    Attributes:
        states: uint8[nodes, bytes of a state].
        turns: int64[nodes], whose turn it is.
        joints: int64[nodes, players], what was played there.
        outcomes: int64[nodes], what was drawn there.
        events: float64[nodes, players, events], what happened on the way there.
    """

    states: np.ndarray
    turns: np.ndarray
    joints: np.ndarray
    outcomes: np.ndarray
    events: np.ndarray


def transcribe_at(table, scratch_address, stream_address, book_address):
    """Play until the book is full."""
    rules = record_at(table, RULES)
    scratch = record_at(scratch_address, SCRATCH)
    stream = record_at(stream_address, STREAM)
    book = record_at(book_address, BOOK)
    n_joint, n_events = rules.n_players * 8, rules.n_players * rules.n_events * 8
    turn = TERMINAL
    for node in range(book.nodes):
        state = book.states + node * rules.state_size
        if turn == TERMINAL:
            INITIAL(rules.initial, rules.game, state)
        else:
            copy_bytes(state, state - rules.state_size, rules.state_size)
            if turn == CHANCE:
                resolve_chance(rules, scratch, state, array_at(book.outcomes, node, np.int64)[node - 1])
            else:
                copy_bytes(scratch.joint, book.joints + (node - 1) * n_joint, n_joint)
                step(rules, scratch, state)
            copy_bytes(book.events + node * n_events, scratch.events, n_events)
        turn = actor(rules, state)
        array_at(book.turns, book.nodes, np.int64)[node] = turn
        if turn == CHANCE:
            outcome = sample_outcome(rules, scratch, state, stream)
            array_at(book.outcomes, book.nodes, np.int64)[node] = outcome
        elif turn != TERMINAL:
            draw_joint(rules, scratch, stream, state, book.trial)
            copy_bytes(book.joints + node * n_joint, scratch.joint, n_joint)


def draw_joint(rules, scratch, stream, state, trial):
    """Draw a joint action; a player that would then have no action draws once again."""
    joint = array_at(scratch.joint, rules.n_players, np.int64)
    for attempt in range(2):
        for player in range(rules.n_players):
            if attempt == 1 and legal_actions(rules, trial, player, scratch.legal) > 0:
                continue
            count = legal_actions(rules, state, player, scratch.legal)
            if count > 0:
                joint[player] = array_at(scratch.legal, count, np.int32)[integer_below(stream, count)]
        copy_bytes(trial, state, rules.state_size)
        step(rules, scratch, trial)


def transcribe(lane: GameLane, nodes: int, seed: int) -> Transcript:
    """Return so many nodes of random games; the last game is cut off."""
    players, columns = lane.game.num_players, len(lane.game.events)
    transcript = Transcript(
        states=np.zeros((nodes, lane.size), np.uint8),
        turns=np.zeros(nodes, np.int64),
        joints=np.zeros((nodes, players), np.int64),
        outcomes=np.zeros(nodes, np.int64),
        events=np.zeros((nodes, players, columns)),
    )
    scratch, keep = new_scratch(lane.game, evaluation=1)
    stream, book = np.zeros(1, STREAM), np.zeros(1, BOOK)
    with np.errstate(over="ignore"):
        stream["key"] = derive_key(np.uint64(seed), np.uint64(0), np.uint64(0))
    trial = np.zeros(lane.size, np.uint8)
    book["trial"], book["nodes"] = trial.ctypes.data, nodes
    for name, array in transcript._asdict().items():
        book[name] = array.ctypes.data
    with in_lane(lane.plain):
        driver = compile_function(transcribe_at, TRANSCRIBE, {}, "transcribe")
    driver.entry(lane.rules.address, *(record.ctypes.data for record in (scratch, stream, book)))
    del keep
    return transcript
