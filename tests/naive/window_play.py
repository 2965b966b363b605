"""Play in windows, on objects: a window ends after so many decisions, and the episode goes on in the next."""

import numpy as np

from rinforza.compiled.random import categorical
from rinforza.contracts.rules import SIMULTANEOUS, TERMINAL
from tests.naive.game_view import Position
from tests.naive.records import head_ids
from tests.naive.self_play import CHOICE, Episode, Slot, Step


class WindowSlot(Slot):
    """A game slot that plays in windows, by the softmax of the network's logits.

    Args: as `Slot`, and
        lam: The decay of the advantages.
        learn_players: Whose decisions are recorded.
    """

    def __init__(self, game, reward, policy, learner, network, seed, learn_players=None):
        super().__init__(game, reward, policy, learner.gamma, network, seed)
        self.lam = learner.lam
        self.learn_players = list(range(game.num_players)) if learn_players is None else learn_players
        self.position = None
        self.ticks = 0

    def window(self, floor):
        """Play until `floor` decisions are made; return their records."""
        made = []
        decided = 0
        fragment = Episode(self.game.num_players)
        with np.errstate(over="ignore"):
            while decided < floor:
                if self.position is None:
                    self.position, self.ticks = Position(self.game, self.reward), 0
                    self._chance(self.position, fragment)
                decided += self.tick(fragment)
                over = self.position.turn == TERMINAL
                if over or self.ticks == self.game.truncation_horizon():
                    if not over:
                        fragment.pay(self.position.cut())
                    made += self.close(fragment, bootstrap=not over)
                    fragment, self.position = Episode(self.game.num_players), None
        if self.position is not None:
            made += self.close(fragment, bootstrap=True)
        return made

    def tick(self, fragment):
        """Play one tick; return how many recorded decisions it took."""
        before = self.position.copy()
        turn = before.turn
        movers = range(self.game.num_players) if turn == SIMULTANEOUS else [turn]
        steps = [self.draw(before, player) for player in movers if before.legal(player)]
        fragment.steps += steps
        fragment.pay(self.position.play({step.player: step.action for step in steps}))
        self._chance(self.position, fragment)
        self.ticks += 1
        return sum(step.player in self.learn_players for step in steps)

    def draw(self, position, player):
        """Decide for a player: (value, log-probability) is the evaluation."""
        logits, values = self.ask(position, player)
        legal = position.legal(player)
        chosen = np.array([logits[0, position.head(action, player)] for action in legal])
        odds = np.exp(chosen - chosen.max()) / np.exp(chosen - chosen.max()).sum()
        place = int(categorical(self.streams[CHOICE], odds, len(odds)))
        return Step(position, player, (float(values[0]), float(np.log(odds[place]))), legal[place])

    def close(self, fragment, bootstrap):
        """The records of a fragment: for each player, GAE from the definition (a sum, not a recursion)."""
        made = []
        for player in sorted(set(self.learn_players)):
            steps = fragment.of(player)
            tail = float(self.ask(self.position, player)[1][0]) if bootstrap and steps else 0.0
            values = [step.evaluation[0] for step in steps] + [tail]
            deltas = [
                step.reward + self.gamma * values[place + 1] - values[place]
                for place, step in enumerate(steps)
            ]
            for place, step in enumerate(steps):
                advantage = sum(
                    (self.gamma * self.lam) ** (later - place) * deltas[later]
                    for later in range(place, len(steps))
                )
                made.append(
                    {
                        "obs": step.position.observe(player),
                        "players": player,
                        "actions": step.position.head(step.action, player),
                        "behavior_log_probs": step.evaluation[1],
                        "advantages": advantage,
                        "returns": advantage + values[place],
                        "values": values[place],
                        "legal": head_ids(step.position, player),
                    }
                )
        return made
