"""Write `games.tsv`: random games as the PyPI package `chess` (1.11.2) sees them.

Run with a Python that has the package: python tests/golden/chess/record_games.py

A line is a game: the first position, the moves, the end, the last position and a digest. A move is a sign:
its place among the legal actions in ascending order, counted from "!". The digest is over a line for each
position: its legal actions, and for every fifth position its FEN.
"""

import hashlib
import random
from pathlib import Path

import chess

GAMES = 300
LONGEST = 400
RAYS = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
JUMPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
STARTS = [
    chess.STARTING_FEN,
    chess.STARTING_FEN,
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1",
    "8/PPPk4/8/8/8/8/4Kppp/8 w - - 0 1",
    "4k3/8/8/1n6/8/8/3B4/4K3 w - - 0 1",
    "4k3/4p3/8/8/8/8/4P3/4K3 b - - 90 70",
    "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1",
    "4k2r/6pp/8/8/8/8/PP6/R3K3 w Qk - 3 20",
]


def action_of(board: chess.Board, move: chess.Move) -> int:
    """Number a move by the rule in the manual of the game."""
    origin, target = move.from_square, move.to_square
    if board.is_castling(move):
        target = chess.square(7 if board.is_kingside_castling(move) else 0, chess.square_rank(origin))
    files = chess.square_file(target) - chess.square_file(origin)
    ranks = chess.square_rank(target) - chess.square_rank(origin)
    if move.promotion not in (None, chess.QUEEN):
        way = {0: 0, -1: 1, 1: 2}[files]
        piece = [chess.KNIGHT, chess.BISHOP, chess.ROOK].index(move.promotion)
        return origin * 73 + 64 + 3 * way + piece
    if (files, ranks) in JUMPS:
        return origin * 73 + 56 + JUMPS.index((files, ranks))
    distance = max(abs(files), abs(ranks))
    return origin * 73 + 7 * RAYS.index((files // distance, ranks // distance)) + distance - 1


def identity(board: chess.Board) -> tuple:
    """Return what makes positions the same; the package itself asks whether en passant is legal."""
    square = board.ep_square if board.has_pseudo_legal_en_passant() else None
    return board.board_fen(), board.turn, board.castling_rights, square


def occurrences(board: chess.Board) -> int:
    """Count the current position among those since the last capture or pawn move."""
    earlier = board.copy()
    count = 1
    while earlier.halfmove_clock > 0 and earlier.move_stack:
        earlier.pop()
        count += identity(earlier) == identity(board)
    return count


def end_of(board: chess.Board) -> str:
    """Say how a position ends the game, "" if it does not."""
    if board.is_checkmate():
        return "checkmate"
    if board.is_stalemate():
        return "stalemate"
    if occurrences(board) >= 3:
        return "repetition"
    if board.is_insufficient_material():
        return "material"
    return "clock" if board.halfmove_clock >= 100 else ""


def is_mate_after(board: chess.Board, move: chess.Move) -> bool:
    """Return whether a move mates."""
    board.push(move)
    is_mate = board.is_checkmate()
    board.pop()
    return is_mate


def chosen(board: chess.Board, legal: list[chess.Move], style: str, generator: random.Random) -> chess.Move:
    """Choose a move: any, a capture if there is one, a check, or the way back to where the piece was."""
    if style == "capturing":
        captures = [move for move in legal if board.is_capture(move)]
        return generator.choice(captures or legal)
    if style == "hunting":
        checks = [move for move in legal if board.gives_check(move)]
        mates = [move for move in checks if is_mate_after(board, move)]
        return generator.choice(mates or checks or legal)
    if style == "shuffling" and len(board.move_stack) > 1 and generator.random() < 0.8:
        own = board.move_stack[-2]
        back = chess.Move(own.to_square, own.from_square)
        return back if back in legal else generator.choice(legal)
    return generator.choice(legal)


def play(fen: str, style: str, generator: random.Random) -> list[str]:
    """Play a game; return the fields of its line."""
    board = chess.Board(fen)
    digest = hashlib.sha256()
    signs = []
    while True:
        end = end_of(board)
        moves = {action_of(board, move): move for move in board.legal_moves} if not end else {}
        actions = sorted(moves)
        shown = "" if len(signs) % 5 else board.fen(en_passant="fen")
        digest.update(f"{' '.join(map(str, actions))} {shown}\n".encode())
        if end or len(signs) == LONGEST:
            break
        move = chosen(board, [moves[action] for action in actions[:90]], style, generator)
        signs.append(chr(33 + actions.index(action_of(board, move))))
        board.push(move)
    return [fen, "".join(signs), end or "unfinished", board.fen(en_passant="fen"), digest.hexdigest()[:16]]


def record() -> None:
    """Write the file."""
    generator = random.Random(300)
    lines = []
    for number in range(GAMES):
        style = ("any", "capturing", "hunting", "shuffling")[number // len(STARTS) % 4]
        lines.append("\t".join(play(STARTS[number % len(STARTS)], style, generator)))
    (Path(__file__).parent / "games.tsv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    record()
