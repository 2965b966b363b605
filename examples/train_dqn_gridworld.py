"""DQN on a grid world with PyTorch: the smallest full loop, with replay and a target network.

Prints the mean number of steps to the goal, followed greedily, against the shortest way. Takes seconds.
"""

import argparse
from collections import deque
from time import perf_counter

import numpy as np
import torch
from progress import Progress
from torch import nn

import rinforza as rf

GAMMA = 0.95
EPSILON = 0.2
GAMES_AT_ONCE = 16
RECORDS_A_ROUND = 256
STEPS_A_ROUND = 32
MINIBATCH = 128
KEPT_BATCHES = 40  # the replay buffer
LEARNING_RATE = 1e-3
ROUNDS_A_TARGET = 4  # the target network is copied every so many rounds
STEP_LIMIT = 100  # of a walk in the final test


def main():
    options = parse_options()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)  # the network is too small to gain from more
    game = rf.games.GridWorld(size=options.size, max_ticks=STEP_LIMIT)
    q_network, target_network = make_network(game), make_network(game)
    started = perf_counter()
    learn(game, q_network, target_network, options)
    steps, shortest = walk(game, q_network, options)
    print(f"{perf_counter() - started:.0f} s of training")
    print(f"mean steps to the goal: {steps:.2f}, the shortest way: {shortest:.2f}")


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=5, help="rows and columns of the grid")
    parser.add_argument("--rounds", type=int, default=80, help="rounds of collecting and training")
    parser.add_argument("--walks", type=int, default=200, help="walks of the final test")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def make_network(game):
    """Return a network from flattened observations to one Q value per action."""
    inputs = int(np.prod(game.observation_space().shape))
    return nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, game.num_actions))


def learn(game, q_network, target_network, options):
    """Collect transitions, replay them, and copy the network to the target now and then."""
    policy, learner = rf.policies.EpsilonGreedyQ(epsilon=EPSILON), rf.learners.Dqn(gamma=GAMMA)
    engine = rf.Engine(game, None, policy, learner, GAMES_AT_ONCE, seed=options.seed)
    infer = rf.infer.torch(q_network, one_head=True)
    optimizer = torch.optim.Adam(q_network.parameters(), lr=LEARNING_RATE)
    replay = deque(maxlen=KEPT_BATCHES)
    rng = np.random.default_rng(options.seed)
    progress = Progress(options.rounds)
    for number in range(options.rounds):
        if number % ROUNDS_A_TARGET == 0:
            target_network.load_state_dict(q_network.state_dict())
        batch = engine.collect(RECORDS_A_ROUND, infer)
        replay.append(batch)
        for _ in range(STEPS_A_ROUND):
            source = replay[rng.integers(len(replay))]
            rows = rng.integers(len(source.obs), size=MINIBATCH)
            loss = td_loss(q_network, target_network, source, rows)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        ticks = np.mean([length for _, length, _ in batch.telemetry["episodes"]])
        progress.update(number + 1, f"{ticks:.1f} ticks an episode, loss {loss.item():.5f}")
    progress.clear()


def td_loss(q_network, target_network, batch, rows):
    """Return the loss of some records of a batch.

    The target of a record is its reward plus its discount times the best legal Q value at the next
    observation. A record that cannot bootstrap has no legal action there: the maximum over nothing is minus
    infinity, which must not be multiplied by the discount of 0 but replaced.
    """
    with torch.no_grad():
        next_legal = torch.from_numpy(batch.next_legal_mask(rows))
        next_q = target_network(torch.from_numpy(batch.next_obs[rows]))
        best = next_q.masked_fill(~next_legal, -torch.inf).amax(1)
        best = torch.where(torch.from_numpy(batch.can_bootstrap[rows]), best, 0.0)
        rewards, discounts = (
            torch.from_numpy(part[rows]).float() for part in (batch.rewards, batch.discounts)
        )
        targets = rewards + discounts * best
    q = q_network(torch.from_numpy(batch.obs[rows]))
    chosen = q.gather(1, torch.from_numpy(batch.actions[rows, None]))[:, 0]
    return nn.functional.smooth_l1_loss(chosen, targets)


def walk(game, network, options):
    """Follow the network greedily from random cells; return the mean steps, and the fewest possible."""
    greedy, infer = rf.policies.EpsilonGreedyQ(epsilon=0.0), rf.infer.torch(network, one_head=True)
    walks = [rf.Env(game, rf.Reward(), seed) for seed in range(options.walks)]
    goal = (game.goal_row, game.goal_col)
    shortest = [sum(abs(a - b) for a, b in zip(env.state()["pos"], goal, strict=True)) for env in walks]
    for _ in range(STEP_LIMIT):
        under_way = [env for env in walks if not env.done()]
        if not under_way:
            break
        for env, action in zip(under_way, greedy.choose(under_way, infer, gamma=GAMMA), strict=True):
            env.step({0: action})
    return np.mean([env.ticks for env in walks]), np.mean(shortest)


if __name__ == "__main__":
    main()
