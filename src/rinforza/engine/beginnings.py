"""What a slot's next search begins with: nothing, or what the policy keeps of the episode's last one.

Where a policy keeps searches, a copy of what each began with stays beside its tables: a snapshot holds that copy, and a
search in flight can be done again from it.
"""

from ..compiled import INT, Prototype, copy_bytes, record_at
from ..contracts.policy import KEEP_SEARCH, VALID_SEARCH
from ..contracts.search_memory import forget_tables
from .access import live_state, memory_address, memory_record, rules_record, scratch_address
from .layout import ENGINE

TRIM = Prototype("trim", None, INT, INT)
PUT_BACK = Prototype("put_back", None, INT, INT)
IS_SOUND = Prototype("is_sound", INT, INT, INT)


def begin_with_last(engine, rules, slot):
    """Leave in the tables what the next search of a slot begins with."""
    memory = memory_record(engine, slot)
    if engine.keeps_search == 0:
        forget_tables(memory)
        return
    if memory.is_trimmed == 0:
        state = live_state(engine, rules, slot)
        KEEP_SEARCH(engine.keep_search, engine.policy, engine.rules, memory_address(engine, slot), state)
        memory.is_trimmed = 1
    memory.n_kept_nodes = memory.n_nodes
    memory.n_kept_edges = memory.n_edges
    copy_tables(engine, rules, memory, True)


def copy_tables(engine, rules, memory, to_copy):
    """Copy what a search began with from the tables to the copy beside them, or back."""
    nodes, edges = memory.n_kept_nodes, memory.n_kept_edges
    copy_table(memory.kept_nodes, memory.nodes, nodes * engine.node_size, to_copy)
    copy_table(memory.kept_states, memory.states, nodes * rules.state_size, to_copy)
    copy_table(memory.kept_sides, memory.sides, nodes * engine.side_size, to_copy)
    copy_table(memory.kept_edges, memory.edges, edges * engine.edge_size, to_copy)
    copy_table(memory.kept_actions, memory.actions, edges * 4, to_copy)


def copy_table(copy, table, size, to_copy):
    """Copy the first bytes of a table to its copy, or back."""
    if size > 0:
        if to_copy:
            copy_bytes(copy, table, size)
        else:
            copy_bytes(table, copy, size)


def trim_at(address, slot):
    """Make ready what the next search of a slot will begin with, before it does."""
    engine = record_at(address, ENGINE)
    begin_with_last(engine, rules_record(engine), slot)


def put_back_at(address, slot):
    """Put the tables of a slot back to what its search began with."""
    engine = record_at(address, ENGINE)
    memory = memory_record(engine, slot)
    memory.n_nodes = memory.n_kept_nodes
    memory.n_edges = memory.n_kept_edges
    memory.is_trimmed = 1
    copy_tables(engine, rules_record(engine), memory, False)


def is_sound_at(address, slot):
    """Return whether the policy finds that a search of the slot's state can begin with what is in its tables."""
    engine = record_at(address, ENGINE)
    memory_record(engine, slot).scratch = scratch_address(engine, 0)
    state = live_state(engine, rules_record(engine), slot)
    memory = memory_address(engine, slot)
    return VALID_SEARCH(engine.valid_search, engine.policy, engine.rules, memory, state)
