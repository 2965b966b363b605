"""Record random games that OpenSpiel plays, as the files in `open_spiel/`.

    python tests/golden/record_open_spiel.py NAME ...

It needs OpenSpiel (`pip install open_spiel`; the files were made with 2.0.2), which is no dependency: the
tests read only the files. Each line is one game: the actions, the CRC-32 of the legal actions before each of
them, and the points of each player at the end. An action of a chance node is recorded as it is, and the legal
actions there are the possible outcomes.
"""

import json
import random
import sys
import zlib
from pathlib import Path

import pyspiel

FOLDER = Path(__file__).parent / "open_spiel"
GAMES = {
    "othello": ("othello", 100),
    "hex_11": ("hex(board_size=11)", 40),
    "hex_5": ("hex(board_size=5)", 100),
    "hex_2": ("hex(board_size=2)", 30),
    "go_9": ("go(board_size=9,komi=7.5)", 40),
    "go_5": ("go(board_size=5,komi=7.5)", 100),
    "2048": ("2048", 10),
    "kuhn_poker_2": ("kuhn_poker", 60),
    "kuhn_poker_5": ("kuhn_poker(players=5)", 100),
    "kuhn_poker_10": ("kuhn_poker(players=10)", 60),
    "leduc_poker": ("leduc_poker", 200),
    "liars_dice_1x6": ("liars_dice", 100),
    "liars_dice_3x4": ("liars_dice(numdice=3,dice_sides=4)", 100),
    "backgammon": ("backgammon(scoring_type=full_scoring)", 100),
}


def legal_digest(actions: list[int]) -> int:
    """Return the CRC-32 of a list of actions, written with commas."""
    return zlib.crc32(",".join(map(str, actions)).encode())


def recorded(game: pyspiel.Game, seed: int) -> dict[str, list]:
    """Play one random game."""
    generator = random.Random(seed)
    state = game.new_initial_state()
    actions, legal = [], []
    while not state.is_terminal():
        choices = sorted(
            [outcome for outcome, _ in state.chance_outcomes()]
            if state.is_chance_node()
            else state.legal_actions()
        )
        legal.append(legal_digest(choices))
        actions.append(generator.choice(choices))
        state.apply_action(actions[-1])
    return {"actions": actions, "legal": legal, "points": state.returns()}


def main() -> None:
    """Record the games named on the command line, or all."""
    for name in sys.argv[1:] or GAMES:
        description, count = GAMES[name]
        game = pyspiel.load_game(description)
        lines = (json.dumps(recorded(game, seed), separators=(",", ":")) for seed in range(count))
        (FOLDER / f"{name}.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
