"""Strength, measured by paired games: both games of a pair share their opening, with the seats swapped.

A player is a function `play(envs, seed) -> actions`: one action for each environment, all of which are its
turn. All games of a match run side by side, so a searching player's network sees large batches.
"""

import numpy as np

import rinforza as rf


def random_player(envs, seed):
    """Play a uniformly random legal move."""
    rng = np.random.default_rng(seed)
    return [int(rng.choice(env.legal_actions(env.active_agents()[0]))) for env in envs]


def searching_player(infer, simulations):
    """Return a player that searches with a network: no noise, no temperature."""
    policy = rf.policies.AlphaZero(simulations, temperature=0.0, noise=None)

    def play(envs, seed):
        return policy.choose(envs, infer, seed, gamma=1.0)

    return play


def untrained(n_actions):
    """Return a network that knows nothing: every move is as likely, every position is worth 0."""

    def infer(obs):
        return np.zeros((len(obs), n_actions), np.float32), np.zeros(len(obs), np.float32)

    return infer


def points(game, player, opponent, n_games, seed, opening_moves=4):
    """Play a match and return the share of the points that `player` won.

    Args:
        game: A game for two players that move one at a time, with rewards 1, 0 and -1.
        player, opponent: Two players as described above.
        n_games: Even; games 2k and 2k + 1 are a pair.
        seed: Seeds the openings and the players.
        opening_moves: Random moves before the players take over.

    Returns:
        0 to 1: a win counts 1, a draw 1/2.

    Raises:
        ValueError: If n_games is odd or below 2.
    """
    if n_games < 2 or n_games % 2:
        raise ValueError(f"n_games must be even and at least 2, for both games of each pair; got {n_games}")
    rng = np.random.default_rng(seed)
    games = []
    for _ in range(n_games // 2):
        opening = random_opening(game, opening_moves, rng)
        games += [(opening, (player, opponent)), (opening.fork(), (opponent, player))]
    live = games
    while live:
        for mover in (player, opponent):
            turns = [env for env, seats in live if not env.done() and seats[env.active_agents()[0]] is mover]
            if turns:
                moves = mover(turns, int(rng.integers(1 << 32)))
                for env, move in zip(turns, moves, strict=True):
                    env.step({env.active_agents()[0]: move})
        live = [(env, seats) for env, seats in live if not env.done()]
    return float(np.mean([(1.0 + env.rewards[seats.index(player)]) / 2.0 for env, seats in games]))


def random_opening(game, n_moves, rng):
    """Return an environment after `n_moves` random moves; openings that end the game are drawn anew."""
    while True:
        env = rf.Env(game, rf.Reward(), int(rng.integers(1 << 32)))
        for _ in range(n_moves):
            if not env.done():
                env.step({env.active_agents()[0]: random_player([env], int(rng.integers(1 << 32)))[0]})
        if not env.done():
            return env
