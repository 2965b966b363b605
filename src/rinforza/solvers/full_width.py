"""What the variants of counterfactual regret minimisation that visit the whole game share.

Zinkevich et al. 2007, "Regret minimization in games with incomplete information", section 3, in the sequence
form. With x_i the realisation plan of player i, and the ends z of the game with the sequence z_i of each
player, the counterfactual value of a sequence of player i is

    g(s) = sum over z with z_i = s of  chance(z) u_i(z) prod over j != i of x_j(z_j)
         + sum over the sightings I that follow s of  v(I),      v(I) = sum over a of sigma(I, a) g(I a)

and the instantaneous regret of action a at I is g(I a) - v(I). An iteration visits the players in turn: each
one's regrets are worked out against the strategies of that moment, then its strategy is renewed.

The average strategy weighs iteration t by t ** `average_power` and by the player's own part in reaching the
information state. What else differs between variants is `renew`: how the instantaneous regrets (`changes`)
of a player enter its regrets, and how these give its next strategy.
"""

import math

import numpy as np

from ..compiled import INT, ArrayOf, Prototype, RecordOf, address_of, array_at, clear_bytes, record_at

PLACE = np.dtype(
    [
        ("offset", np.int32),  # where the actions of the information state begin in the pool
        ("count", np.int32),
        ("parent_sequence", np.int32),
        ("first_sequence", np.int32),
    ]
)
FULL_WIDTH = np.dtype(
    [
        ("n_players", np.int64),
        ("places", np.int64),  # PLACE for each sighting, player by player, parents first
        ("place_rows", np.int64),  # int32: the row of each place
        ("place_starts", np.int64),  # int64[n_players + 1]
        ("sequence_starts", np.int64),  # int64[n_players + 1]
        ("n_sequences", np.int64),
        ("leaf_sequences", np.int64),  # int32[n_leaves, n_players]
        ("payoffs", np.int64),  # float64[n_players, n_leaves]
        ("n_leaves", np.int64),
        ("plans", np.int64),  # float64[n_sequences]: the realisation plans of the current strategies
        ("values", np.int64),  # float64[n_sequences]: g
        ("rows", np.int64),  # int32[n_rows]: the information states, player by player
        ("row_starts", np.int64),  # int64[n_players + 1]
        ("n_rows", np.int64),
        ("first", np.int64),  # int64[n_rows + 1]: where each row's actions begin in the pool
        ("pool", np.int64),  # actions of all rows
        ("regrets", np.int64),  # float64[pool]
        ("changes", np.int64),  # float64[pool]: the instantaneous regrets
        ("strategy", np.int64),  # float64[pool]
        ("averages", np.int64),  # float64[pool]: the weighted sum of the strategies
        ("iteration", np.int64),
        ("average_power", np.float64),
        ("alpha", np.float64),
        ("beta", np.float64),
        ("renew", np.int64),  # the address of the variant's function
    ]
)
ITERATE = Prototype("iterate", None, INT, INT)
PREPARE = Prototype("prepare", None, INT)
RENEW = Prototype(
    "renew",
    None,
    RecordOf("solver"),
    ArrayOf(np.int32),  # rows of the player
    ArrayOf(np.int64),  # where each row's actions begin in the pool
    ArrayOf(np.float64),  # regrets
    ArrayOf(np.float64),  # changes
    ArrayOf(np.float64),  # strategy
)


def iterate_at(address, count):
    """Do `count` iterations."""
    solver = record_at(address, FULL_WIDTH)
    for _ in range(count):
        solver.iteration += 1
        weight = math.pow(np.float64(solver.iteration), solver.average_power)
        for player in range(solver.n_players):
            value_leaves(solver, player)
            collect_changes(solver, player, weight)
            renew_strategy(solver, player)
            make_plan(solver, player)


def renew_strategy(solver, player):
    """Let the variant renew the regrets and the strategy of a player; forget the changes."""
    starts = array_at(solver.row_starts, solver.n_players + 1, np.int64)
    count = starts[player + 1] - starts[player]
    RENEW(
        solver.renew,
        address_of(solver),
        solver.rows + 4 * starts[player],
        count,
        solver.first,
        solver.n_rows + 1,
        solver.regrets,
        solver.pool,
        solver.changes,
        solver.pool,
        solver.strategy,
        solver.pool,
    )
    clear_bytes(solver.changes, solver.pool * 8)


def prepare_at(address):
    """Work out the plans of all players from the strategies."""
    solver = record_at(address, FULL_WIDTH)
    for player in range(solver.n_players):
        make_plan(solver, player)


def make_plan(solver, player):
    """Work out the realisation plan of a player from its strategy."""
    starts = array_at(solver.place_starts, solver.n_players + 1, np.int64)
    places = array_at(solver.places, starts[solver.n_players], PLACE)
    plans = array_at(solver.plans, solver.n_sequences, np.float64)
    strategy = array_at(solver.strategy, solver.pool, np.float64)
    plans[array_at(solver.sequence_starts, solver.n_players + 1, np.int64)[player]] = 1.0
    for index in range(starts[player], starts[player + 1]):
        place = places[index]
        reach = plans[place.parent_sequence]
        for action in range(place.count):
            plans[place.first_sequence + action] = reach * strategy[place.offset + action]


def value_leaves(solver, player):
    """Set g of each sequence of a player to what the ends of the game give."""
    values = array_at(solver.values, solver.n_sequences, np.float64)
    plans = array_at(solver.plans, solver.n_sequences, np.float64)
    starts = array_at(solver.sequence_starts, solver.n_players + 1, np.int64)
    payoffs = array_at(solver.payoffs + player * solver.n_leaves * 8, solver.n_leaves, np.float64)
    sequences = array_at(solver.leaf_sequences, (solver.n_leaves, solver.n_players), np.int32)
    clear_bytes(solver.values + starts[player] * 8, (starts[player + 1] - starts[player]) * 8)
    if solver.n_players == 2:
        other = 1 - player
        for leaf in range(solver.n_leaves):
            values[sequences[leaf, player]] += payoffs[leaf] * plans[sequences[leaf, other]]
        return
    for leaf in range(solver.n_leaves):
        value = payoffs[leaf]
        for other in range(solver.n_players):
            if other != player:
                value *= plans[sequences[leaf, other]]
        values[sequences[leaf, player]] += value


def collect_changes(solver, player, weight):
    """Add the instantaneous regrets of a player to `changes`, and its strategy to `averages`."""
    starts = array_at(solver.place_starts, solver.n_players + 1, np.int64)
    places = array_at(solver.places, starts[solver.n_players], PLACE)
    values = array_at(solver.values, solver.n_sequences, np.float64)
    plans = array_at(solver.plans, solver.n_sequences, np.float64)
    strategy = array_at(solver.strategy, solver.pool, np.float64)
    changes = array_at(solver.changes, solver.pool, np.float64)
    averages = array_at(solver.averages, solver.pool, np.float64)
    for index in range(starts[player + 1] - 1, starts[player] - 1, -1):
        place = places[index]
        value = 0.0
        for action in range(place.count):
            value += strategy[place.offset + action] * values[place.first_sequence + action]
        values[place.parent_sequence] += value
        for action in range(place.count):
            changes[place.offset + action] += values[place.first_sequence + action] - value
            averages[place.offset + action] += weight * plans[place.first_sequence + action]
