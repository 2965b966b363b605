"""Othello (Reversi): place a disc, turn all enemy discs that it encloses; the most discs at the end win.

Each player's discs are a 64-bit board, one bit per square, row by row from the top:

        a  b  c  d  e  f  g  h
     1  0  1  2  3  4  5  6  7
     2  8  9 10 ...
     8 56 57 58 59 60 61 62 63

Player 0 (black) moves first. An action is a square; a player without a placement plays 64, the pass, which is
then its only action. The game ends as soon as neither player has a placement.
"""

from typing import Any

import numpy as np

from ..compiled.bits import ONE, bit, count_bits, lowest_bit
from ..contracts.encoder import Encoder
from ..contracts.game import Game, sole_event
from ..contracts.rules import TERMINAL

SIZE = 8
PASS = SIZE * SIZE
WIN, LOSS, DRAW = 0, 1, 2  # columns of `events`
NOTHING = np.uint64(0)
TWICE = np.uint64(2)
EAST, SOUTH_WEST, SOUTH, SOUTH_EAST = np.uint64(1), np.uint64(7), np.uint64(8), np.uint64(9)
INNER_COLUMNS = np.uint64(0x7E7E7E7E7E7E7E7E)  # b to g: a run along a row or a diagonal stays in these
CENTRE = np.uint64(1 << 27 | 1 << 28 | 1 << 35 | 1 << 36)
BLACK_START = np.uint64(1 << 28 | 1 << 35)
WHITE_START = np.uint64(1 << 27 | 1 << 36)


def run_forward(start, through, shift):
    """Return the unbroken runs of `through` that begin one `shift` after `start` (up to six squares)."""
    run = through & (start << shift)
    run |= through & (run << shift)
    pairs = through & (through << shift)
    run |= pairs & (run << (shift * TWICE))
    return run | (pairs & (run << (shift * TWICE)))


def run_backward(start, through, shift):
    """Return what `run_forward` does, in the opposite direction."""
    run = through & (start >> shift)
    run |= through & (run >> shift)
    pairs = through & (through >> shift)
    run |= pairs & (run >> (shift * TWICE))
    return run | (pairs & (run >> (shift * TWICE)))


def ends_of_runs(own, other, shift):
    """Return the squares just beyond enemy runs that begin next to an own disc, both ways along a line."""
    return (run_forward(own, other, shift) << shift) | (run_backward(own, other, shift) >> shift)


def placements(own, other):
    """Return the board of squares on which the owner of `own` may place a disc."""
    inner = other & INNER_COLUMNS
    found = ends_of_runs(own, inner, EAST) | ends_of_runs(own, other, SOUTH)
    found |= ends_of_runs(own, inner, SOUTH_WEST) | ends_of_runs(own, inner, SOUTH_EAST)
    return found & ~(own | other)


def enclosed(own, other, disc, shift):
    """Return the enemy discs between a new disc and the next own ones, both ways along a line."""
    forward = run_forward(disc, other, shift)
    backward = run_backward(disc, other, shift)
    turned = forward if (forward << shift) & own != NOTHING else NOTHING
    return turned | backward if (backward >> shift) & own != NOTHING else turned


def turned_discs(own, other, disc):
    """Return the board of enemy discs that a new disc turns."""
    inner = other & INNER_COLUMNS
    turned = enclosed(own, inner, disc, EAST) | enclosed(own, other, disc, SOUTH)
    return turned | enclosed(own, inner, disc, SOUTH_WEST) | enclosed(own, inner, disc, SOUTH_EAST)


class Othello(Game):
    """Othello, two players, 65 actions, no horizon.

    Args:
        encoder: The encoder, or None for `rf.encoders.Othello()`.

    Example:
        >>> import rinforza as rf
        >>> rf.games.Othello().observation_space().shape
        (3, 8, 8)
    """

    name = "othello"
    num_players = 2
    num_actions = PASS + 1
    dynamics = "sequential"
    chance_nodes = "none"
    information = "perfect"
    events = {"win": 1.0, "loss": -1.0, "draw": 0.0}
    resignation = ("loss", "win")
    state_dtype = np.dtype(
        [
            ("discs", np.uint64, (2,)),  # one board for each player
            ("moves", np.uint64),  # where the player to move may place a disc
            ("turn", np.int32),  # the player to move, 0 or 1; the last mover after the end
            ("done", np.int32),  # 1 once the game has ended
        ],
        align=True,
    )

    def __init__(self, encoder: Encoder | None = None):
        super().__init__(encoder=encoder)

    def state_values(self, state: Any) -> dict[str, Any]:
        """Return `board` (8 rows from the top; 0 empty, 1 and 2 the players), `turn`, `done`."""
        return {"board": _board(state), "turn": int(state.turn), "done": bool(state.done)}

    def event_payload(self, player: int, amounts: np.ndarray, state: Any) -> str | None:
        """Return "win", "loss" or "draw" on the last tick."""
        return sole_event(self, amounts)

    def text(self, state: Any) -> str:
        """Return the board, eight lines from the top row down, of `.`, `X` (player 0) and `O`."""
        return "\n".join("".join(".XO"[square] for square in row) for row in _board(state))

    def initial(self, state):
        state.discs[0] = BLACK_START
        state.discs[1] = WHITE_START
        state.moves = placements(BLACK_START, WHITE_START)

    def actor(self, state):
        return TERMINAL if state.done != 0 else state.turn

    def legal_actions(self, state, player, out):
        if state.done != 0 or player != state.turn:
            return 0
        moves = state.moves
        if moves == NOTHING:
            out[0] = PASS
            return 1
        count = 0
        while moves != NOTHING:
            out[count] = lowest_bit(moves)
            count += 1
            moves &= moves - ONE
        return count

    def step(self, state, actions, events):
        mover = state.turn
        own, other = state.discs[mover], state.discs[1 - mover]
        if actions[mover] != PASS:
            disc = bit(actions[mover])
            turned = turned_discs(own, other, disc)
            own |= disc | turned
            other &= ~turned
            state.discs[mover] = own
            state.discs[1 - mover] = other
        state.moves = placements(other, own)
        if state.moves != NOTHING or placements(own, other) != NOTHING:
            state.turn = 1 - mover
            return
        state.done = 1
        lead = count_bits(own) - count_bits(other)
        if lead == 0:
            events[0, DRAW] = 1.0
            events[1, DRAW] = 1.0
        else:
            winner = mover if lead > 0 else 1 - mover
            events[winner, WIN] = 1.0
            events[1 - winner, LOSS] = 1.0

    def valid(self, state):
        first, second = state.discs[0], state.discs[1]
        if first & second != NOTHING or (first | second) & CENTRE != CENTRE:
            return 0
        if state.turn < 0 or state.turn > 1 or state.done < 0 or state.done > 1:
            return 0
        # After the end the last mover is kept, and `moves` is empty, as it is for both players.
        own, other = (first, second) if state.turn == 0 else (second, first)
        moves = placements(own, other)
        ended = moves == NOTHING and placements(other, own) == NOTHING
        return 1 if state.moves == moves and state.done == (1 if ended else 0) else 0


def _board(state: Any) -> list[list[int]]:
    first, second = (int(board) for board in state.discs)

    def square(index: int) -> int:
        return (first >> index & 1) + 2 * (second >> index & 1)

    return [[square(SIZE * row + column) for column in range(SIZE)] for row in range(SIZE)]
