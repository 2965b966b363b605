"""Deep CFR on Kuhn or Leduc poker with PyTorch: some seconds, or a minute or two, on two cores.

In each iteration both players' advantage networks are trained anew on all samples so far, those of later
iterations weighing more. At the end a policy network learns the average of all strategies. Prints its exact
exploitability: 0 at an equilibrium, 0.458 (Kuhn) or 2.37 (Leduc) for the uniform policy.
"""

import argparse
from time import perf_counter
from typing import NamedTuple

import numpy as np
import torch
from progress import Progress
from torch import nn

import rinforza as rf

WIDTH = 64
BUFFER_ROWS = 500_000
LEARNING_RATE = 3e-3


class Setting(NamedTuple):
    """A game, and how much is done with it unless the command line says otherwise."""

    game: type
    iterations: int
    traversals: int  # for each player in each iteration
    steps: int  # of training for each advantage network in each iteration
    policy_steps: int


SETTINGS = {
    "kuhn": Setting(rf.games.KuhnPoker, 40, 400, 150, 1000),
    "leduc": Setting(rf.games.LeducPoker, 80, 1500, 400, 1500),
}


class Reservoir:
    """A uniform sample, of bounded size, of all rows that were ever added.

    Args:
        n_actions: Columns of a target.
        rng: Decides which rows stay.
    """

    def __init__(self, n_actions, rng):
        self.numbers = np.zeros(BUFFER_ROWS, np.int64)  # of each row's observation
        self.targets = np.zeros((BUFFER_ROWS, n_actions), np.float32)
        self.iterations = np.zeros(BUFFER_ROWS, np.int64)
        self.observations = {}  # bytes -> number, observation, legal actions
        self.rng, self.added = rng, 0

    def __len__(self):
        return min(self.added, BUFFER_ROWS)

    def add(self, obs, targets, legal, iterations):
        """Add rows: the n-th one of all is kept with probability BUFFER_ROWS / n, in the place of any other."""
        order = np.arange(self.added, self.added + len(obs))
        places = np.where(order < BUFFER_ROWS, order, self.rng.integers(0, order + 1))
        kept = np.flatnonzero(places < BUFFER_ROWS)
        self.numbers[places[kept]] = [self.number(obs[row], legal[row]) for row in kept]
        self.targets[places[kept]] = targets[kept]
        self.iterations[places[kept]] = iterations[kept]
        self.added += len(obs)

    def number(self, obs, legal):
        """Return the number of an observation; a new one if it was not seen before."""
        return self.observations.setdefault(obs.tobytes(), (len(self.observations), obs, legal))[0]

    def merged(self):
        """Return observations, targets, legal actions and weights, with all rows of an observation merged.

        Games as small as these come to the same observations over and over. The gradient of the loss over the
        whole buffer is that of the rows' weighted means, of which there are a few hundred at most; a larger
        game would need minibatches instead.
        """
        numbers, iterations = self.numbers[: len(self)], self.iterations[: len(self)]
        count = len(self.observations)
        weights = np.bincount(numbers, iterations, count)
        columns = self.targets[: len(self)].T
        sums = np.stack([np.bincount(numbers, iterations * column, count) for column in columns], 1)
        means = sums / np.maximum(weights, 1.0)[:, None]
        _, obs, legal = zip(*self.observations.values(), strict=True)
        shares = (weights / weights.sum()).astype("f4")
        return [
            torch.from_numpy(part) for part in (np.stack(obs), means.astype("f4"), np.stack(legal), shares)
        ]


class Flags(nn.Module):
    """Adds flags to the observation: the encoders write an action as 1/3, 2/3 or 1, which is hard to read."""

    def forward(self, obs):
        return torch.cat([obs, (obs > 0.5).float(), (obs > 0.8).float()], 1)


def main():
    options = parse_options()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)  # the networks are too small to gain from more
    setting = SETTINGS[options.game]
    given = {name: getattr(options, name) for name in ("iterations", "traversals", "steps")}
    setting = setting._replace(**{name: value for name, value in given.items() if value is not None})
    game = setting.game()
    solver = rf.solvers.DeepCfr(game, options.seed)
    started = perf_counter()
    strategies = learn(game, solver, setting, np.random.default_rng(options.seed))
    policy = train(strategies, strategy_loss, setting.policy_steps)
    # the softmax makes positive scores of the logits; the solver takes each legal action's share of them
    found = solver.exploitability(rf.infer.torch(nn.Sequential(policy, nn.Softmax(1))))
    print(f"{solver.iteration} iterations, {perf_counter() - started:.0f} s")
    print(f"exploitability of the average policy: {found:.4f}")


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", choices=sorted(SETTINGS), default="kuhn")
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--traversals", type=int, help="for each player in each iteration")
    parser.add_argument("--steps", type=int, help="of training for each advantage network")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def learn(game, solver, setting, rng):
    """Alternate between collecting and training; return the strategies that were met on the way."""
    inputs, players = int(np.prod(game.observation_space().shape)), range(game.num_players)
    advantages = [Reservoir(game.num_actions, rng) for _ in players]
    strategies = Reservoir(game.num_actions, rng)
    networks = [make_network(inputs, game.num_actions) for _ in players]
    for network in networks:
        nn.init.zeros_(network[-1].weight)  # nothing is known yet: all advantages are alike
        nn.init.zeros_(network[-1].bias)
    progress = Progress(setting.iterations)
    for iteration in range(1, setting.iterations + 1):
        solver.next_iteration()
        for player in players:
            callbacks = [rf.infer.torch(network) for network in networks]
            batch = solver.collect(player, setting.traversals, callbacks)
            advantages[player].add(
                batch.advantage_obs,
                batch.dense_targets(),
                batch.advantage_legal_mask(),
                batch.advantage_iterations,
            )
            strategies.add(
                batch.strategy_obs,
                batch.dense_probs(),
                batch.strategy_legal_mask(),
                batch.strategy_iterations,
            )
            networks[player] = train(advantages[player], advantage_loss, setting.steps)
        progress.update(iteration, f"{strategies.added:,} strategies met")
    progress.clear()
    return strategies


def make_network(inputs, n_actions):
    """Return a network from flattened observations to one number per action."""
    return nn.Sequential(
        Flags(),
        nn.Linear(3 * inputs, WIDTH),
        nn.ReLU(),
        nn.Linear(WIDTH, WIDTH),
        nn.ReLU(),
        nn.Linear(WIDTH, n_actions),
    )


def train(samples, loss_of, steps):
    """Return a new network that was trained on a reservoir."""
    obs, targets, legal, shares = samples.merged()
    network = make_network(obs.shape[1], targets.shape[1])
    optimizer = torch.optim.Adam(network.parameters(), LEARNING_RATE, fused=True)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, steps)
    for _ in range(steps):
        loss = (shares * loss_of(network(obs), targets, legal)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return network


def advantage_loss(answer, targets, legal):
    """Return the squared error of each row over its legal actions."""
    return ((answer - targets).square() * legal).sum(1)


def strategy_loss(answer, targets, legal):
    """Return the cross-entropy of each row over its legal actions."""
    logits = answer.masked_fill(~legal, torch.finfo(answer.dtype).min)
    return -(targets * logits.log_softmax(1)).sum(1)


if __name__ == "__main__":
    main()
