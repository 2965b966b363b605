"""Tree search on objects, for any number of players, in turn or all at once, with every way to treat chance.

A node's value is a list, one number for each player. With negamax the list is the mover's value and its negative;
what a decision backs up is the mover's return and its negative, whatever the others were paid. A search is a
generator: it yields the rows it wants, is sent their answers, and yields None once it has taken them in.
"""

import math

import numpy as np

from rinforza.compiled.random import categorical, dirichlet, uniform
from rinforza.contracts.chance_modes import Committed, ExpandAll
from rinforza.contracts.rules import CHANCE, SIMULTANEOUS, TERMINAL
from rinforza.policies import AlphaZero


class Arm:
    """What a player knows of one of its actions at a node."""

    def __init__(self):
        self.prior = 0.0
        self.visits = 0
        self.total = 0.0


class Decision:
    """A position in which somebody moves, or all do."""

    def __init__(self, position, depth):
        self.position, self.depth = position, depth
        self.joint = position.turn == SIMULTANEOUS
        self.players = list(range(position.game.num_players)) if self.joint else [position.turn]
        self.arms = {}  # player: {action: Arm}; the dead have one action, 0
        for player in self.players:
            self.arms[player] = {action: Arm() for action in position.legal(player) or [0]}
        self.values = None
        self.behind = {}  # the joint action, as a tuple: (rewards, node)
        self.visits = 0


class Lottery:
    """A chance node."""

    def __init__(self, position, mover, depth):
        self.position, self.mover, self.depth = position, mover, depth
        self.seen = {}  # outcome: (rewards, node)
        self.drawn = None  # the outcomes it is committed to
        self.odds = None  # once it is expanded


class End:
    """The game is over."""


class Tree:
    """One search.

    Args:
        position: Where to search from.
        policy: An AlphaZero or an Mcts.
        player: Whose tree it is.
        stream: Where random numbers come from.
        discount: Per decision.
        before: The tree of the decision before, to go on with where it leads to the position; or None.
    """

    def __init__(self, position, policy, player, stream, discount, before=None):
        self.policy, self.player, self.stream, self.discount = policy, player, stream, discount
        self.n_players = position.game.num_players
        self.everyone = policy.values_everyone(position.game)
        self.guided = isinstance(policy, AlphaZero)
        self.kept = before.below(position) if before is not None else None
        self.root = self.kept or Decision(position.copy(), 0)
        self.rows = 0
        self.seen = []  # the action values met so far, as player 0 sees them
        if self.kept is not None:
            self.lift(self.kept)

    def run(self):
        """All simulations, as a generator."""
        n = self.policy.num_simulations
        if self.kept is not None:
            arms = self.root.arms[self.player]
            if self.guided and self.policy.noise:
                self.add_noise(arms, [arm.prior for arm in arms.values()])
        elif self.guided:
            yield from self.evaluate([self.root])
            yield None
            n -= 1
        for _ in range(n):
            asked = self.rows
            yield from self.value_of(self.root)
            if self.rows > asked:
                yield None

    # ---- what an earlier search has found ----

    def below(self, position):
        """The decision of this tree, one below its root, that a game has come to; None where there is none."""
        queue = [node for _, node in self.root.behind.values()]
        while queue:
            node = queue.pop()
            if isinstance(node, Lottery):
                queue += [behind for _, behind in node.seen.values()]
            elif isinstance(node, Decision) and node.position.state.tobytes() == position.state.tobytes():
                return node if node.visits <= 16 * self.policy.num_simulations else None
        return None

    def lift(self, node):
        """Count depths from a new root, one below the old one, and note the action values below it."""
        if isinstance(node, End):
            return
        node.depth -= 1
        if isinstance(node, Decision):
            for player, arms in node.arms.items():
                sign = 1 if player == 0 else -1
                self.seen += [sign * arm.total / arm.visits for arm in arms.values() if arm.visits > 0]
        for _, behind in (node.behind if isinstance(node, Decision) else node.seen).values():
            self.lift(behind)

    # ---- values ----

    def value_of(self, node):
        """One simulation from a node on; the result is what it is worth to each player."""
        if isinstance(node, End):
            return [0.0] * self.n_players
        if node.values is None and not (node is self.root and not self.guided):
            yield from self.evaluate([node])
            return node.values
        if node.depth >= self.policy.max_depth:
            return node.values
        joint = {player: self.best(node, player) for player in node.players}
        key = tuple(joint.values())
        if key not in node.behind:
            position = node.position.copy()
            rewards = position.play(joint)
            mover = None if node.joint else node.players[0]
            node.behind[key] = (rewards, self.arrive(position, mover, node.depth + 1))
        rewards, behind = node.behind[key]
        paid, below = yield from self.past_chance(behind)
        returns = [
            rewards[player] + paid[player] + self.discount * below[player] for player in range(self.n_players)
        ]
        if not self.everyone:
            mover = node.players[0]
            returns = [
                returns[mover] if player == mover else -returns[mover] for player in range(self.n_players)
            ]
        for player, action in joint.items():
            node.arms[player][action].visits += 1
            node.arms[player][action].total += returns[player]
        node.visits += 1
        if not self.everyone:
            mover = node.players[0]
            arm = node.arms[mover][joint[mover]]
            self.seen.append(arm.total / arm.visits * (1 if mover == 0 else -1))
        return returns

    def past_chance(self, node):
        """Go through chance nodes; the result is (what they paid, what lies behind is worth)."""
        paid = [0.0] * self.n_players
        while isinstance(node, Lottery):
            if isinstance(self.policy.chance, ExpandAll) and node.odds is None:
                return (yield from self.expand(node))
            rewards, node = self.draw(node)
            paid = [one + other for one, other in zip(paid, rewards, strict=True)]
        below = yield from self.value_of(node)
        return paid, below

    def draw(self, lottery):
        """Let chance decide; return (rewards, node)."""
        if isinstance(self.policy.chance, ExpandAll):
            left = uniform(self.stream)
            for outcome, odds in enumerate(lottery.odds):
                left -= odds
                if left < 0.0:
                    return lottery.seen[outcome]
            return lottery.seen[len(lottery.odds) - 1]
        if isinstance(self.policy.chance, Committed):
            samples = self.policy.chance.samples
            if lottery.drawn is None:
                lottery.drawn = [self.sample(lottery) for _ in range(samples)]
            outcome = lottery.drawn[min(int(uniform(self.stream) * samples), samples - 1)]
        else:
            outcome = self.sample(lottery)
        return self.outcome(lottery, outcome)

    def sample(self, lottery):
        odds = lottery.position.odds()
        return int(categorical(self.stream, odds, len(odds)))

    def outcome(self, lottery, outcome):
        if outcome not in lottery.seen:
            position = lottery.position.copy()
            rewards = position.resolve(outcome)
            lottery.seen[outcome] = (rewards, self.arrive(position, lottery.mover, lottery.depth))
        return lottery.seen[outcome]

    def expand(self, lottery):
        """Evaluate all that chance may lead to; the result is the mean of (what is paid, what it is worth)."""
        fan = list(self.fan(lottery, 1.0, [0.0] * self.n_players))
        new = [node for _, _, node in fan if isinstance(node, Decision)]
        # rows are asked level by level: first what one draw leads to
        yield from self.evaluate(self.in_order(lottery, new))
        paid, below = [0.0] * self.n_players, [0.0] * self.n_players
        for weight, rewards, node in fan:
            values = [0.0] * self.n_players if isinstance(node, End) else node.values
            for player in range(self.n_players):
                paid[player] += weight * rewards[player]
                below[player] += weight * values[player]
        return paid, below

    def fan(self, lottery, weight, paid):
        """(probability, rewards on the way, node) of everything behind a chain of chance nodes."""
        lottery.odds = [float(odds) for odds in lottery.position.odds()]
        for outcome, odds in enumerate(lottery.odds):
            rewards, node = self.outcome(lottery, outcome)
            total = [one + other for one, other in zip(paid, rewards, strict=True)]
            if isinstance(node, Lottery):
                yield from self.fan(node, weight * odds, total)
            else:
                yield weight * odds, total, node

    def in_order(self, lottery, wanted):
        """The decisions of a fan, breadth first."""
        found, queue = [], [lottery]
        while queue:
            for _, node in [queue[0].seen[outcome] for outcome in range(len(queue[0].odds))]:
                if isinstance(node, Lottery):
                    queue.append(node)
                elif node in wanted:
                    found.append(node)
            del queue[0]
        return found

    def arrive(self, position, mover, depth):
        """The node for a position that was just reached."""
        if position.turn == TERMINAL:
            return End()
        return Lottery(position, mover, depth) if position.turn == CHANCE else Decision(position, depth)

    # ---- the network ----

    def evaluate(self, nodes):
        """Ask about nodes that are new."""
        wanted = []
        for node in nodes:
            viewers = range(self.n_players) if self.everyone else node.players
            wanted += [(node.position, viewer, list(node.arms.get(viewer, {}))) for viewer in viewers]
        self.rows += len(wanted)
        if wanted:
            answers = iter((yield wanted))
        for node in nodes:
            viewers = range(self.n_players) if self.everyone else node.players
            found = {viewer: self.read(node, viewer, next(answers)) for viewer in viewers}
            if not self.everyone:
                value = found[node.players[0]]
                node.values = [
                    value if player in node.players else -value for player in range(self.n_players)
                ]
            else:
                node.values = [found[player] for player in range(self.n_players)]

    def read(self, node, player, answer):
        """Take in one row: the value is the result."""
        arms = node.arms.get(player, {})
        heads = [node.position.head(action, player) for action in arms]
        if not self.guided:
            return max(float(answer[0][0, head]) for head in heads)
        logits = [float(answer[0][0, head]) for head in heads]
        powers = [math.exp(logit - max(logits)) for logit in logits]
        priors = [power / sum(powers) for power in powers]
        noise = self.policy.noise
        if node is self.root and arms and noise and (noise.scope == "all" or player == self.player):
            self.add_noise(arms, priors)
        else:
            self.give(arms, priors)
        return float(answer[1][0])

    def add_noise(self, arms, priors):
        """Give the root's arms their priors with noise."""
        noise = self.policy.noise
        drawn = np.zeros(len(arms))
        dirichlet(self.stream, noise.alpha, drawn, len(arms))
        mixed = [
            (1 - noise.epsilon) * np.float32(prior) + noise.epsilon * other
            for prior, other in zip(priors, drawn, strict=True)
        ]
        self.give(arms, mixed)

    def give(self, arms, priors):
        """Give arms their priors."""
        for arm, prior in zip(arms.values(), priors, strict=True):
            arm.prior = float(np.float32(prior))

    # ---- selection ----

    def best(self, node, player):
        """The action that a player takes at a node."""
        arms = node.arms[player]
        if self.guided and node is self.root and player == self.player:
            for action in sorted(arms):
                if 0 < arms[action].visits < self.forced(arms[action]):
                    return action
        return max(arms, key=lambda action: (self.score(node, player, arms[action]), -action))

    def forced(self, arm):
        """How many visits an arm of the root is to have at least."""
        return math.sqrt(self.policy.forced_playouts * arm.prior * self.root.visits)

    def score(self, node, player, arm):
        if not self.guided and arm.visits == 0:
            return math.inf
        if not self.guided:
            mean = arm.total / arm.visits
            return mean + self.policy.uct_c * math.sqrt(math.log(max(node.visits, 1)) / arm.visits)
        explore = self.policy.c_puct * math.sqrt(max(node.visits, 1)) * arm.prior / (1 + arm.visits)
        return self.scaled(self.mean(node, player, arm), player) + explore

    def mean(self, node, player, arm):
        """The mean value of an arm; of one without visits by first-play urgency, if that is wanted."""
        if arm.visits > 0:
            return arm.total / arm.visits
        if self.policy.fpu_reduction is None:
            return 0.0
        explored = sum(other.prior for other in node.arms[player].values() if other.visits > 0)
        return node.values[player] - self.policy.fpu_reduction * math.sqrt(explored)

    def scaled(self, mean, player):
        """A value on the scale of the values seen in the tree, if that is wanted."""
        if not self.guided or not self.policy.normalise or len(set(self.seen)) < 2:
            return mean
        sign = 1 if player == 0 else -1
        low, high = sorted((sign * min(self.seen), sign * max(self.seen)))
        return (mean - low) / (high - low)


class Rounds:
    """The rounds of a decision: every acting player's tree goes on until it wants rows.

    Args:
        position: Where to search from.
        policy, stream, discount: As in `Tree`.
        before: The rounds of the decision before, if their tree is to be gone on with; or None.
    """

    def __init__(self, position, policy, stream, discount, before=None):
        earlier = before.trees[0] if before is not None else None
        acting = [player for player in range(position.game.num_players) if position.legal(player)]
        self.trees = [Tree(position, policy, player, stream, discount, earlier) for player in acting]
        self.running = [tree.run() for tree in self.trees]
        self.wanted = []

    def next(self):
        """The rows of the next round, (position, player, actions); [] at the end."""
        with np.errstate(over="ignore"):
            self.wanted = [next(search, None) for search in self.running]
        return [row for rows in self.wanted if rows for row in rows]

    def answer(self, ask):
        """Answer the round's rows."""
        with np.errstate(over="ignore"):
            for search, rows in zip(self.running, self.wanted, strict=True):
                if rows:
                    assert search.send([ask(position, player) for position, player, _ in rows]) is None
