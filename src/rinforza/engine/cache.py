"""Answers that are kept: a row that was answered once needs no network until its weights change.

A row's key is all that its answer can depend on: the observation, byte for byte (or the shorter key that its
encoder gives for it), and the columns that are read of the network's row. Keys are compared whole, so no row can get
another one's answer. What is kept is what the policy was given, in float64, which holds the network's float32 and
float64 exactly.

A partition (one for each queue) has two halves. New entries go to the young half; when it is full it becomes the
old one, and what the old one held is forgotten. An entry that is found in the old half with its answer is entered anew.
A half is an arena of entries, and a table of words that are probed one after the other; a word tells where an entry is
and a part of its hash, so entries with another one, which lie in far memory, are not looked at.

Rows are looked up in the order of the window, by one thread, so the cache is the same for any number of threads. An
entry is made before its row goes to the network: an equal row of the same window finds it, and reads its answer.
"""

import numpy as np

from ..compiled import INT, Prototype, address_of, array_at, clear_bytes, copy_bytes, prefetch, record_at
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
        ("words", np.int64),  # uint64[2, n_words]
        ("arenas", np.int64),  # bytes[2, arena_size]
        ("n_words", np.int64),  # of each half: a power of two, at least twice `most`
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
        ("n_columns", np.int32),
        ("row", np.int32),  # its row at the network, until the answer has come; then HAS_ANSWER
    ]
)
ENTRY_SIZE = ENTRY.itemsize
HALVES = 2
NO_ENTRY = 0
HAS_ANSWER = -1
SHIFT_32 = np.uint64(32)

# A word of a table: the upper bits of the hash, then where the entry begins in its arena, in units of 8 bytes, plus 1.
EMPTY = np.uint64(0)
PLACE_BITS = np.uint64(40)
PLACE_MASK = np.uint64((1 << 40) - 1)
AHEAD = 4  # rows from one that is looked up to the one whose entry is fetched from memory meanwhile

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
    cache = cache_of(engine)
    kept = begin
    for row in range(begin, engine.window_rows):
        if row + AHEAD < engine.window_rows:
            fetch_entries(cache, candidate_of(engine, row + AHEAD - begin).hash)
        if look_up_row(engine, cache, row, kept):
            count_answer(engine, slots[row])
        else:
            slots[kept] = slots[row]
            taken[kept] = taken[row]
            kept += 1
    engine.cache_lookups += engine.window_rows - begin
    engine.window_rows = kept
    engine.window_looked_up = kept
    return COMPLETE


def cache_of(engine):
    """Return the partition of the window's queue."""
    return record_at(engine.caches + engine.window_queue * CACHE_SIZE, CACHE)


def look_up_row(engine, cache, row, place):
    """Answer a row of the window if it is known how, else note at `place` which answer it will read.

    What misses touches nothing of the slot, whose memory is far.
    """
    candidate = candidate_of(engine, row - engine.window_looked_up)
    n_words = key_words(engine, candidate.n_columns)
    answer_bytes = answer_size(engine, candidate.n_columns) * 8
    answers = array_at(engine.window_answers, place + 1, np.int32)
    entry = find(cache, cache.young, candidate, n_words)
    is_young = entry != NO_ENTRY
    if not is_young:
        entry = find(cache, 1 - cache.young, candidate, n_words)
    if entry == NO_ENTRY:
        answers[place] = candidate.row = engine.asked_rows
        entry = enter(cache, candidate, n_words, answer_bytes)
        ask_network(engine, place, entry, cache.generation)
        return False
    engine.cache_hits += 1
    row_of_entry = record_at(entry, ENTRY).row
    if row_of_entry != HAS_ANSWER:
        answers[place] = row_of_entry
        return False
    memory = memory_of(engine, row)
    request = request_of(engine, memory, row)
    own = memory.answers + request.answer * 8
    copy_bytes(own, entry + ENTRY_SIZE + n_words * 8, answer_bytes)
    if not is_young:
        candidate.row = HAS_ANSWER
        entry = enter(cache, candidate, n_words, answer_bytes)
        copy_bytes(entry + ENTRY_SIZE + n_words * 8, own, answer_bytes)  # there was room for it before
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
    cache = cache_of(engine)
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


def candidate_of(engine, new):
    """Return the candidate of one of the rows that are new in the window: what its entry would be, up to the answer."""
    return record_at(engine.cache_candidates + new * engine.cache_candidate_size, ENTRY)


def write_key(engine, new):
    """Write the candidate of one of the rows that are new in the window."""
    rules = rules_record(engine)
    memory = memory_of(engine, engine.window_looked_up + new)
    request = request_of(engine, memory, engine.window_looked_up + new)
    candidate = candidate_of(engine, new)
    key = address_of(candidate) + ENTRY_SIZE
    n_words = key_words(engine, request.n_actions)
    words = array_at(key, n_words, np.uint64)
    view_key(rules, state_at(rules, memory, request.state), request.player, key)
    actions = array_at(memory.actions, memory.edge_capacity, np.int32)
    first, player, n_actions = request.first_action, request.player, request.n_actions
    for pair in range(n_actions // 2):  # as whole words: written in halves they would be read back slowly
        lower = np.uint64(head_index(rules, actions[first + 2 * pair], player))
        upper = np.uint64(head_index(rules, actions[first + 2 * pair + 1], player))
        words[rules.key_words + pair] = lower | upper << SHIFT_32
    if n_actions % 2 != 0:
        words[n_words - 1] = np.uint64(head_index(rules, actions[first + n_actions - 1], player))
    candidate.hash = hash_words(words, n_words)
    candidate.n_columns = n_actions
    cache = cache_of(engine)
    for half in range(HALVES):
        prefetch(cache.words + (half * cache.n_words + first_place(cache, candidate.hash)) * 8)


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
    return mix(first ^ second * GOLDEN ^ third * FIRST_FACTOR ^ fourth * SECOND_FACTOR)


def absorb_word(lane, word):
    """Mix a word into a lane; one to one for either."""
    lane = (lane ^ word) * FIRST_FACTOR
    return lane ^ (lane >> SHIFT_32)


def table_of(cache, half):
    """Return the words of a half."""
    return array_at(cache.words, (HALVES, cache.n_words), np.uint64)[half]


def first_place(cache, hashed):
    """Return where in a table the words of entries with a hash begin."""
    return np.int64(hashed & np.uint64(cache.n_words - 1))


def entry_of(cache, half, word):
    """Return the address of the entry that a word of a half's table tells of."""
    return cache.arenas + half * cache.arena_size + np.int64((word & PLACE_MASK) - ONE) * 8


def has_hash(word, hashed):
    """Return whether a word's entry may have a hash."""
    return word >> PLACE_BITS == hashed >> PLACE_BITS


def fetch_entries(cache, hashed):
    """Fetch the entries that will be compared first for a hash from memory; what no entry is, is no harm."""
    for half in range(HALVES):
        word = table_of(cache, half)[first_place(cache, hashed)]
        if has_hash(word, hashed):
            prefetch(entry_of(cache, half, word))


def find(cache, half, candidate, n_words):
    """Return the address of the entry in a half that has the candidate's key, or NO_ENTRY."""
    table = table_of(cache, half)
    place = first_place(cache, candidate.hash)
    while table[place] != EMPTY:
        if has_hash(table[place], candidate.hash):
            entry = entry_of(cache, half, table[place])
            known = record_at(entry, ENTRY)
            if known.hash == candidate.hash and known.n_columns == candidate.n_columns:
                if equal_words(entry + ENTRY_SIZE, address_of(candidate) + ENTRY_SIZE, n_words):
                    return entry
        place = (place + 1) & (cache.n_words - 1)
    return NO_ENTRY


def enter(cache, candidate, n_words, answer_bytes):
    """Make an entry of a candidate, without its answer; return its address, or NO_ENTRY where no half has room."""
    size = ENTRY_SIZE + n_words * 8 + answer_bytes
    if size > cache.arena_size:
        return NO_ENTRY
    if cache.count == cache.most or cache.used + size > cache.arena_size:
        turn_over(cache)
    table = table_of(cache, cache.young)
    place = first_place(cache, candidate.hash)
    while table[place] != EMPTY:
        place = (place + 1) & (cache.n_words - 1)
    table[place] = candidate.hash >> PLACE_BITS << PLACE_BITS | np.uint64(cache.used // 8 + 1)
    entry = entry_of(cache, cache.young, table[place])
    copy_bytes(entry, address_of(candidate), ENTRY_SIZE + n_words * 8)
    cache.count += 1
    cache.used += size
    return entry


def turn_over(cache):
    """Make the young half the old one, and begin a young one."""
    cache.young = 1 - cache.young
    clear_bytes(cache.words + cache.young * cache.n_words * 8, cache.n_words * 8)
    cache.count = 0
    cache.used = 0
    cache.generation += 1
