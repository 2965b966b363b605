"""One game slot under Minimax or SelectiveExpectimax, in objects, and the TreeStrap records of its episodes."""

import numpy as np

from rinforza.compiled.random import integer_below, uniform
from rinforza.contracts.rules import SIMULTANEOUS
from tests.naive.expectation import ExpectimaxTwin, MinimaxTwin
from tests.naive.records import head_ids
from tests.naive.self_play import CHOICE, LEARNER, SEARCH, Slot, Step


class ExpectationSlot(Slot):
    """A game slot whose policy searches in full width.

    Args:
        learner: The TreeStrap learner; the others are those of `Slot`.
    """

    def __init__(self, game, reward, policy, learner, network, seed, number=0):
        super().__init__(game, reward, policy, learner.gamma, network, seed, number)
        self.learner = learner
        self.records = []  # in the order in which they are complete
        self._searched = None

    def draw_head(self):
        """The head that plays the episode."""
        if self.policy.name == "minimax":
            return 0
        with np.errstate(over="ignore"):
            return int(integer_below(self.streams[CHOICE], self.policy.n_heads))

    def _decide(self, position, player, head, decisions):
        if self._searched is None or self._searched[0] is not position:
            self._searched = position, self._search_all(position)
        values = self._searched[1][player]
        legal = sorted(values)
        action = max(legal, key=lambda action: (values[action][head], -action))
        epsilon = getattr(self.policy, "epsilon", 0.0)
        if epsilon > 0 and uniform(self.streams[CHOICE]) < epsilon:
            action = legal[int(integer_below(self.streams[CHOICE], len(legal)))]
        return Step(position, player, values, action)

    def _search_all(self, position):
        """Search for every player that acts; keep the records of decisions inside, if they are wanted."""
        kind = MinimaxTwin if self.policy.name == "minimax" else ExpectimaxTwin
        twin = kind(self.policy, lambda *view: self.ask(*view)[0], self.streams[SEARCH], self.gamma)
        everybody = range(self.game.num_players)
        movers = everybody if position.turn == SIMULTANEOUS else [position.turn]
        found = twin.search(position, [player for player in movers if position.legal(player)])
        if self.learner.interior_targets:
            for node, values in twin.interior():
                record = self._record(node.position, node.searcher, values)
                self.records.append(self._masked(record))
        return found

    def play(self, learn_players=None):
        """Play one episode; its records follow those that its searches made."""
        self.episode_now = self.episode()
        for player in range(self.game.num_players):
            own = self._of_player(self.episode_now, player)
            self.records += [self._masked(record) for record in own]
        return self.episode_now

    def _of_player(self, episode, player):
        weight, gamma = self.learner.outcome_weight, self.gamma
        outcome = np.array(episode.tails[player], float) * np.ones(self.policy.output.heads)
        made = []
        for step in reversed(episode.of(player)):
            outcome = step.reward + gamma * outcome
            record = self._record(step.position, player, step.evaluation)
            column = step.position.head(step.action, player)
            searched = np.array(step.evaluation[step.action])
            record["targets"][:, column] = (1 - weight) * searched + weight * outcome
            made.append(record)
        return made[::-1]

    def _record(self, position, player, values):
        targets = np.zeros((self.policy.output.heads, self.game.num_actions))
        searched = np.zeros(self.game.num_actions)
        for action, worth in values.items():
            targets[:, position.head(action, player)] = worth
            searched[position.head(action, player)] = 1.0
        return {
            "obs": position.observe(player),
            "players": player,
            "targets": targets,
            "masks": None,
            "target_mask": searched,
            "legal": head_ids(position, player),
        }

    def _masked(self, record):
        chance, stream = self.learner.bootstrap_p, self.streams[LEARNER]
        with np.errstate(over="ignore"):
            record["masks"] = [
                1.0 if chance >= 1.0 or uniform(stream) < chance else 0.0
                for _ in range(self.policy.output.heads)
            ]
        return record

    def _ask_tails(self, position, episode):
        for player in range(self.game.num_players):
            if episode.of(player) and self.learner.outcome_weight > 0:
                whose = player if position.turn == SIMULTANEOUS else position.turn
                columns = [position.head(action, player) for action in position.legal(whose)]
                row = self.ask(position, player)[0]
                if columns:
                    episode.tails[player] = [max(float(head[column]) for column in columns) for head in row]
