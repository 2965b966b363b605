"""Minimax and SelectiveExpectimax on objects: a node knows its edges, an edge the nodes it may lead to.

Only what decides the order of random draws is taken from the library: outcomes are drawn edge by edge, the
first of a chance node is followed in its place, the others after all that is waiting already.
"""

import math

import numpy as np

from rinforza.compiled.random import categorical
from rinforza.contracts.rules import CHANCE, SIMULTANEOUS, TERMINAL


class Node:
    """A position somewhere in a searcher's tree.

    Args:
        position: The position.
        searcher: Whose tree it is.
        depth: Decisions from the root.
        weight: Its probability among the nodes that the same edge may lead to.
        reward: What the searcher was paid on the way from the decision above.
        joint: What the other players did, {player: action}.
    """

    def __init__(self, position, searcher, depth=0, weight=1.0, reward=0.0, joint=None):
        self.position, self.searcher, self.depth = position, searcher, depth
        self.weight, self.reward, self.joint = weight, reward, joint
        self.edges = None  # {action: [Node]}
        self.shares = None  # {action: probability} where somebody else moves
        self.values = None  # of the leaf, head by head
        self.dropped = False
        self.path = 1.0
        self.sigma = 0.0

    @property
    def mover(self):
        """Who decides here: a player, or SIMULTANEOUS."""
        return self.position.turn

    @property
    def is_own(self):
        """Whether the searcher decides here."""
        return self.mover in (SIMULTANEOUS, self.searcher)

    def actions(self):
        """The actions behind which edges lead on."""
        if self.mover == TERMINAL:
            return []
        return self.position.legal(self.searcher if self.mover == SIMULTANEOUS else self.mover)

    def ended(self):
        """Whether the game is over for the searcher."""
        return not self.actions()


class Growth:
    """How trees grow.

    Args:
        chance: The chance mode.
        stream: Where committed outcomes are drawn from.
    """

    def __init__(self, chance, stream):
        self.chance, self.stream = chance, stream

    def expand(self, node, actions=None, certain=False):
        """Make the edges of a node; with `certain` the others' joint actions all have the weight 1."""
        node.edges = {}
        for action in node.actions() if actions is None else actions:
            node.edges[action] = []
            joints = self._joints(node)
            for joint in joints:
                position = node.position.copy()
                mover = node.searcher if node.mover == SIMULTANEOUS else node.mover
                reward = position.play({**joint, mover: action})[node.searcher]
                weight = 1.0 if certain else 1.0 / len(joints)
                node.edges[action] += self._fan(node, position, weight, reward, joint)
        return [child for fan in node.edges.values() for child in fan]

    def _joints(self, node):
        """What the other players may do at once, the lowest player's actions fastest."""
        joints = [{}]
        if node.mover == SIMULTANEOUS:
            for player in range(node.position.game.num_players):
                legal = node.position.legal(player) if player != node.searcher else []
                if legal:
                    joints = [{**joint, player: action} for action in legal for joint in joints]
        return joints

    def _fan(self, node, position, weight, reward, joint):
        """Follow chance to all positions it may lead to."""
        waiting, found = [(position, weight, reward)], []
        while waiting:
            position, weight, reward = waiting.pop(0)
            while position.turn == CHANCE:
                branches = []
                for outcome, probability in self._outcomes(position, weight).items():
                    behind = position.copy()
                    paid = behind.resolve(outcome)[node.searcher]
                    branches.append((behind, probability, reward + paid))
                waiting += branches[1:]
                position, weight, reward = branches[0]
            found.append(Node(position, node.searcher, node.depth + 1, weight, reward, joint))
        return found

    def _outcomes(self, position, weight):
        """{outcome: weight}, in order of first appearance."""
        odds = position.odds()
        if self.chance.name == "expand_all":
            return {outcome: weight * odd for outcome, odd in enumerate(odds) if odd > 0}
        drawn = [int(categorical(self.stream, odds, len(odds))) for _ in range(self.chance.samples)]
        return {outcome: drawn.count(outcome) * (weight / self.chance.samples) for outcome in drawn}


def value(node, head, discount, others):
    """The value of a node for its searcher; `others` says what another player's decision is worth."""
    if node.ended():
        return 0.0
    if node.edges is None:
        return node.values[head]
    edges = {action: edge_value(fan, head, discount, others) for action, fan in node.edges.items()}
    if node.is_own:
        return max(edges.values())
    if others == "minimum":
        return min(edges.values())
    return sum(node.shares[action] * worth for action, worth in edges.items())


def edge_value(fan, head, discount, others):
    """The expectation over what an edge may lead to."""
    return sum(node.weight * (node.reward + discount * value(node, head, discount, others)) for node in fan)


def decision_values(node, heads, discount, others):
    """{action: [value of each head]} of an expanded node."""
    return {
        action: [edge_value(fan, head, discount, others) for head in range(heads)]
        for action, fan in node.edges.items()
    }


class MinimaxTwin:
    """A Minimax search, ply by ply.

    Args:
        policy: The policy.
        ask: A position and a player to Q values (heads, actions).
        stream: The search's random numbers.
        discount: Per decision.
    """

    def __init__(self, policy, ask, stream, discount):
        self.policy, self.ask, self.discount = policy, ask, discount
        self.growth = Growth(policy.chance, stream)
        self.created = []

    def search(self, position, players):
        """{player: {action: [value]}}."""
        root = Node(position, players[0])
        ply = [root]
        self.created = []
        for depth in range(self.policy.depth):
            below = []
            for node in ply:
                if not node.ended():
                    kept = self._kept(node) if depth > 0 else node.actions()
                    node.dropped = len(kept) < len(node.actions())
                    below += self.growth.expand(node, kept)
            ply = below
            self.created += ply
        for node in ply:
            if not node.ended():
                best = max(self._row(node).values())
                node.values = [best if node.is_own else -best]
        return {players[0]: decision_values(root, 1, self.discount, "minimum")}

    def _row(self, node):
        row = self.ask(node.position, node.mover)[0]
        return {action: float(row[node.position.head(action, node.mover)]) for action in node.actions()}

    def _kept(self, node):
        if self.policy.top_k is None:
            return node.actions()
        row = self._row(node)
        return sorted(sorted(row, key=lambda action: (-row[action], action))[: self.policy.top_k])

    def interior(self):
        """[(node, {action: [value]})] of the decisions inside that make records."""
        inside = [n for n in self.created if n.edges is not None and n.is_own and not n.dropped]
        return [(node, decision_values(node, 1, self.discount, "minimum")) for node in inside]


class ExpectimaxTwin:
    """A SelectiveExpectimax search: a tree for each player that acts, expanded round by round.

    Args:
        policy, ask, stream, discount: As of `MinimaxTwin`.
    """

    def __init__(self, policy, ask, stream, discount):
        self.policy, self.ask, self.discount = policy, ask, discount
        self.growth = Growth(policy.chance, stream)
        self.created = []
        self.order = []  # all expansions

    def search(self, position, players):
        """{player: {action: [value of each head]}}."""
        roots = [Node(position, player) for player in players]
        trees = [[root] for root in roots]
        spent = [0] * len(roots)
        self.created, self.order = [], []
        while True:
            picks = []
            for tree, nodes in enumerate(trees):
                most = min(self.policy.top_k, self.policy.expansion_budget - spent[tree])
                chosen = self._best(nodes)[:most]
                spent[tree] += len(chosen)
                picks += [(nodes, node) for node in chosen]
            if not picks:
                break
            for nodes, node in picks:
                self.order.append(node)
                fresh = self._expand(node)
                nodes += fresh
                self.created += fresh
        heads = self.policy.n_heads
        return {root.searcher: decision_values(root, heads, self.discount, "mean") for root in roots}

    def _best(self, nodes):
        """The frontier, best first."""
        frontier = [n for n in nodes if n.edges is None and not n.ended() and n.depth < self.policy.max_depth]
        largest = max((node.path * node.sigma for node in frontier), default=0.0)
        ranked = []
        for age, node in enumerate(frontier):
            urgency = node.path * node.sigma / largest if largest > 0 else 0.0
            depth = node.depth / self.policy.max_depth
            priority = self.policy.beta * urgency + (1.0 - self.policy.beta) * depth
            ranked.append((-priority, -node.depth, -node.path, age, node))
        return [entry[-1] for entry in sorted(ranked, key=lambda entry: entry[:-1])]

    def _expand(self, node):
        distributional = self.policy.opponent == "distributional"
        fresh = self.growth.expand(node, certain=distributional and node.mover == SIMULTANEOUS)
        if not node.is_own:
            count = len(node.edges)
            node.shares = dict.fromkeys(node.edges, 1.0 / count)
            if distributional:
                node.shares = self._likely(node.position, node.mover)
        elif distributional and node.mover == SIMULTANEOUS:
            self._weigh(node, fresh)
        for action, fan in node.edges.items():
            for child in fan:
                if not child.ended():
                    self._evaluate(child)
                    weight = child.weight if node.is_own else node.shares[action] * child.weight
                    child.path = node.path * weight * self.discount
        return fresh

    def _evaluate(self, node):
        row = self.ask(node.position, node.searcher)
        columns = [node.position.head(action, node.searcher) for action in node.actions()]
        node.values = [max(float(head[column]) for column in columns) for head in row]
        node.sigma = float(np.std(node.values))

    def _weigh(self, node, fresh):
        likely = {
            player: self._likely(node.position, player)
            for player in range(node.position.game.num_players)
            if player != node.searcher and node.position.legal(player)
        }
        for child in fresh:
            probability = 1.0
            for player, action in child.joint.items():
                probability *= likely[player][action]
            child.weight *= probability

    def _likely(self, position, player):
        """What a player is thought to do, {action: probability}."""
        policy, row, legal = self.policy, self.ask(position, player), position.legal(player)
        means = [
            sum(float(head[position.head(action, player)]) for head in row) / len(row) for action in legal
        ]
        powers = [math.exp((mean - max(means)) / policy.opp_temperature) for mean in means]
        return {
            action: (1.0 - policy.opp_floor) * power / sum(powers) + policy.opp_floor / len(legal)
            for action, power in zip(legal, powers, strict=True)
        }

    def interior(self):
        """[(node, {action: [value of each head]})] of the decisions inside that make records."""
        inside = [node for node in self.created if node.edges is not None and node.is_own]
        heads = self.policy.n_heads
        return [(node, decision_values(node, heads, self.discount, "mean")) for node in inside]
