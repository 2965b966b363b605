"""Answers that are kept: a row that was answered once needs no network until its weights change.

A row's key is all that its answer can depend on: the observation, byte for byte (or the shorter key that its
encoder gives for it), and the columns that are read of the network's row. Keys are compared whole, so no row can get
another one's answer. What is kept is what the policy was given, in float64, which holds the network's float32 and
float64 exactly.

A partition (one for each queue) has two halves. New entries go to the young half; when it is full it becomes the
old one, and what the old one held is forgotten. An entry that is found in the old half with its answer is entered anew.

Rows are looked up in the order of the window, by one thread, so the cache is the same for any number of threads. An
entry is made before its row goes to the network: an equal row of the same window finds it, and reads its answer.
"""

import numpy as np

from ..compiled import INT, Prototype, array_at, clear_bytes, copy_bytes, record_at
from ..compiled.random import FIRST_FACTOR, GOLDEN, ONE, SECOND_FACTOR, mix
from ..contracts.rules import head_index, view_key
from ..contracts.search_memory import answer_size, state_at
from ..contracts.words import equal_words
from .access import memory_of, request_of, rules_record
from .crew import run_job
from .layout import COMPLETE, ENGINE, FAILED, KEYS
from .queues import count_answer

CACHE = np.dtype(
    [
        ("heads", np.int64),  # int64[2, n_buckets]: the address of each bucket's first entry, by half
        ("arenas", np.int64),  # bytes[2, arena_size]
        ("n_buckets", np.int64),  # a power of two
        ("arena_size", np.int64),
        ("most", np.int64),  # entries of a half
        ("young", np.int64),  # the half that new entries go to
        ("count", np.int64),  # its entries
        ("used", np.int64),  # its bytes
        ("generation", np.int64),  # how many halves there were before it
    ]
)
CACHE_SIZE = CACHE.itemsize

# An entry is this, then the key, then the answer.
ENTRY = np.dtype(
    [
        ("hash", np.uint64),
        ("next", np.int64),  # the address of the next entry of the bucket
        ("n_columns", np.int32),
        ("row", np.int32),  # its row at the network, until the answer has come; then HAS_ANSWER
    ]
)
ENTRY_SIZE = ENTRY.itemsize
HALVES = 2
NO_ENTRY = 0
HAS_ANSWER = -1
SHIFT_32 = np.uint64(32)

# The scheduler calls these by address: an engine without a cache compiles nothing of it.
LOOK_UP_ROWS = Prototype("look_up_rows", INT, INT)
KEEP_ANSWERS = Prototype("keep_answers", INT, INT)
WRITE_KEYS = Prototype("write_keys", INT, INT, INT, INT)


def write_keys_at(address, begin, end):
    """Write the keys of rows `begin` to `end - 1` of those that are new in the window; return COMPLETE."""
    engine = record_at(address, ENGINE)
    for new in range(begin, end):
        write_key(engine, new)
    return COMPLETE


def look_up_rows_at(address):
    """Answer the rows that are new in the window where it is known how; those leave it.

    Of the others, equal ones read the answer to the first. Returns COMPLETE, or FAILED when another thread failed.
    """
    engine = record_at(address, ENGINE)
    begin = engine.window_looked_up
    if not run_job(engine, KEYS, engine.window_rows - begin):
        return FAILED
    slots = array_at(engine.window_slots, engine.window_rows, np.int32)
    taken = array_at(engine.window_requests, engine.window_rows, np.int32)
    kept = begin
    for row in range(begin, engine.window_rows):
        if look_up_row(engine, row, kept):
            count_answer(engine, slots[row])
        else:
            slots[kept] = slots[row]
            taken[kept] = taken[row]
            kept += 1
    engine.cache_lookups += engine.window_rows - begin
    engine.window_rows = kept
    engine.window_looked_up = kept
    return COMPLETE


def look_up_row(engine, row, place):
    """Answer a row of the window if it is known how, else note at `place` which answer it will read."""
    cache = record_at(engine.caches + engine.window_queue * CACHE_SIZE, CACHE)
    memory = memory_of(engine, row)
    request = request_of(engine, memory, row)
    new = row - engine.window_looked_up
    key = engine.cache_keys + new * engine.cache_key_size
    hashed = array_at(engine.cache_hashes, new + 1, np.uint64)[new]
    n_words = key_words(engine, request.n_actions)
    size = answer_size(memory, request.n_actions) * 8
    answers = array_at(engine.window_answers, place + 1, np.int32)
    entry = find(cache, cache.young, hashed, key, request.n_actions, n_words)
    is_young = entry != NO_ENTRY
    if not is_young:
        entry = find(cache, 1 - cache.young, hashed, key, request.n_actions, n_words)
    if entry == NO_ENTRY:
        answers[place] = engine.asked_rows
        entry = enter(cache, hashed, key, request.n_actions, n_words, size, engine.asked_rows)
        ask_network(engine, place, entry, cache.generation)
        return False
    engine.cache_hits += 1
    row_of_entry = record_at(entry, ENTRY).row
    if row_of_entry != HAS_ANSWER:
        answers[place] = row_of_entry
        return False
    own = memory.answers + request.answer * 8
    copy_bytes(own, entry + ENTRY_SIZE + n_words * 8, size)
    if not is_young:
        entry = enter(cache, hashed, key, request.n_actions, n_words, size, HAS_ANSWER)
        copy_bytes(entry + ENTRY_SIZE + n_words * 8, own, size)  # there was room for it before
    request.answered = 1
    return True


def ask_network(engine, place, entry, generation):
    """Give row `place` of the window a row of its own at the network."""
    row = engine.asked_rows
    array_at(engine.window_sources, row + 1, np.int32)[row] = place
    array_at(engine.window_entries, row + 1, np.int64)[row] = entry
    array_at(engine.window_generations, row + 1, np.int64)[row] = generation
    engine.asked_rows = row + 1


def keep_answers_at(address):
    """Put the answers that have come into their entries; return COMPLETE."""
    engine = record_at(address, ENGINE)
    cache = record_at(engine.caches + engine.window_queue * CACHE_SIZE, CACHE)
    sources = array_at(engine.window_sources, engine.asked_rows, np.int32)
    entries = array_at(engine.window_entries, engine.asked_rows, np.int64)
    generations = array_at(engine.window_generations, engine.asked_rows, np.int64)
    for row in range(engine.asked_rows):
        if entries[row] != NO_ENTRY and is_kept(cache, generations[row]):
            memory = memory_of(engine, sources[row])
            request = request_of(engine, memory, sources[row])
            answer = entries[row] + ENTRY_SIZE + key_words(engine, request.n_actions) * 8
            copy_bytes(
                answer, memory.answers + request.answer * 8, answer_size(memory, request.n_actions) * 8
            )
            record_at(entries[row], ENTRY).row = HAS_ANSWER
    return COMPLETE


def is_kept(cache, generation):
    """Return whether entries of a generation are still there."""
    return generation > cache.generation - HALVES


def write_key(engine, new):
    """Write the key, and its hash, of one of the rows that are new in the window."""
    rules = rules_record(engine)
    memory = memory_of(engine, engine.window_looked_up + new)
    request = request_of(engine, memory, engine.window_looked_up + new)
    key = engine.cache_keys + new * engine.cache_key_size
    n_words = key_words(engine, request.n_actions)
    words = array_at(key, n_words, np.uint64)
    words[n_words - 1] = 0  # an odd number of columns leaves four bytes
    view_key(rules, state_at(rules, memory, request.state), request.player, key)
    actions = array_at(memory.actions, memory.edge_capacity, np.int32)
    columns = array_at(key + rules.key_words * 8, request.n_actions, np.int32)
    for position in range(request.n_actions):
        columns[position] = head_index(rules, actions[request.first_action + position], request.player)
    array_at(engine.cache_hashes, new + 1, np.uint64)[new] = hash_words(words, n_words)


def key_words(engine, n_columns):
    """Return how many 64-bit words a key with `n_columns` columns has."""
    return rules_record(engine).key_words + (n_columns + 1) // 2


def hash_words(words, count):
    """Return a hash of 64 bits; four lanes, since each step of one waits for the last."""
    first, second, third, fourth = FIRST_FACTOR, SECOND_FACTOR, GOLDEN, ONE
    whole = count - count % 4
    for index in range(0, whole, 4):
        first = absorb_word(first, words[index])
        second = absorb_word(second, words[index + 1])
        third = absorb_word(third, words[index + 2])
        fourth = absorb_word(fourth, words[index + 3])
    for index in range(whole, count):
        first = absorb_word(first, words[index])
    return mix(mix(mix(first ^ second * GOLDEN) ^ third * FIRST_FACTOR) ^ fourth * SECOND_FACTOR)


def absorb_word(lane, word):
    """Mix a word into a lane; one to one for either."""
    lane = (lane ^ word) * FIRST_FACTOR
    return lane ^ (lane >> SHIFT_32)


def find(cache, half, hashed, key, n_columns, n_words):
    """Return the address of the entry with a key in a half, or NO_ENTRY."""
    entry = array_at(cache.heads, (HALVES, cache.n_buckets), np.int64)[half, bucket_of(cache, hashed)]
    while entry != NO_ENTRY:
        known = record_at(entry, ENTRY)
        if known.hash == hashed and known.n_columns == n_columns:
            if equal_words(entry + ENTRY_SIZE, key, n_words):
                return entry
        entry = known.next
    return NO_ENTRY


def bucket_of(cache, hashed):
    """Return the bucket of a hash."""
    return np.int64(hashed & np.uint64(cache.n_buckets - 1))


def enter(cache, hashed, key, n_columns, n_words, answer_bytes, row):
    """Make an entry without its answer; return its address, or NO_ENTRY where no half has room for it."""
    size = ENTRY_SIZE + n_words * 8 + answer_bytes
    if size > cache.arena_size:
        return NO_ENTRY
    if cache.count == cache.most or cache.used + size > cache.arena_size:
        turn_over(cache)
    entry = cache.arenas + cache.young * cache.arena_size + cache.used
    heads = array_at(cache.heads, (HALVES, cache.n_buckets), np.int64)
    bucket = bucket_of(cache, hashed)
    known = record_at(entry, ENTRY)
    known.hash = hashed
    known.next = heads[cache.young, bucket]
    known.n_columns = n_columns
    known.row = row
    copy_bytes(entry + ENTRY_SIZE, key, n_words * 8)
    heads[cache.young, bucket] = entry
    cache.count += 1
    cache.used += size
    return entry


def turn_over(cache):
    """Make the young half the old one, and begin a young one."""
    cache.young = 1 - cache.young
    clear_bytes(cache.heads + cache.young * cache.n_buckets * 8, cache.n_buckets * 8)
    cache.count = 0
    cache.used = 0
    cache.generation += 1
