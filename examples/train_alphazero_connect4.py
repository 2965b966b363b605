"""AlphaZero on Connect 4 with PyTorch: five minutes on two cores, then two matches.

Prints the points of the trained network against a random player and against the same search with an
untrained network, over paired games. `--save` keeps the weights as a NumPy archive.
"""

import argparse
import os
from collections import deque
from time import perf_counter

# several threads only get in each other's way on batches this small; NumPy and PyTorch read this once
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from evaluate import points, random_player, searching_player, untrained
from progress import Progress
from torch import nn

import rinforza as rf

SELF_PLAY_SIMULATIONS = 32
GAMES_AT_ONCE = 256
RECORDS_A_ROUND = 4000
USES = 8  # how often a record is trained on, on average
KEPT_BATCHES = 40  # the replay buffer
MINIBATCH = 512
COLUMNS = 7
FIRST_LEARNING_RATE, LAST_LEARNING_RATE = 1e-3, 1e-4


class ResidualNetwork(nn.Module):
    """A policy-value network on flattened planes: on two cores its speed is worth more than convolutions."""

    def __init__(self, inputs, n_actions, width=256, layers=2):
        super().__init__()
        self.first = nn.Linear(inputs, width)
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.head = nn.Linear(width, n_actions + 1)

    def forward(self, obs):
        """Return logits (rows, n_actions) and values (rows,)."""
        hidden = torch.relu(self.first(obs))
        for layer in self.layers:
            hidden = torch.relu(hidden + layer(hidden))
        out = self.head(hidden)
        return out[:, :-1], torch.tanh(out[:, -1])


def main():
    options = parse_options()
    torch.manual_seed(options.seed)
    game = rf.games.Connect4()
    network = ResidualNetwork(int(np.prod(game.observation_space().shape)), game.num_actions)
    learn(game, network, options)
    if options.save:
        np.savez(options.save, **{name: weight.numpy() for name, weight in network.state_dict().items()})
        print(f"weights saved to {options.save}")
    show_matches(game, network, options)


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=5.0, help="time to train")
    parser.add_argument("--simulations", type=int, default=64, help="simulations a move in the matches")
    parser.add_argument("--games", type=int, default=200, help="games of each match, even")
    parser.add_argument("--save", metavar="FILE.npz", help="where to keep the weights")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def learn(game, network, options):
    """Let the network play itself and learn until the time is up."""
    policy = rf.policies.AlphaZero(SELF_PLAY_SIMULATIONS, temperature_drop=None)  # varied games
    engine = rf.Engine(game, None, policy, rf.learners.AlphaZero(), GAMES_AT_ONCE, seed=options.seed)
    infer = rf.infer.torch(network)
    optimizer = torch.optim.Adam(network.parameters(), fused=True)
    replay = deque(maxlen=KEPT_BATCHES)
    rng = np.random.default_rng(options.seed)
    budget, started, records = 60.0 * options.minutes, perf_counter(), 0
    progress = Progress(budget)
    while (elapsed := perf_counter() - started) < budget:
        batch = engine.collect(RECORDS_A_ROUND, infer)
        records += len(batch.obs)
        replay.append(batch)
        decay = (LAST_LEARNING_RATE / FIRST_LEARNING_RATE) ** (elapsed / budget)
        optimizer.param_groups[0]["lr"] = FIRST_LEARNING_RATE * decay
        losses = [train(network, optimizer, replay, rng) for _ in range(USES * RECORDS_A_ROUND // MINIBATCH)]
        policy_loss, value_loss = np.mean(losses, axis=0)
        note = f"{records:,} records, policy loss {policy_loss:.3f}, value loss {value_loss:.3f}"
        progress.update(perf_counter() - started, note)
    progress.clear()


def train(network, optimizer, replay, rng):
    """Take one training step on rows of one batch of the replay buffer; return the policy and value loss."""
    batch = replay[rng.integers(len(replay))]
    rows = rng.integers(len(batch.obs), size=MINIBATCH)
    obs = torch.from_numpy(batch.obs[rows])
    legal = torch.from_numpy(batch.legal_mask(rows))
    policy_targets = torch.from_numpy(batch.policy_targets[rows]).float()
    value_targets = torch.from_numpy(batch.value_targets[rows]).float()
    if rng.random() < 0.5:  # the mirrored position is as good an example; the last axis is the column
        obs = obs.reshape(-1, COLUMNS).flip(1).reshape(obs.shape)
        legal, policy_targets = legal.flip(1), policy_targets.flip(1)
    logits, values = network(obs)
    log_prior = logits.masked_fill(~legal, torch.finfo(logits.dtype).min).log_softmax(1)
    # with one player at a time every record has a policy to learn: policy_weights are all 1
    policy_loss = -(policy_targets * log_prior).sum(1).mean()
    value_loss = nn.functional.mse_loss(values, value_targets)
    optimizer.zero_grad()
    (policy_loss + value_loss).backward()
    optimizer.step()
    return policy_loss.item(), value_loss.item()


def show_matches(game, network, options):
    """Play the matches and print their results."""
    player = searching_player(rf.infer.torch(network), options.simulations)
    opponents = {
        "a random player": random_player,
        "untrained search": searching_player(untrained(game.num_actions), options.simulations),
    }
    print(f"with {options.simulations} simulations a move, over {options.games} paired games:")
    for name, opponent in opponents.items():
        share = points(game, player, opponent, options.games, seed=options.seed + 1)
        print(f"  {share:.1%} of points against {name}")


if __name__ == "__main__":
    main()
