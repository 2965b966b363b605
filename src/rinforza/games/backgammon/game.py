"""Backgammon: two players race fifteen checkers around 24 points. No cube, one game.

Player 0 ("X") moves from point 0 up and bears off past 23; player 1 ("O") moves from point 23 down. The
first position:

    12 13 14 15 16 17   18 19 20 21 22 23
    O5          X3      X5             O2
    X5          O3      O5             X2
    11 10  9  8  7  6    5  4  3  2  1  0

One action plays up to two dice. It has two digits, base 26: the low one is where the first checker starts,
the high one where the second does, 0 to 23 a point, 24 the bar, 25 no move. 676 is added when the die that
is played first is not the higher one, and to the action that plays no die. Doubles are two decisions of one
player; the second is left out when the first could not play two checkers.

Rolls are chance nodes: at the root one of 30, then one of 21 with a weight of 1/18, or 1/36 for doubles.
"""

from typing import Any

import numpy as np

from ...contracts.encoder import Encoder
from ...contracts.game import Game
from ...contracts.rules import CHANCE, TERMINAL
from .plays import (
    ALL_POINTS,
    BAR,
    BASE,
    HOME,
    LOWER_FIRST,
    PASS,
    POINTS,
    entry_point,
    is_outside,
    write_plays,
)

CHECKERS = 15
NON_DOUBLES = 15
OPENING_ROLLS = 2 * NON_DOUBLES  # who begins is part of it
ROLLS = NON_DOUBLES + 6
LOW_DICE = np.array([1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 1, 2, 3, 4, 5, 6])
HIGH_DICE = np.array([2, 3, 4, 5, 6, 3, 4, 5, 6, 4, 5, 6, 5, 6, 6, 1, 2, 3, 4, 5, 6])
START = ((0, 2), (11, 5), (16, 3), (18, 5))  # (point, checkers) of player 0; player 1's are the mirror image


class Backgammon(Game):
    """Backgammon, two players, 1,352 actions.

    A game won is worth `win`, `gammon` or `backgammon`, and costs the loser as much.

    Args:
        max_ticks: The horizon in decisions, >= 1, or None.
        encoder: The encoder, or None for `rf.encoders.Backgammon()`.

    Example:
        >>> import rinforza as rf
        >>> env = rf.Env(rf.games.Backgammon(), seed=1)
        >>> env.state()["bar"], env.state()["double_turn"]
        ([0, 0], False)
    """

    name = "backgammon"
    num_players = 2
    num_actions = 2 * LOWER_FIRST
    dynamics = "sequential"
    chance_nodes = "anywhere"
    information = "perfect"
    events = {"win": 1.0, "gammon": 2.0, "backgammon": 3.0}  # amounts 1 for the winner, -1 for the loser
    most_outcomes = OPENING_ROLLS
    state_dtype = np.dtype(
        [
            ("board", np.int8, (2, POINTS)),  # checkers of each player on each point
            ("bar", np.int8, (2,)),
            ("off", np.int8, (2,)),  # borne off
            ("mover", np.int8),
            ("dice", np.int8, (2,)),  # the lower first; 0, 0 before a roll
            ("second_half", np.bool_),  # the second decision of a double
            ("started", np.bool_),  # the opening roll was made
        ],
        align=True,
    )

    def __init__(self, max_ticks: int | None = 1000, encoder: Encoder | None = None):
        super().__init__(encoder=encoder, max_ticks=max_ticks)

    def state_values(self, state: Any) -> dict[str, Any]:
        """Return `board`, `bar`, `scores` (borne off), `to_move`, `dice` and `double_turn`."""
        return {
            "board": state.board.tolist(),
            "bar": state.bar.tolist(),
            "scores": state.off.tolist(),
            "to_move": int(state.mover),
            "dice": state.dice.tolist(),
            "double_turn": bool(state.second_half),
        }

    def event_payload(self, player: int, amounts: np.ndarray, state: Any) -> dict[str, Any] | None:
        """Return {"result": "win" or "loss", "margin": 1, 2 or 3} at the end."""
        for margin, amount in enumerate(amounts, start=1):
            if amount:
                return {"result": "win" if amount > 0 else "loss", "margin": margin}
        return None

    def text(self, state: Any) -> str:
        """Return the board in four lines, points 12 to 23 above 11 to 0, then bar, off and dice."""
        return _text(state)

    def initial(self, state):
        for index in range(len(START)):
            point, count = START[index]
            state.board[0, point] = count
            state.board[1, POINTS - 1 - point] = count

    def actor(self, state):
        if state.off[0] == CHECKERS or state.off[1] == CHECKERS:
            return TERMINAL
        return CHANCE if state.dice[0] == 0 else np.int64(state.mover)

    def chance(self, state, probabilities):
        if not state.started:
            for outcome in range(OPENING_ROLLS):
                probabilities[outcome] = 1.0 / OPENING_ROLLS
            return OPENING_ROLLS
        for outcome in range(ROLLS):
            probabilities[outcome] = 1.0 / 18.0 if outcome < NON_DOUBLES else 1.0 / 36.0
        return ROLLS

    def resolve_chance(self, state, outcome, events):
        if not state.started:
            state.started = True
            state.mover = outcome // NON_DOUBLES
            outcome %= NON_DOUBLES
        state.dice[0] = LOW_DICE[outcome]
        state.dice[1] = HIGH_DICE[outcome]

    def legal_actions(self, state, player, out):
        over = state.off[0] == CHECKERS or state.off[1] == CHECKERS
        if over or player != state.mover or state.dice[0] == 0:
            return 0
        own, single, blocked = 0, 0, 0
        on_bar = np.int64(state.bar[player])
        outside = on_bar
        for point in range(POINTS):
            count = np.int64(state.board[player, point])
            if count > 0:
                own |= 1 << point
                outside += count * is_outside(player, point)
            if count == 1:
                single |= 1 << point
            if state.board[1 - player, point] > 1:
                blocked |= 1 << point
        low, high = np.int64(state.dice[0]), np.int64(state.dice[1])
        return write_plays(out, on_bar, own, single, ALL_POINTS & ~blocked, outside, player, low, high)

    def step(self, state, actions, events):
        mover = np.int64(state.mover)
        action = actions[mover]
        low, high = np.int64(state.dice[0]), np.int64(state.dice[1])
        sources = action % LOWER_FIRST
        first, second = sources % BASE, sources // BASE
        if first != PASS:
            move_checker(state, mover, first, high if action < LOWER_FIRST else low)
        if second != PASS:
            move_checker(state, mover, second, low if action < LOWER_FIRST else high)
        if low == high and not state.second_half and second != PASS:
            state.second_half = True
        else:
            state.second_half = False
            state.dice[0] = 0
            state.dice[1] = 0
            state.mover = 1 - mover
        if state.off[mover] == CHECKERS:
            margin = margin_of(state, mover)
            events[mover, margin - 1] = 1.0
            events[1 - mover, margin - 1] = -1.0

    def valid(self, state):
        if not state.started or state.mover < 0 or state.mover > 1 or not has_all_checkers(state):
            return 0
        low, high = state.dice[0], state.dice[1]
        if low == 0 and high == 0:  # only the end comes without a roll
            over = state.off[0] == CHECKERS or state.off[1] == CHECKERS
            return 1 if over and not state.second_half else 0
        if low < 1 or high > 6 or low > high:
            return 0
        return 0 if state.second_half and low != high else 1


def move_checker(state, player, source, pips):
    """Move a checker on, hitting a single one of the other player, or bear it off."""
    if source == BAR:
        landing = entry_point(player, pips)
        state.bar[player] -= 1
    else:
        landing = source + pips if player == 0 else source - pips
        state.board[player, source] -= 1
    if landing < 0 or landing >= POINTS:
        state.off[player] += 1
        return
    if state.board[1 - player, landing] == 1:
        state.board[1 - player, landing] = 0
        state.bar[1 - player] += 1
    state.board[player, landing] += 1


def margin_of(state, winner):
    """Return 1 for a plain win, 2 for a gammon, 3 for a backgammon."""
    loser = 1 - winner
    if state.off[loser] > 0:
        return 1
    if state.bar[loser] > 0:
        return 3
    home = HOME if winner == 0 else 0
    for point in range(home, home + POINTS - HOME):
        if state.board[loser, point] > 0:
            return 3
    return 2


def has_all_checkers(state):
    """Return whether each player has fifteen checkers, no point both have, and one at most is done."""
    for player in range(2):
        total = np.int64(state.bar[player]) + np.int64(state.off[player])
        if state.bar[player] < 0 or state.off[player] < 0:
            return False
        for point in range(POINTS):
            count = np.int64(state.board[player, point])
            if count < 0 or (count > 0 and state.board[1 - player, point] > 0):
                return False
            total += count
        if total != CHECKERS:
            return False
    return state.off[0] < CHECKERS or state.off[1] < CHECKERS


def _text(state: Any) -> str:
    def spot(point: int) -> str:
        own, other = (int(count) for count in state.board[:, point])
        return f"X{own}" if own else f"O{other}" if other else "."

    rows = [
        " ".join(f"{cell:>3}" for cell in cells)
        for cells in (
            range(12, 24),
            [spot(point) for point in range(12, 24)],
            [spot(point) for point in range(11, -1, -1)],
            range(11, -1, -1),
        )
    ]
    for player, name in enumerate("XO"):
        rows.append(f"{name}: bar {state.bar[player]}, off {state.off[player]}")
    rows.append(f"{'XO'[state.mover]} to move, dice {state.dice[0]} {state.dice[1]}")
    return "\n".join(rows)
