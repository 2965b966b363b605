"""Learners that each break one thing."""

import numpy as np

from rinforza import Column
from rinforza.compiled import address_of, array_at
from rinforza.contracts.learner import STEP, column, column_address, step_of
from rinforza.contracts.rules import head_index

from .broken_moves import remember
from .refusals import Refusals
from .toy_learner import (
    ACTIONS,
    LEGAL_IDS,
    LEGAL_OFFSETS,
    NOISE,
    PLAYERS,
    RETURNS,
    VALUES,
    Notes,
    NotesBatch,
    announce,
    write_lists,
    write_noise,
    write_numbers,
    write_returns,
)
from .toys import lanes_differ

refused = Refusals()


def write_all(gamma, rules, episode, batch, stream):
    """Write what a conforming learner writes."""
    write_numbers(rules, episode, batch)
    write_returns(gamma, episode, batch)
    write_noise(episode, batch, stream)
    write_lists(rules, episode, batch)


# ---- claims ----


@refused("has gamma = 1.5")
class NoDiscount(Notes):
    def __init__(self, gamma=1.5):
        super().__init__(gamma)


@refused("states stores_evaluations = 1")
class NumberFlag(Notes):
    stores_evaluations = 1


@refused("states tail_size = 0")
class NoTail(Notes):
    tail_size = 0


@refused("states batch_type = <class 'dict'>")
class PlainDict(Notes):
    batch_type = dict


class ShortBatch(NotesBatch):
    fields = NotesBatch.fields[:-1]


@refused(
    "batch_type lists the fields...'legal_ids', 'noise'...and columns gives...To mend it: list every array"
)
class ForgetsAField(Notes):
    batch_type = ShortBatch


class MysteryBatch(NotesBatch):
    unpacks = ("obs", "mystery")


@refused("batch_type unpacks 'mystery'")
class UnpacksTheUnknown(Notes):
    batch_type = MysteryBatch


@refused("columns gives noise the column")
class ObjectColumn(Notes):
    def columns(self, game, policy, observation_size):
        return {**super().columns(game, policy, observation_size), "noise": Column(object)}


@refused("columns raised KeyError")
class NoColumns(Notes):
    def columns(self, game, policy, observation_size):
        raise KeyError("columns")


@refused("episode_records does not compile")
class NeverCompiles(Notes):
    def episode_records(self, rules, episode, batch, stream):
        write_all(self.gamma, rules, episode, batch, stream)
        if episode.length > 1000:
            batch.no_such_field = 1


# ---- sizes ----


@refused("episode_size (plain Python) announced")
class SetsLengths(Notes):
    def episode_size(self, rules, episode, lengths):
        announce(episode, lengths)
        lengths[LEGAL_IDS] = 3
        return episode.length


@refused("episode_size (plain Python) announced")
class CountsOffsets(Notes):
    def episode_size(self, rules, episode, lengths):
        lengths[LEGAL_OFFSETS] += 1
        return announce(episode, lengths)


@refused("episode_size (plain Python) announced (-1,")
class NegativeSize(Notes):
    def episode_size(self, rules, episode, lengths):
        announce(episode, lengths)
        return -1


@refused("wrote outside the array obs")
class AnnouncesOneLess(Notes):
    def episode_size(self, rules, episode, lengths):
        return announce(episode, lengths) - 1


@refused("leaves entries of obs unwritten")
class AnnouncesOneMore(Notes):
    def episode_size(self, rules, episode, lengths):
        return announce(episode, lengths) + 1


@refused("wrote...entries to legal_ids, but announced")
class AnnouncesMoreIds(Notes):
    def episode_size(self, rules, episode, lengths):
        lengths[LEGAL_IDS] += 2
        return announce(episode, lengths)


@refused("wrote outside the array legal_ids")
class AnnouncesFewerIds(Notes):
    def episode_size(self, rules, episode, lengths):
        lengths[LEGAL_IDS] -= 1
        return announce(episode, lengths)


@refused("made no record of 4 episodes")
class LearnsNothing(Notes):
    def episode_size(self, rules, episode, lengths):
        return 0

    def episode_records(self, rules, episode, batch, stream):
        return


# ---- records ----


@refused("leaves entries of values unwritten")
class LeavesGaps(Notes):
    def episode_records(self, rules, episode, batch, stream):
        write_numbers(rules, episode, batch)
        write_returns(self.gamma, episode, batch)
        write_noise(episode, batch, stream)
        old = array_at(column_address(batch, VALUES), 1, np.int64)[0]
        write_lists(rules, episode, batch)
        rows = batch.first_row + episode.length
        array_at(column_address(batch, VALUES), (rows, rules.n_actions), np.int64)[-1, 0] = old


@refused("leaves entries of noise unwritten, or writes others for the same stream")
class OwnNoise(Notes):
    def episode_records(self, rules, episode, batch, stream):
        write_all(self.gamma, rules, episode, batch, stream)
        column(batch, NOISE, batch.first_row + 1, np.float32)[batch.first_row] = remember()


@refused("wrote to players before its own rows")
class StartsAtZero(Notes):
    def episode_records(self, rules, episode, batch, stream):
        write_all(self.gamma, rules, episode, batch, stream)
        column(batch, PLAYERS, 1, np.int64)[0] = episode.player


@refused("episode_records (plain Python) changed the episode")
class TouchesSteps(Notes):
    def episode_records(self, rules, episode, batch, stream):
        write_all(self.gamma, rules, episode, batch, stream)
        array_at(episode.steps, 1, STEP)[0].reward += 1.0


@refused("wrote NaN or an infinity to returns")
class InfiniteReturns(Notes):
    def episode_records(self, rules, episode, batch, stream):
        write_all(self.gamma, rules, episode, batch, stream)
        column(batch, RETURNS, batch.first_row + 1, np.float64)[batch.first_row] = np.inf


@refused("wrote the legal_offsets")
class WrongOffsets(Notes):
    def episode_records(self, rules, episode, batch, stream):
        write_all(self.gamma, rules, episode, batch, stream)
        row = batch.first_row + episode.length
        column(batch, LEGAL_OFFSETS, row + 1, np.int64)[row] += 1


@refused("wrote the legal_ids")
class UnsortedIds(Notes):
    def episode_records(self, rules, episode, batch, stream):
        write_all(self.gamma, rules, episode, batch, stream)
        end = column(batch, LEGAL_OFFSETS, batch.first_row + 2, np.int64)[batch.first_row + 1]
        ids = column(batch, LEGAL_IDS, end, np.int64)
        first = ids[end - 1]
        ids[end - 1] = ids[end - 2]
        ids[end - 2] = first


@refused("wrote outside the scratch or the stream")
class WritesBesideTheStream(Notes):
    def episode_records(self, rules, episode, batch, stream):
        write_all(self.gamma, rules, episode, batch, stream)
        array_at(address_of(stream) + 16, 1, np.int64)[0] = 1


@refused("does not follow the encoder's numbering of the network columns in actions")
class GameFrameActions(Notes):
    def episode_records(self, rules, episode, batch, stream):
        write_all(self.gamma, rules, episode, batch, stream)
        rows = batch.first_row + episode.length
        for index in range(episode.length):
            action = step_of(episode, index).action
            column(batch, ACTIONS, rows, np.int64)[batch.first_row + index] = action


@refused("does not follow the encoder's numbering of the network columns in legal_ids")
class GameFrameIds(Notes):
    def episode_records(self, rules, episode, batch, stream):
        write_all(self.gamma, rules, episode, batch, stream)
        rows = batch.first_row + episode.length
        offsets = column(batch, LEGAL_OFFSETS, rows + 1, np.int64)
        ids = column(batch, LEGAL_IDS, offsets[rows], np.int64)
        for row in range(batch.first_row, rows):
            for place in range(offsets[row], offsets[row + 1]):
                ids[place] = place - offsets[row]


@refused("does not follow the encoder's numbering of the network columns in values")
class GameFrameValues(Notes):
    def episode_records(self, rules, episode, batch, stream):
        write_all(self.gamma, rules, episode, batch, stream)
        rows = batch.first_row + episode.length
        values = array_at(column_address(batch, VALUES), (rows, rules.n_actions), np.float64)
        for row in range(batch.first_row, rows):
            for action in range(rules.n_actions):
                values[row, action] = action


@refused("does not follow the encoder's numbering of the network columns in returns")
class MixesFrames(Notes):
    def episode_records(self, rules, episode, batch, stream):
        write_all(self.gamma, rules, episode, batch, stream)
        first = column(batch, RETURNS, batch.first_row + 1, np.float64)
        first[batch.first_row] = head_index(rules, 0, 0)


@refused("tail_from_row (plain Python) left [nan] as the tail of 1")
class LeavesTheTail(Notes):
    def tail_from_row(self, answer, n_actions, tail):
        return


@refused("tail_from_row (plain Python) raised IndexError")
class LongTail(Notes):
    def tail_from_row(self, answer, n_actions, tail):
        tail[1] = 1.0


# ---- lanes ----


@refused("episode_records (rows, random numbers) gives")
class SizesDiffer(Notes):
    def episode_size(self, rules, episode, lengths):
        return announce(episode, lengths)

    def episode_records(self, rules, episode, batch, stream):
        write_all(self.gamma, rules, episode, batch, stream)
        if lanes_differ():
            write_noise(episode, batch, stream)


@refused("episode_records, array returns, gives")
class ReturnsDiffer(Notes):
    def episode_records(self, rules, episode, batch, stream):
        write_all(self.gamma, rules, episode, batch, stream)
        returns = column(batch, RETURNS, batch.first_row + 1, np.float64)
        returns[batch.first_row] += lanes_differ()


# ---- in an engine ----


class WrongWidth(NotesBatch):
    def __init__(self, arrays, telemetry, n_actions):
        super().__init__({**arrays, "noise": arrays["noise"].astype(np.float64)}, telemetry, n_actions)


@refused("in an Engine fills noise with float64")
class BatchOfItsOwn(Notes):
    batch_type = WrongWidth


class Explodes(NotesBatch):
    def __init__(self, arrays, telemetry, n_actions):
        raise ValueError("no batch")


@refused("in an Engine raised ValueError: no batch")
class BatchCannotBeMade(Notes):
    batch_type = Explodes
