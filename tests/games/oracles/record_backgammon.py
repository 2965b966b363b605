"""Record random games of OpenSpiel's backgammon, which numbers actions and rolls as this library does.

    python record_backgammon.py backgammon.npz

Needs `open_spiel` (2.0.2 was used) and NumPy; the tests only read the file. Its arrays, one game after the
other:

    lengths   int32[games], the moves of each game, rolls included
    moves     uint16[all moves], the outcome of a roll or the action of a player
    movers    int8[all moves], -1 for a roll, else the player
    counts    uint16[all decisions], how many actions were legal
    legal     uint16[all of those], ascending, each decision's as its first id and the steps between ids
    returns   int8[games], what player 0 won: 1, 2 or 3, negative for what it lost
"""

import sys

import numpy as np
import pyspiel

GAMES = 120
SEED = 20


def main(path: str) -> None:
    """Play the games and write the file."""
    generator = np.random.default_rng(SEED)
    game = pyspiel.load_game("backgammon(scoring_type=full_scoring)")
    lengths, moves, movers, counts, legal, returns = [], [], [], [], [], []
    for _ in range(GAMES):
        state = game.new_initial_state()
        length = 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, odds = zip(*state.chance_outcomes(), strict=True)
                move = generator.choice(outcomes, p=odds)
                movers.append(-1)
            else:
                ids = state.legal_actions()
                counts.append(len(ids))
                legal.extend([ids[0], *np.diff(ids)])
                move = generator.choice(ids)
                movers.append(state.current_player())
            moves.append(move)
            state.apply_action(int(move))
            length += 1
        lengths.append(length)
        returns.append(int(state.returns()[0]))
    np.savez_compressed(
        path,
        lengths=np.array(lengths, np.int32),
        moves=np.array(moves, np.uint16),
        movers=np.array(movers, np.int8),
        counts=np.array(counts, np.uint16),
        legal=np.array(legal, np.uint16),
        returns=np.array(returns, np.int8),
    )


if __name__ == "__main__":
    main(sys.argv[1])
