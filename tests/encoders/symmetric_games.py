"""The built-in games whose encoders offer symmetries, small, each beside those symmetries in NumPy."""

import rinforza as rf
from tests.naive.symmetries import DIAGONAL, DOWN, LEFT, RIGHT, UP, of_a_board, of_columns, of_steps

SYMMETRIC = {
    "tictactoe": (rf.games.TicTacToe(), of_a_board(3, 8)),
    "connect4": (rf.games.Connect4(), of_columns(7)),
    "go": (rf.games.Go(4, komi=0.5), of_a_board(4, 8, passes=1)),
    "othello": (rf.games.Othello(), of_a_board(8, 4, passes=1)),
    "hex": (rf.games.Hex(4), of_a_board(4, 2)),
    "2048": (rf.games.Game2048(), of_steps(range(8), [UP, RIGHT, DOWN, LEFT])),
    "gridworld": (rf.games.GridWorld(4, max_ticks=9), of_steps([0, DIAGONAL], [UP, DOWN, LEFT, RIGHT])),
}
