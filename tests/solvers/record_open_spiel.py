"""Record how OpenSpiel's tabular solvers do, iteration by iteration, as `open_spiel.json`.

    python tests/solvers/record_open_spiel.py

It needs OpenSpiel (`pip install open_spiel`; the file was made with 2.0.2), which is no dependency: the tests
read only the file. Per game and variant it has [iteration, NashConv, values of the players] of the average
policy of `pyspiel.CFRSolver` and `pyspiel.CFRPlusSolver`.

Two things limit how far two implementations can be compared. Rounding errors grow: CFR+ on Leduc poker agrees to
1e-12 for 80 iterations, to 1e-9 for 120, to 1e-4 for 160. And a regret that is zero may come out as a little more
or less, which decides between all and nothing: with four players, in Kuhn poker's second iteration, OpenSpiel's
result is already another one than that of exact fractions.
"""

import json
from pathlib import Path

import pyspiel

FILE = Path(__file__).parent / "open_spiel.json"
SOLVERS = {"vanilla": pyspiel.CFRSolver, "plus": pyspiel.CFRPlusSolver}
GAMES = {
    "kuhn_poker": [*range(1, 21), 50, 100, 200, 500, 1000],
    "kuhn_poker(players=3)": [*range(1, 16), 50, 100, 200],
    "leduc_poker": [*range(1, 13), 20, 50, 80],
    "liars_dice(dice_sides=3)": [*range(1, 11), 50, 100],
}


def recorded(name: str, variant: str) -> list[list]:
    """Run one solver and look at it after the listed iterations."""
    game = pyspiel.load_game(name)
    solver = SOLVERS[variant](game)
    found, done = [], 0
    for iteration in GAMES[name]:
        while done < iteration:
            solver.evaluate_and_update_policy()
            done += 1
        policy = solver.average_policy()
        values = pyspiel.expected_returns(game.new_initial_state(), policy, -1, True)
        found.append([iteration, pyspiel.nash_conv(game, policy), values])
    return found


def main() -> None:
    """Record everything."""
    curves = {name: {variant: recorded(name, variant) for variant in SOLVERS} for name in GAMES}
    lines = [
        f'"{name}": {{\n'
        + ",\n".join(f' "{variant}": {json.dumps(rows)}' for variant, rows in variants.items())
        + "\n}"
        for name, variants in curves.items()
    ]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
