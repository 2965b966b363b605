"""One game slot in objects: episodes played one after another, with nothing batched and nothing shared.

The slot's random streams are those of the engine, one for each purpose, so both play the same episodes.
"""

import numpy as np

from rinforza import Reward
from rinforza.compiled.random import STREAM, categorical, derive_key, integer_below, uniform
from rinforza.contracts.rules import CHANCE, SIMULTANEOUS, TERMINAL
from rinforza.policies import AlphaZero, EpsilonGreedyQ, Mcts
from tests.naive.game_view import Position
from tests.naive.simulations import Rounds

WORLD, SEARCH, CHOICE, LEARNER = range(4)
FOREVER = 1 << 32


class Step:
    """A decision of one player, with the reward that came until the player's next one."""

    def __init__(self, position, player, evaluation, action, resigns=False):
        self.position = position
        self.player = player
        self.evaluation = evaluation  # {action: what the policy found}
        self.action = action
        self.resigns = resigns
        self.reward = 0.0


class Episode:
    """What happened from a start to an end."""

    def __init__(self, n_players):
        self.steps = []
        self.returns = [0.0] * n_players
        self.ticks = 0
        self.terminated = False
        self.final = None
        self.tails = [0.0] * n_players

    def of(self, player):
        """The player's own steps, in time order."""
        return [step for step in self.steps if step.player == player]

    def pay(self, rewards):
        """Give each player its reward: it joins the return, and the player's last step."""
        for player, reward in enumerate(rewards):
            self.returns[player] += reward
            own = self.of(player)
            if own:
                own[-1].reward += reward


class Slot:
    """A game slot.

    Args:
        game, reward, policy: As the engine's.
        gamma: The learner's, which is the search's discount too.
        network: Observations to answers; one callable, or one for each player.
        seed, number: Which random streams.
    """

    def __init__(self, game, reward, policy, gamma, network, seed, number=0):
        self.game, self.reward, self.policy, self.gamma = game, reward, policy, gamma
        self.network = network
        self.rounds = None  # the episode's last search, if its tree is to be gone on with
        self.plays_on = True  # whatever happens, an episode may be drawn to be played to its end
        is_alphazero = isinstance(policy, AlphaZero) and game.dynamics == "sequential"
        self.values_everyone = is_alphazero and policy.values_everyone(game)
        self.streams = np.zeros(4, STREAM).view(np.recarray)
        with np.errstate(over="ignore"):
            for purpose in range(4):
                key = derive_key(np.uint64(seed), np.uint64(purpose), np.uint64(number))
                self.streams["key"][purpose] = key

    def ask(self, position, player):
        """The network's answer to one row."""
        network = self.network if callable(self.network) else self.network[player]
        return network(position.observe(player)[None])

    def episode(self):
        """Play one episode from its start."""
        with np.errstate(over="ignore"):
            return self._episode()

    def _episode(self):
        episode = Episode(self.game.num_players)
        position = Position(self.game, self.reward)
        self._chance(position, episode)
        head = self.draw_head()
        self.plays_on = self.draw_play_out()
        self.rounds = None
        horizon = self.game.truncation_horizon()
        while position.turn != TERMINAL and episode.ticks != horizon:
            before = position.copy()
            movers = range(self.game.num_players) if position.turn == SIMULTANEOUS else [position.turn]
            acting = [player for player in movers if before.legal(player)]
            if isinstance(self.policy, AlphaZero | Mcts):
                steps = self.search(before, sum(bool(step.evaluation) for step in episode.steps))
            else:
                steps = [self.decide(before, player, head, len(episode.steps)) for player in acting]
            episode.steps += steps
            if self.values_everyone:
                others = [player for player in range(self.game.num_players) if player not in acting]
                episode.steps += [Step(before, player, {}, None) for player in others]
            if steps[0].resigns:
                episode.pay(self.paid_for_resigning(acting[0]))
                episode.final, episode.terminated = position, True
                return episode
            episode.pay(position.play({step.player: step.action for step in steps}))
            self._chance(position, episode)
            episode.ticks += 1
        episode.final = position
        episode.terminated = position.turn == TERMINAL
        if not episode.terminated:
            episode.pay(position.cut())
            self._ask_tails(position, episode)
        return episode

    def _chance(self, position, episode):
        while position.turn == CHANCE:
            odds = position.odds()
            outcome = int(categorical(self.streams[WORLD], odds, len(odds)))
            episode.pay(position.resolve(outcome))

    def draw_head(self):
        """The network head of an episode."""
        if not isinstance(self.policy, EpsilonGreedyQ):
            return 0
        with np.errstate(over="ignore"):
            return int(integer_below(self.streams[CHOICE], self.policy.n_heads))

    def draw_play_out(self):
        """Whether an episode is played to its end, however bad it looks."""
        if not isinstance(self.policy, AlphaZero) or self.policy.resign_below is None:
            return True
        share = self.policy.play_out_share
        return share == 1.0 or bool(uniform(self.streams[CHOICE]) < share)

    def paid_for_resigning(self, player):
        """Every player's reward when one gives up."""
        weights = (self.reward or Reward()).resolve(self.game)
        own, other = self.game.resignation
        return [weights[own] if place == player else weights[other] for place in range(2)]

    def decide(self, position, player, head, decisions):
        """A player's decision, after so many decisions of the episode."""
        with np.errstate(over="ignore"):
            return self._decide(position, player, head, decisions)

    def _decide(self, position, player, head, decisions):
        if isinstance(self.policy, AlphaZero | Mcts):
            return next(step for step in self.search(position, decisions) if step.player == player)
        answer = self.ask(position, player)[0]
        legal = position.legal(player)
        values = {action: [float(row[position.head(action, player)]) for row in answer] for action in legal}
        action = max(legal, key=lambda action: (values[action][head], -action))
        epsilon = self.policy.epsilon
        if epsilon > 0 and uniform(self.streams[CHOICE]) < epsilon:
            action = legal[int(integer_below(self.streams[CHOICE], len(legal)))]
        return Step(position, player, values, action)

    def search(self, position, decisions):
        """Search for everybody who acts, then choose for each; `decisions` were made before in the episode."""
        with np.errstate(over="ignore"):
            rounds = Rounds(position, self.policy, self.streams[SEARCH], self.gamma, self.rounds)
            self.rounds = rounds if self.policy.reuse_tree else None
            while rounds.next():
                rounds.answer(self.ask)
            return [self._act(position, tree, decisions + place) for place, tree in enumerate(rounds.trees)]

    def _act(self, position, tree, decisions):
        policy = self.policy
        arms = sorted(tree.root.arms[tree.player].items())
        visits = {action: arm.visits for action, arm in arms}
        values = {action: arm.total / arm.visits for action, arm in arms if arm.visits > 0}
        worth = visits if isinstance(policy, AlphaZero) or policy.act_by == "visits" else values
        action = max(worth, key=lambda action: (worth[action], -action))
        drop = FOREVER if policy.temperature_drop is None else policy.temperature_drop
        if policy.temperature > 0 and decisions < drop:
            most = max(visits.values())
            weights = [(count / most) ** (1.0 / policy.temperature) for count in visits.values()]
            place = categorical(self.streams[CHOICE], np.array(weights), len(weights))
            action = list(visits)[place]
        found = visits if isinstance(policy, AlphaZero) else values
        return Step(position, tree.player, found, action, not self.plays_on and self.looks_lost(arms))

    def looks_lost(self, arms):
        """Whether the root and its most visited child are both worth less than is played for."""
        root = sum(arm.total for _, arm in arms) / sum(arm.visits for _, arm in arms)
        most = max(arm.visits for _, arm in arms)
        best = next(arm.total / arm.visits for _, arm in arms if arm.visits == most)
        return root < self.policy.resign_below and best < self.policy.resign_below

    def _ask_tails(self, position, episode):
        if isinstance(self.policy, AlphaZero):
            for player in range(self.game.num_players):
                if episode.of(player):
                    episode.tails[player] = float(self.ask(position, player)[1][0])
