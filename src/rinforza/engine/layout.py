"""The engine's memory: one record that points to everything, and one record per slot."""

import numpy as np

from ..contracts.learner import LEARNER_METHODS
from ..contracts.policy import KEEPING_METHODS, POLICY_METHODS

# The phases of a slot.
FRESH = 0  # no episode yet
IDLE = 1  # at a decision that has not been started
ASKING = 2  # the search is to run its next round
AWAITING = 3  # rows are queued or with the network; advanced when all of them are answered
ANSWERED = 4  # all rows of the round are answered
DECIDED = 5  # the search is done
CUT = 6  # the horizon ended the episode; its tail rows are to be asked for
CUT_AWAITING = 7
CUT_ANSWERED = 8
FINISHED = 9  # the episode waits to become records
CHOSEN = 10  # the action is chosen and is not played (`choose`)
PLACED = 11  # the state came from outside, with `ticks`; the policy's state is to be made
SEARCHED = 12  # the search is done, and waits to become records before it is DECIDED

# What a slot is: a cache line.
SLOT = np.dtype(
    [
        ("phase", np.int32),
        ("blocked", np.int32),  # BLOCKED_ bits: a table was too small to go on
        ("ticks", np.int64),
        ("n_steps", np.int64),
        ("n_states", np.int64),
        ("n_evaluations", np.int64),
        ("n_perspectives", np.int32),  # players whose decision is being searched
        ("terminated", np.int32),
        ("goes_on", np.int32),  # 1 when the trajectory ends and the episode does not
        ("new_steps", np.int32),  # decisions of learning players begun and not yet told; windowed only
        ("n_offered", np.int32),  # kept decisions whose next states the start buffer was offered
        ("seeded", np.int32),  # 1 when the episode began, or is to begin, in a state of the start buffer
    ]
)
BLOCKED_SEARCH, BLOCKED_TRAJECTORY = 1, 2
BLOCKED_TOO_LARGE = 4  # the search passed a bound; the slot is back where it was to be started

# What an advance came to. The scheduler reads only this: five of them share a cache line, and the slot's own
# memory stays with the thread that advanced it.
OUTCOME = np.dtype([("new_steps", np.int32), ("rows", np.int32), ("phase", np.int16), ("blocked", np.int16)])

# The random streams of a slot.
WORLD_STREAM, SEARCH_STREAM, CHOICE_STREAM, LEARNER_STREAM = range(4)
STREAMS = 4
# The random stream of the start buffer.
START_PURPOSE = 1 << 16

# A cell of the start buffer.
CELL = np.dtype(
    [
        ("seen", np.int64),  # states that were ever offered to it
        ("count", np.int64),  # states that it keeps
        ("room", np.int64),  # states that there is memory for
        ("states", np.int64),
    ]
)

# Kinds of parallel work.
ADVANCE, ENCODE, GATHER, WRITE, KEYS = range(5)
CHUNK = np.array([8, 16, 16, 2, 16])  # units that a thread takes at a time

# What `pump` answers.
DONE, ROWS, GROW_SEARCH, GROW_TRAJECTORY, GROW_BATCH, GROW_STARTS, NOT_FINITE, FAILED, TOO_LARGE = range(9)
COMPLETE = -1  # a part of the pump has nothing to report

ENGINE = np.dtype(
    [
        *[(prototype.name, np.int64) for prototype in (*POLICY_METHODS, *KEEPING_METHODS, *LEARNER_METHODS)],
        ("run_chunk", np.int64),
        ("rules", np.int64),
        ("policy", np.int64),
        ("learner", np.int64),
        # what the composition asks for
        ("n_slots", np.int64),
        ("batch_size", np.int64),
        ("horizon", np.int64),  # 0 for none
        ("n_queues", np.int64),  # 1, or one for each player
        ("answer_scalars", np.int64),
        ("answer_heads", np.int64),
        ("evaluation_scalars", np.int64),
        ("evaluation_heads", np.int64),
        ("stores_evaluations", np.int64),
        ("keeps_search", np.int64),
        ("node_size", np.int64),  # bytes of a node, of its sides together, and of an edge
        ("side_size", np.int64),
        ("edge_size", np.int64),
        ("uses_tail", np.int64),
        ("windowed", np.int64),
        ("records_everyone", np.int64),
        ("records_interior", np.int64),
        ("tail_size", np.int64),
        ("learns", np.int64),  # int64[n_players]
        # per slot
        ("slots", np.int64),  # SLOT[n_slots]
        ("memories", np.int64),  # MEMORY[n_slots]
        ("searches", np.int64),
        ("search_size", np.int64),
        ("streams", np.int64),  # STREAM[n_slots, STREAMS]
        ("progress", np.int64),  # int64[n_slots]: the policy's state of the episode
        ("live", np.int64),  # the state of each slot's game
        ("chosen", np.int64),  # int64[n_slots]: where `choose` wants the actions; 0 where they are played
        ("perspectives", np.int64),  # int64[n_slots, n_players]
        ("last_step", np.int64),  # int64[n_slots, n_players]: -1 before a player's first
        ("returns", np.int64),  # float64[n_slots, n_players]
        ("tails", np.int64),  # float64[n_slots, n_players, tail_size]
        # trajectories
        ("steps", np.int64),  # STEP[n_slots, step_capacity]
        ("step_states", np.int64),  # states[n_slots, step_capacity]
        ("evaluations", np.int64),  # float64[n_slots, evaluation_capacity]
        ("step_cells", np.int64),  # int32[n_slots, step_capacity]: where each led to; start buffer only
        ("step_capacity", np.int64),
        ("evaluation_capacity", np.int64),
        ("outcomes", np.int64),  # OUTCOME[n_slots]
        ("awaited", np.int64),  # int32[n_slots]: rows of the round without an answer
        # the queues: slots in the order in which their rows go to the network
        ("rings", np.int64),  # int32[n_queues, n_slots]
        ("ring_heads", np.int64),  # int64[n_queues]
        ("ring_counts", np.int64),  # int64[n_queues]: slots in the ring
        ("ring_rows", np.int64),  # int64[n_queues]: rows they still ask for
        ("cursors", np.int64),  # int32[n_slots, n_queues]: the slot's next request to look at
        ("in_order", np.int64),  # 1 where each slot's waiting requests follow its cursor without a gap
        # the window that is with the network
        ("window_slots", np.int64),  # int32[batch_size]
        ("window_requests", np.int64),  # int32[batch_size]
        ("window_rows", np.int64),
        ("window_queue", np.int64),
        ("window_closed", np.int64),  # 1 when it has all its rows and waits for the network
        ("window_answers", np.int64),  # int32[batch_size]: the row of the answer that each request reads
        ("window_sources", np.int64),  # int32[batch_size]: the request that each row asked is made for
        ("asked_rows", np.int64),  # rows for the network: equal requests may share one
        ("answered", np.int64),  # 1 when the answers have come
        ("observations", np.int64),  # float32[batch_size, observation_size]
        ("answers", np.int64),  # logits or Q values
        ("answer_width", np.int64),  # elements of a row
        ("answer_values", np.int64),
        ("answer_is_double", np.int64),
        ("value_is_double", np.int64),
        ("not_finite", np.int64),
        # the cache
        ("caches", np.int64),  # CACHE[n_queues]; 0 for none
        ("look_up_rows", np.int64),  # what is done with them (`cache`)
        ("keep_answers", np.int64),
        ("write_keys", np.int64),
        ("cache_candidates", np.int64),  # bytes[batch_size, cache_candidate_size]: of rows new in the window
        ("cache_candidate_size", np.int64),
        ("window_looked_up", np.int64),  # rows of the window that are not new
        ("window_entries", np.int64),  # int64[batch_size]: the entry of each row for the network
        ("window_generations", np.int64),  # int64[batch_size]: the cache's when the entry was made
        # slots that have their answers, and slots that are being advanced
        ("ready", np.int64),  # int32[n_slots], a ring
        ("first_ready", np.int64),
        ("n_ready", np.int64),
        ("running", np.int64),  # int32[n_slots]
        ("n_running", np.int64),
        ("again", np.int64),  # int32[n_slots]: of the running ones, those to advance once more
        ("n_again", np.int64),
        ("settled", np.int64),  # 1 when `running` needs no more than to be queued
        ("admit", np.int64),
        ("too_large", np.int64),  # 1 + the first slot whose search passed a bound in this run; 0 for none
        ("floor", np.int64),
        ("unrecorded", np.int64),  # decisions begun by learning players and not in the batch; windowed only
        ("closing", np.int64),  # 1 while the unfinished trajectories are being cut
        ("reopened", np.int64),  # how often the window was opened again for want of records
        # the batch
        ("batches", np.int64),  # BATCH[n_threads]
        ("columns", np.int64),  # int64[n_columns]: addresses
        ("n_columns", np.int64),
        ("capacities", np.int64),  # int64[1 + n_columns]: rows, and the entries of each ragged array
        ("filled", np.int64),  # int64[1 + n_columns]: rows and entries that are written
        ("wanted", np.int64),  # int64[1 + n_columns]: the same with the finished episodes
        ("n_records", np.int64),
        ("record_places", np.int64),  # int64[n_slots, n_players, 1 + n_columns]: where records go
        ("own_steps", np.int64),  # int32[n_threads, step_capacity]
        ("episodes", np.int64),  # EPISODE[n_threads]
        ("interior_steps", np.int64),  # STEP[n_threads]: a decision inside a search
        ("interior_own", np.int64),  # int32[1]: it is the first and only step
        ("interior_found", np.int64),  # int64[n_threads, 2]: its player and how many actions it has
        ("interior_lengths", np.int64),  # int64[n_threads, n_columns]: not read
        ("summaries", np.int64),  # float64[summary_capacity, n_players + 2]: returns, ticks, seeded
        ("n_summaries", np.int64),
        ("summary_capacity", np.int64),
        # the start buffer
        ("start_capacity", np.int64),  # states that a cell keeps; 0 without a start buffer
        ("p_fresh", np.float64),
        ("start_stream", np.int64),  # STREAM[1]
        ("cells", np.int64),  # CELL[n_cells]
        ("occupied", np.int64),  # int32[n_cells]: the cells that have states, in the order of their first
        ("n_occupied", np.int64),
        ("short_cell", np.int64),  # the cell that has to grow
        # counters
        ("requested_rows", np.int64),
        ("tail_rows", np.int64),
        ("cache_lookups", np.int64),
        ("cache_hits", np.int64),  # rows that were not sent: known, or equal to one of their window
        # threads
        ("scratches", np.int64),  # SCRATCH[n_threads]
        ("n_threads", np.int64),
        ("shares", np.int64),  # int64[n_threads, 8]: what is left of each thread's share of the job
        ("job_number", np.int64),
        ("job_kind", np.int64),
        ("job_units", np.int64),  # int32[...]: the slots; for rows unused
        ("job_size", np.int64),
        ("job_chunks", np.int64),
        ("job_done", np.int64),
        ("job_pad", np.int64, (8,)),  # keeps the words that threads share on lines of their own
        ("parked", np.int64),  # int64[n_threads]
        ("stop", np.int64),
        ("failed", np.int64),
    ],
    align=True,
)

ADDRESS_OF_FIELD = {name: ENGINE.fields[name][1] for name in ENGINE.names}  # type: ignore[index]
