"""The search of AlphaZero on objects: a decision knows its edges, an edge what lies behind it.

From the formula alone: at a decision with N = sum of its edges' visits, take the edge with the largest

    Q + c * P * sqrt(max(N, 1)) / (1 + n),      Q = W / n, or 0 where n = 0,

the lowest action on a tie. Behind an edge lies another decision, the end, or a lottery (a chance node).
"""

import math

import numpy as np

from rinforza.compiled.random import categorical, dirichlet
from rinforza.contracts.rules import CHANCE, TERMINAL


class Edge:
    """An action at a decision."""

    def __init__(self, prior):
        self.prior = prior
        self.visits = 0
        self.total = 0.0
        self.reward = None
        self.behind = None


class Decision:
    """A position at which somebody moves."""

    def __init__(self, position, depth):
        self.position = position
        self.depth = depth
        self.mover = position.turn
        self.value = None
        self.edges = {}

    def visits(self):
        """N of the formula."""
        return sum(edge.visits for edge in self.edges.values())


class Lottery:
    """A chance node: the outcomes seen so far, each with the reward on the way and what lies behind."""

    def __init__(self, position, mover, depth):
        self.position = position
        self.mover = mover
        self.depth = depth
        self.seen = {}


class End:
    """The game is over."""


class Puct:
    """One search.

    Args:
        position: Where to search from.
        ask: A position and a player to (logits, values), of one row each.
        stream: Where random numbers come from.
        c_puct, max_depth: As the policy's.
        discount: Per decision.
        noise: (epsilon, alpha) at the root, or None.
    """

    def __init__(self, position, ask, stream, c_puct, max_depth, discount, noise=None):
        self.ask, self.stream = ask, stream
        self.c_puct, self.max_depth, self.discount, self.noise = c_puct, max_depth, discount, noise
        self.root = Decision(position.copy(), 0)
        self.path = []
        self.ends = 0
        self.capped = 0
        self.rows = 0

    def simulate(self):
        """Run one simulation; `path` is then the way it went."""
        self.path = []
        with np.errstate(over="ignore"):  # the stream's unsigned arithmetic wraps
            self.value_of(self.root)

    def value_of(self, node):
        """Go on from a node; return the value for its mover (0 at the end)."""
        if isinstance(node, End):
            self.ends += 1
            return 0.0
        if node.value is None:
            return self.evaluate(node)
        if node.depth >= self.max_depth:
            self.capped += 1
            return node.value
        action = self.best_action(node)
        edge = node.edges[action]
        self.path.append(("action", action))
        if edge.behind is None:
            position = node.position.copy()
            edge.reward = position.play({node.mover: action})[node.mover]
            edge.behind = self.arrive(position, node.mover, node.depth + 1)
        reward, target = self.through_chance(edge.reward, edge.behind)
        value = self.value_of(target)
        if isinstance(target, Decision) and target.mover != node.mover:
            value = -value
        gain = reward + self.discount * value
        edge.total += gain
        edge.visits += 1
        return gain

    def through_chance(self, reward, node):
        """Draw outcomes until somebody moves or the game is over; rewards on the way are added."""
        while isinstance(node, Lottery):
            odds = node.position.odds()
            outcome = int(categorical(self.stream, odds, len(odds)))
            self.path.append(("outcome", outcome))
            if outcome not in node.seen:
                position = node.position.copy()
                paid = position.resolve(outcome)[node.mover]
                node.seen[outcome] = (paid, self.arrive(position, node.mover, node.depth))
            paid, node = node.seen[outcome]
            reward += paid
        return reward, node

    def arrive(self, position, mover, depth):
        """Make the node for a position that was just reached."""
        if position.turn == TERMINAL:
            return End()
        if position.turn == CHANCE:
            return Lottery(position, mover, depth)
        return Decision(position, depth)

    def best_action(self, node):
        """The action with the largest score."""
        sqrt_visits = math.sqrt(max(node.visits(), 1))
        best, best_score = None, -math.inf
        for action in sorted(node.edges):
            edge = node.edges[action]
            mean = edge.total / edge.visits if edge.visits else 0.0
            score = mean + self.c_puct * sqrt_visits * edge.prior / (1 + edge.visits)
            if score > best_score:
                best, best_score = action, score
        return best

    def evaluate(self, node):
        """Ask the network about a new decision."""
        self.rows += 1
        logits, values = self.ask(node.position, node.mover)
        node.value = float(values[0])
        legal = node.position.legal(node.mover)
        chosen = [float(logits[0, node.position.head(action, node.mover)]) for action in legal]
        powers = [math.exp(logit - max(chosen)) for logit in chosen]
        priors = [power / sum(powers) for power in powers]
        if node is self.root and self.noise is not None:
            epsilon, alpha = self.noise
            drawn = np.zeros(len(legal))
            dirichlet(self.stream, alpha, drawn, len(legal))
            priors = [(1 - epsilon) * p + epsilon * d for p, d in zip(priors, drawn, strict=True)]
        if node.depth < self.max_depth:
            node.edges = {action: Edge(prior) for action, prior in zip(legal, priors, strict=True)}
        return node.value
