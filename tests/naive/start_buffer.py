"""A start buffer as lists in a dict, and an engine that plays all its slots in step, on objects."""

import numpy as np

from rinforza import Game
from rinforza.compiled.random import STREAM, categorical, derive_key, integer_below, uniform
from rinforza.contracts.rules import CHANCE, SIMULTANEOUS, TERMINAL
from tests.naive.game_view import Position
from tests.naive.self_play import WORLD, Episode, Slot

STARTS = 1 << 16


class StartBuffer:
    """For each cell, in the order of their first states: how many were offered, and those that are kept."""

    def __init__(self, seed, capacity, p_fresh):
        self.capacity, self.p_fresh = capacity, p_fresh
        self.stream = np.zeros(1, STREAM).view(np.recarray)[0]
        with np.errstate(over="ignore"):
            self.stream.key = derive_key(np.uint64(seed), np.uint64(STARTS), np.uint64(0))
        self.seen, self.kept = {}, {}

    def offer(self, position):
        """Offer a position to its cell, if it has one."""
        cell = int(position.game.cell(position.state))
        if cell < 0:
            return
        kept = self.kept.setdefault(cell, [])
        self.seen[cell] = self.seen.get(cell, 0) + 1
        if self.seen[cell] <= self.capacity:
            kept.append(position.copy())
            return
        place = int(integer_below(self.stream, self.seen[cell]))
        if place < self.capacity:
            kept[place] = position.copy()

    def draw(self):
        """A position to start in, or None to start afresh."""
        if not self.kept or uniform(self.stream) < self.p_fresh:
            return None
        kept = list(self.kept.values())[int(integer_below(self.stream, len(self.kept)))]
        return kept[int(integer_below(self.stream, len(kept)))].copy()


class Player:
    """A slot with the episode that it is in."""

    def __init__(self, slot):
        self.slot = slot
        self.begin(None)

    def begin(self, start):
        """Begin an episode, in a position or afresh."""
        self.seeded = start is not None
        self.position = start or Position(self.slot.game, self.slot.reward)
        self.episode = Episode(self.slot.game.num_players)
        self.draw_chance()
        self.head = self.slot.draw_head()

    def draw_chance(self):
        """Resolve chance nodes; a game that draws by itself does so."""
        game, position, stream = self.slot.game, self.position, self.slot.streams[WORLD]
        while position.turn == CHANCE:
            if type(game).sample_chance is Game.sample_chance:
                odds = position.odds()
                outcome = int(categorical(stream, odds, len(odds)))
            else:
                outcome = int(game.sample_chance(position.state, stream))
            self.episode.pay(position.resolve(outcome))

    def tick(self):
        """Play a tick; return whether the episode is over."""
        slot, position, episode = self.slot, self.position, self.episode
        before = position.copy()
        movers = range(slot.game.num_players) if before.turn == SIMULTANEOUS else [before.turn]
        steps = [
            slot.decide(before, player, self.head, len(episode.steps))
            for player in movers
            if before.legal(player)
        ]
        episode.steps += steps
        episode.pay(position.play({step.player: step.action for step in steps}))
        self.draw_chance()
        episode.ticks += 1
        if position.turn == TERMINAL:
            return True
        if episode.ticks == slot.game.truncation_horizon():
            episode.pay(position.cut())
            return True
        return False


class InStep:
    """An engine whose window holds one row of every slot, with a policy that asks once for each decision.

    Args:
        game, reward, policy, learner, network, n_games, seed: As the engine's.
        buffer: Its start buffer.
    """

    def __init__(self, game, reward, policy, learner, network, n_games, seed, buffer):
        slots = [
            Slot(game, reward, policy, learner.gamma, network, seed, number) for number in range(n_games)
        ]
        with np.errstate(over="ignore"):
            self.players = list(map(Player, slots))
        self.buffer = buffer
        self.collects = 0

    def collect(self, floor):
        """The episodes that end until there are `floor` decisions in them."""
        with np.errstate(over="ignore"):
            return self._collect(floor)

    def _collect(self, floor):
        count = len(self.players)
        deciding = [self.players[(self.collects + number) % count] for number in range(count)]
        self.collects += 1
        ended, records = [], 0
        while deciding:
            goes_on = records < floor
            over = []
            for player in deciding:
                over.append(player.tick())
                if player.position.turn != TERMINAL:
                    self.buffer.offer(player.position)
            for player, is_over in zip(deciding, over, strict=True):
                if is_over:
                    ended.append((player.episode.returns, player.episode.ticks, player.seeded))
                    records += len(player.episode.steps)
                    player.begin(self.buffer.draw())
            may_begin = {True: records < floor, False: goes_on}
            deciding = [player for player, is_over in zip(deciding, over, strict=True) if may_begin[is_over]]
        return ended
