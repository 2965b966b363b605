"""A small conforming learner, for the broken ones to differ from."""

import numpy as np

from rinforza import Batch, Column, Learner
from rinforza.compiled import array_at, record_at
from rinforza.compiled.random import uniform
from rinforza.contracts.csr import write_legal
from rinforza.contracts.learner import column, column_address, step_of
from rinforza.contracts.rules import SCRATCH, encode, head_index, legal_actions

OBS, PLAYERS, ACTIONS, VALUES, RETURNS, NOISE, LEGAL_IDS, LEGAL_OFFSETS = range(8)


class NotesBatch(Batch):
    """The records of Notes."""

    fields = ("obs", "players", "actions", "values", "returns", "noise", "legal_ids", "legal_offsets")
    unpacks = ("obs", "actions", "telemetry")


class Notes(Learner):
    """One record a decision: what was seen, what was done, the evaluation, the return, some noise."""

    name = "notes"
    policies = ("peek",)
    batch_type = NotesBatch
    uses_episode_tail = True

    def __init__(self, gamma=0.9):
        super().__init__({"gamma": gamma})

    def columns(self, game, policy, observation_size):
        return {
            "obs": Column(np.float32, (observation_size,)),
            "players": Column(np.int64),
            "actions": Column(np.int64),
            "values": Column(np.float64, (game.num_actions,)),
            "returns": Column(np.float64),
            "noise": Column(np.float32),
            "legal": Column(np.int64, ragged=True),
        }

    def episode_size(self, rules, episode, lengths):
        return announce(episode, lengths)

    def episode_records(self, rules, episode, batch, stream):
        write_numbers(rules, episode, batch)
        write_returns(self.gamma, episode, batch)
        write_noise(episode, batch, stream)
        write_lists(rules, episode, batch)

    def tail_from_row(self, answer, n_actions, tail):
        tail[0] = 0.0
        for place in range(n_actions):
            tail[0] += answer[place] / n_actions


def announce(episode, lengths):
    """Announce one record a decision, and its legal ids."""
    for index in range(episode.length):
        lengths[LEGAL_IDS] += step_of(episode, index).n_actions
    return episode.length


def write_numbers(rules, episode, batch):
    """Write observations, players and actions."""
    rows = batch.first_row + episode.length
    for index in range(episode.length):
        row = batch.first_row + index
        step = step_of(episode, index)
        state = episode.states + step.state * rules.state_size
        size = rules.observation_size
        encode(rules, state, episode.player, column_address(batch, OBS) + row * size * 4)
        column(batch, PLAYERS, rows, np.int64)[row] = episode.player
        action = head_index(rules, step.action, episode.player)
        column(batch, ACTIONS, rows, np.int64)[row] = action


def write_returns(gamma, episode, batch):
    """Write the discounted returns."""
    rows = batch.first_row + episode.length
    returns = column(batch, RETURNS, rows, np.float64)
    total = array_at(episode.tail, 1, np.float64)[0]
    for index in range(episode.length - 1, -1, -1):
        total = step_of(episode, index).reward + gamma * total
        returns[batch.first_row + index] = total


def write_noise(episode, batch, stream):
    """Write a random number for each record."""
    noise = column(batch, NOISE, batch.first_row + episode.length, np.float32)
    for row in range(batch.first_row, batch.first_row + episode.length):
        noise[row] = uniform(stream)


def write_lists(rules, episode, batch):
    """Write the evaluations by network column, and the legal columns."""
    scratch = record_at(episode.scratch, SCRATCH)
    rows = batch.first_row + episode.length
    values = array_at(column_address(batch, VALUES), (rows, rules.n_actions), np.float64)
    for index in range(episode.length):
        row = batch.first_row + index
        step = step_of(episode, index)
        state = episode.states + step.state * rules.state_size
        count = legal_actions(rules, state, episode.player, scratch.legal)
        legal = array_at(scratch.legal, count, np.int32)
        known = array_at(episode.evaluations + step.evaluation * 8, count, np.float64)
        for head in range(rules.n_actions):
            values[row, head] = 0.0
        for place in range(count):
            values[row, head_index(rules, legal[place], episode.player)] = known[place]
        write_legal(rules, batch, LEGAL_IDS, row, legal, count, episode.player)
