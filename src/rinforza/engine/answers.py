"""Reading the network's answers: only finite numbers pass, and only legal columns are kept.

A row's answer becomes float64s in the slot's memory: the value where there is one, then for each head the
columns of the request's legal actions, in the order in which the policy listed them.
"""

import numpy as np

from ..compiled import array_at
from ..contracts.rules import head_index
from ..contracts.search_memory import answer_size
from .access import memory_of, request_of, rules_record

SINGLE_EXPONENT = np.uint32(0x7F800000)
DOUBLE_EXPONENT = np.uint64(0x7FF0000000000000)


def all_finite_single(address, count):
    """Return whether `count` float32s are finite (their exponents are not all ones)."""
    bits = array_at(address, count, np.uint32)
    bad = 0
    for index in range(count):
        bad += (bits[index] & SINGLE_EXPONENT) == SINGLE_EXPONENT
    return bad == 0


def all_finite_double(address, count):
    """Return whether `count` float64s are finite."""
    bits = array_at(address, count, np.uint64)
    bad = 0
    for index in range(count):
        bad += (bits[index] & DOUBLE_EXPONENT) == DOUBLE_EXPONENT
    return bad == 0


def note_answers(engine, answered, answers, width, is_double, values, value_is_double):
    """Note whether answers have come, and where they are (the layout of a `callback.Answer`)."""
    engine.answered = answered
    engine.answers = answers
    engine.answer_width = width
    engine.answer_is_double = is_double
    engine.answer_values = values
    engine.value_is_double = value_is_double


def gather_row(engine, row):
    """Check the answer to a row of the window, copy what the slot asked for, and note that it has come."""
    rules = rules_record(engine)
    memory = memory_of(engine, row)
    request = request_of(engine, memory, row)
    request.answered = 1
    read = array_at(engine.window_answers, row + 1, np.int32)[row]
    size = answer_size(memory, request.n_actions)
    answer = array_at(memory.answers + request.answer * 8, size, np.float64)
    if engine.answer_scalars > 0:
        answer[0] = row_value(engine, read)
    itemsize = 8 if engine.answer_is_double != 0 else 4
    start = engine.answers + read * engine.answer_width * itemsize
    for head in range(engine.answer_heads):
        source = start + head * rules.n_actions * itemsize
        place = engine.answer_scalars + head * request.n_actions
        if engine.answer_is_double != 0:
            finite = all_finite_double(source, rules.n_actions)
            columns = array_at(source, rules.n_actions, np.float64)
            copy_columns(rules, memory, request, columns, answer, place)
        else:
            finite = all_finite_single(source, rules.n_actions)
            columns = array_at(source, rules.n_actions, np.float32)
            copy_columns(rules, memory, request, columns, answer, place)
        if not finite:
            engine.not_finite = 1


def row_value(engine, row):
    """Return the value of a row of a (logits, values) answer."""
    if engine.value_is_double != 0:
        if not all_finite_double(engine.answer_values + row * 8, 1):
            engine.not_finite = 1
        return array_at(engine.answer_values, row + 1, np.float64)[row]
    if not all_finite_single(engine.answer_values + row * 4, 1):
        engine.not_finite = 1
    return np.float64(array_at(engine.answer_values, row + 1, np.float32)[row])


def copy_columns(rules, memory, request, columns, answer, place):
    """Copy the columns of a request's legal actions."""
    actions = array_at(memory.actions, memory.edge_capacity, np.int32)
    for position in range(request.n_actions):
        action = actions[request.first_action + position]
        answer[place + position] = columns[head_index(rules, action, request.player)]
