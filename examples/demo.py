"""AlphaZero learns Connect 4 from nothing, in about a minute, with a network in pure NumPy.

The library plays the games and searches; `NumpyNetwork` answers its questions and is trained on what comes
back. Nothing else is needed: no framework, no compiler, no second core.
"""

import argparse
import os
from collections import deque
from time import perf_counter

# the network is too small to gain from more than one thread of linear algebra; NumPy reads this once
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from evaluate import points, random_opening, random_player, searching_player, untrained
from numpy_network import NumpyNetwork
from progress import Progress

import rinforza as rf

SELF_PLAY_SIMULATIONS = 32  # a move
MATCH_SIMULATIONS = 16
GAMES_AT_ONCE = 128
KEPT_BATCHES = 40  # the replay buffer
MINIBATCH = 256
USES = 4  # how often a record is trained on, on average
LEARNING_RATE = 1e-3

MEANINGS = {
    "obs": "what the player to move saw: its discs, then the other's",
    "players": "who that was, 0 or 1",
    "policy_targets": "how often the search visited each column",
    "value_targets": "how the game ended for that player",
    "policy_weights": "0 where a record has no policy to learn",
    "legal_ids": "the legal columns of all records, one after another",
    "legal_offsets": "where the legal columns of each record begin",
}


def main():
    options = parse_options()
    game = rf.games.Connect4()
    network = NumpyNetwork(int(np.prod(game.observation_space().shape)), game.num_actions, 128, options.seed)
    batch = learn(game, network, options)
    show_game(game, network, options.seed)
    show_batch(batch)


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="a few seconds, too short to learn much")
    options = parser.parse_args()
    options.rounds = 4 if options.quick else 64
    options.records = 500 if options.quick else 4000  # of a round
    options.match_games = 20 if options.quick else 200
    return options


def learn(game, network, options):
    """Let the network play itself and learn, with a match now and then; return the last batch."""
    policy = rf.policies.AlphaZero(SELF_PLAY_SIMULATIONS, temperature_drop=None)  # never greedy: varied games
    engine = rf.Engine(game, None, policy, rf.learners.AlphaZero(), GAMES_AT_ONCE, seed=options.seed)
    replay = deque(maxlen=KEPT_BATCHES)
    rng = np.random.default_rng(options.seed)
    progress = Progress(options.rounds)
    show_heading(options.match_games)
    show_strength(game, network, options, 0, 0.0)
    games, started = 0, perf_counter()
    for number in range(1, options.rounds + 1):
        batch = engine.collect(options.records, network.infer)
        games += len(batch.telemetry["episodes"])
        replay.append(batch)
        losses = train(network, replay, USES * options.records // MINIBATCH, rng)
        progress.update(number, f"{games:,} games, policy loss {losses[0]:.2f}, value loss {losses[1]:.2f}")
        if number % (8 if options.rounds > 8 else 1) == 0:
            progress.clear()
            show_strength(game, network, options, games, perf_counter() - started)
    return batch


def train(network, replay, steps, rng):
    """Take some training steps; return the mean policy and value loss."""
    losses = []
    for _ in range(steps):  # with one player at a time every record has a policy: policy_weights are all 1
        batch = replay[rng.integers(len(replay))]
        rows = rng.integers(len(batch.obs), size=MINIBATCH)
        losses.append(
            network.train(
                batch.obs[rows],
                batch.legal_mask(rows),
                batch.policy_targets[rows],
                batch.value_targets[rows],
                LEARNING_RATE,
            )
        )
    return np.mean(losses, axis=0)


def show_heading(match_games):
    print(
        f"Points of the network with {MATCH_SIMULATIONS} simulations a move over {match_games} paired games:"
    )
    print("against a random player, and against the same search with an untrained network\n")
    print("     games   seconds  |  random   untrained   untrained, 4 x simulations")


def show_strength(game, network, options, games, seconds):
    """Print one row of the table."""
    player = searching_player(network.infer, MATCH_SIMULATIONS)
    weak = searching_player(untrained(game.num_actions), MATCH_SIMULATIONS)
    strong = searching_player(untrained(game.num_actions), 4 * MATCH_SIMULATIONS)
    scores = [
        f"{points(game, player, opponent, options.match_games, seed=1):.1%}"
        for opponent in (random_player, weak, strong)
    ]
    print(f"  {games:8,}  {seconds:8.1f}  |  {scores[0]:>6}   {scores[1]:>9}   {scores[2]:>9}", flush=True)


def show_game(game, network, seed):
    """Play one game against untrained search and print all its positions, eight in a row."""
    env = random_opening(game, 1, np.random.default_rng(seed))
    seats = [
        searching_player(untrained(game.num_actions), 4 * MATCH_SIMULATIONS),
        searching_player(network.infer, MATCH_SIMULATIONS),
    ]
    print("\nA game: X is untrained search with 4 x simulations, O is the network.\n")
    pictures = [picture(env, "opening")]
    while not env.done():
        agent = env.active_agents()[0]
        (column,) = seats[agent]([env], 0)
        env.step({agent: column})
        pictures.append(picture(env, f"{'XO'[agent]} in {column}"))
    for first in range(0, len(pictures), 8):
        for lines in zip(*pictures[first : first + 8], strict=True):
            print("  " + "  ".join(lines))
        print()
    print({1.0: "O wins.", 0.0: "A draw.", -1.0: "X wins."}[env.rewards[1]])


def picture(env, caption):
    """Return the position as lines of equal width."""
    return [caption.ljust(7), *env.render().splitlines()]


def show_batch(batch):
    """Print the fields and the telemetry of a batch."""
    print("\nWhat engine.collect returned in the last round:\n")
    for name in batch.fields:
        array = getattr(batch, name)
        print(f"  {name:15} {array.dtype!s:8} {array.shape!s:12} {MEANINGS[name]}")
    print("\nand its telemetry:\n")
    episodes = batch.telemetry["episodes"]
    ticks = np.mean([length for _, length, _ in episodes])
    print(f"  episodes: {len(episodes)}, {ticks:.1f} moves on average")
    for name, value in batch.telemetry.items():
        if isinstance(value, int | float):
            print(f"  {name}: {value:.3g}" if isinstance(value, float) else f"  {name}: {value:,}")


if __name__ == "__main__":
    main()
