"""Write `openspiel.tsv`: what OpenSpiel (2.0.2) observes in some of the games of `games.tsv`.

Run after `record_games.py`, with a Python that has the packages `chess` and `open_spiel`. A line is the
number of a game's line, then the CRC-32 of the observation tensor (float32) of each of its positions, as 8
hex digits. OpenSpiel may end a game sooner; the line is then shorter.
"""

import zlib
from pathlib import Path

import chess
import numpy as np
import pyspiel
from record_games import action_of

FOLDER = Path(__file__).parent
EVERY = 7  # games; of all starts and styles


def checksum(state: pyspiel.State) -> str:
    """Return the CRC-32 of an observation."""
    return f"{zlib.crc32(np.array(state.observation_tensor(0), np.float32).tobytes()):08x}"


def observe(fen: str, signs: str) -> list[str]:
    """Replay a game; return a checksum for each position."""
    board, state = chess.Board(fen), pyspiel.load_game("chess").new_initial_state(fen)
    found = [checksum(state)]
    for sign in signs:
        moves = {action_of(board, move): move for move in board.legal_moves}
        move = moves[sorted(moves)[ord(sign) - 33]]
        if state.is_terminal():
            break
        state.apply_action(state.string_to_action(board.san(move)))
        board.push(move)
        found.append(checksum(state))
    return found


def record() -> None:
    """Write the file."""
    lines = []
    for number, line in enumerate((FOLDER / "games.tsv").read_text().splitlines()):
        if number % EVERY == 0:
            fen, signs, *_ = line.split("\t")
            lines.append("\t".join([str(number), *observe(fen, signs)]))
    (FOLDER / "openspiel.tsv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    record()
