"""What each collection measured, as curves in TensorBoard: rates, episodes, search, and the losses beside them.

Needs PyTorch with `pip install tensorboard`, or `pip install tensorboardX`. To see the curves while it runs:
`tensorboard --logdir runs`. For another logger, such as W&B, only the line with `add_scalar` changes.
"""

import argparse

import numpy as np
from numpy_network import NumpyNetwork

import rinforza as rf

MINIBATCH = 256
LEARNING_RATE = 1e-3


def main():
    options = parse_options()
    game = rf.games.Connect4()
    network = NumpyNetwork(int(np.prod(game.observation_space().shape)), game.num_actions, 128, options.seed)
    policy = rf.policies.AlphaZero(16, temperature_drop=None)
    engine = rf.Engine(game, None, policy, rf.learners.AlphaZero(), n_games=64, seed=options.seed)
    with summary_writer()(options.logdir) as writer:
        for update in range(options.updates):
            batch = engine.collect(options.records, network.infer)
            losses = train(network, batch, np.random.default_rng(update))
            scalars = batch.telemetry.scalars("collect/")
            scalars |= {"loss/policy": losses[0], "loss/value": losses[1]}
            for name, value in scalars.items():
                writer.add_scalar(name, value, update)
            print(
                f"{update + 1} of {options.updates}: {scalars['collect/records_per_second']:,.0f} records/s"
            )


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--updates", type=int, default=50, help="rounds of collecting and training")
    parser.add_argument("--records", type=int, default=1000, help="of a round")
    parser.add_argument("--logdir", default="runs/connect4", help="the folder that TensorBoard reads")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def summary_writer():
    """Return the class `SummaryWriter`, from whichever package is there."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        try:
            from tensorboardX import SummaryWriter
        except ImportError:
            raise SystemExit(
                "this needs tensorboardX, or torch with tensorboard: pip install tensorboardX"
            ) from None
    return SummaryWriter


def train(network, batch, rng):
    """Take a training step for each minibatch of the batch; return the mean policy and value loss."""
    losses = []
    for _ in range(len(batch.obs) // MINIBATCH + 1):
        rows = rng.integers(len(batch.obs), size=MINIBATCH)
        targets = batch.policy_targets[rows], batch.value_targets[rows]
        losses.append(network.train(batch.obs[rows], batch.legal_mask(rows), *targets, LEARNING_RATE))
    return np.mean(losses, axis=0)


if __name__ == "__main__":
    main()
