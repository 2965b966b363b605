"""Finds the slots behind the episodes of a batch."""

import numpy as np

from tests.naive.records import batch_records, records, same_records
from tests.naive.self_play import Slot


class Twins:
    """A naive slot for each slot of an engine; each plays on when its next episode shows up in a batch.

    Args:
        game, reward, policy, learner, network: The composition.
        seed, n_games: As the engine's.
    """

    def __init__(self, game, reward, policy, learner, network, seed, n_games):
        self.learner = learner
        self.slots = [
            Slot(game, reward, policy, learner.gamma, network, seed, number) for number in range(n_games)
        ]
        self.waiting = [self._next(slot) for slot in self.slots]
        self.taken = np.zeros(n_games, int)

    def _next(self, slot):
        return records(slot.episode(), slot, self.learner)

    def accept(self, batch):
        """Check that each episode of the batch is the next one of some slot, and take them from the slots."""
        found = batch_records(batch)
        while found:
            matches = [
                number
                for number, expected in enumerate(self.waiting)
                if same_records(found[: len(expected)], expected)
            ]
            assert len(matches) == 1, f"no slot plays this episode next: {found[0]}"
            number = matches[0]
            del found[: len(self.waiting[number])]
            self.taken[number] += 1
            self.waiting[number] = self._next(self.slots[number])
