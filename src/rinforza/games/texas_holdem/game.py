"""Texas hold'em with fixed limits for two to nine: one episode is one hand from fresh stacks.

The button is drawn, then the two cards of each seat in turn. The two seats after the button post the small
and the big blind; heads-up the button posts the small one. The seat after the blinds acts first, later the
first after the button. Actions: 0 fold, facing a bet only; 1 check or call; 2 bet or raise by the big blind,
on turn and river by twice that, up to four bets a street, the big blind being the first, and only where
another seat could put in more as well. A seat with fewer chips than an action takes puts in what it has; a
raise cut short counts as one.

A seat without chips acts no more. Where fewer than two can bet the other cards are dealt without betting. At
the end side pots go to the best hands among those that paid for them; odd chips go to the first seats after
the button. Stacks may differ; with equal ones no side pot can arise.

A card is rank * 4 + suit, rank 0 the deuce to 12 the ace.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...contracts.arguments import integer
from ...contracts.encoder import Encoder
from ...contracts.game import Game
from ...contracts.rules import CHANCE, TERMINAL
from .betting import CALL, FOLD, RAISE, begin_betting, begin_street, can_raise, go_on, play_action, to_call
from .dealing import (
    DRAW_BUTTON,
    DRAW_HOLE,
    NO_DRAW,
    cards_left,
    count_outcomes,
    deal_board,
    deal_hole,
    draw_outcome,
)
from .table import (
    ACTION_BITS,
    DONE,
    LARGEST_STACK,
    LONGEST_STREET,
    MOST_SEATS,
    NOBODY,
    STATE,
    STREETS,
)
from .validity import is_valid

DECK_PAIRS = 1326
HEADER = 13  # bytes of an information state before those of the seats
SEAT_BYTES = 9
SUITS, RANKS = "cdhs", "23456789TJQKA"


class TexasHoldem(Game):
    """Fixed-limit Texas hold'em, 2 to 9 players, 3 actions, no horizon.

    The event `scale` is the number of chips won, or lost where it is negative.

    Args:
        num_players: Seats at the table, 2 to 9.
        stack: Chips of each seat at the start, up to 2**24; one number, or one for each seat.
        small_blind: Chips, at least 1.
        big_blind: Chips, at least the small blind; also the bet before the turn.
        encoder: The encoder, or None for `rf.encoders.TexasHoldem()`.

    Raises:
        ValueError: If a number is outside its range, or a stack is smaller than the big blind or not larger
            than the small one.

    Example:
        >>> import rinforza as rf
        >>> env = rf.Env(rf.games.TexasHoldem(num_players=2, stack=(50, 40)), seed=1)
        >>> env.state()["street"], env.legal_actions(env.active_agents()[0])
        ('preflop', [0, 1, 2])
    """

    name = "texas_holdem"
    num_actions = 3
    dynamics = "sequential"
    chance_nodes = "anywhere"
    information = "imperfect"
    events = {"scale": 1.0}
    state_dtype = STATE

    def __init__(
        self,
        num_players: int = 6,
        stack: int | Sequence[int] = 200,
        small_blind: int = 5,
        big_blind: int = 10,
        encoder: Encoder | None = None,
    ):
        num_players = integer("num_players", num_players, 0)
        if not 2 <= num_players <= MOST_SEATS:
            raise ValueError(f"num_players must be in 2..{MOST_SEATS}, got {num_players}")
        small_blind = integer("small_blind", small_blind, 0)
        big_blind = integer("big_blind", big_blind, 0)
        _check_blinds(small_blind, big_blind)
        stacks = _checked_stacks(stack, num_players, small_blind, big_blind)
        after_deal = 52 - 2 * num_players
        flops = after_deal * (after_deal - 1) * (after_deal - 2) // 6
        super().__init__(
            encoder=encoder,
            num_players=num_players,
            stack=stacks[0] if len(set(stacks)) == 1 else stacks,
            small_blind=small_blind,
            big_blind=big_blind,
            tables={
                "starting_stacks": np.array(stacks + (0,) * (MOST_SEATS - num_players), np.int64),
                "largest_stack": max(stacks),
                "all_chips": sum(stacks),
                "most_outcomes": max(DECK_PAIRS, flops),
                "information_size": HEADER + SEAT_BYTES * num_players + 4 * (1 + LONGEST_STREET),
            },
        )

    num_players: int
    small_blind: int
    big_blind: int
    starting_stacks: np.ndarray
    largest_stack: int
    all_chips: int

    def state_values(self, state: Any) -> dict[str, Any]:
        """Return the cards of all seats, the board, and how the betting stands.

        Args:
            state: The state.

        Returns:
            `hole` (two cards for each seat), `board`, `street` ("preflop" to "river", "done"), `button`,
            `to_act`, `stacks`, `street_committed`, `total_committed`, `folded`, `needs_action` (one entry for
            each seat), `raises`, `history` (for each street its (seat, action) pairs), `done`.
        """
        seats = self.num_players
        dealt = (int(state.dealt).bit_count() - int(state.board_count)) // 2
        return {
            "hole": state.hole[:dealt].tolist() + [[]] * (seats - dealt),
            "board": state.board[: state.board_count].tolist(),
            "street": STREETS[state.street],
            "button": int(state.button),
            "to_act": int(state.to_act),
            "stacks": state.stacks[:seats].tolist(),
            "street_committed": state.street_committed[:seats].tolist(),
            "total_committed": state.committed[:seats].tolist(),
            "folded": [not has_seat(state.live, seat) for seat in range(seats)],
            "needs_action": [has_seat(state.owes, seat) for seat in range(seats)],
            "raises": int(state.raises),
            "history": [
                [divmod(entry, 1 << ACTION_BITS) for entry in line[:count].tolist()]
                for line, count in zip(state.history, state.history_counts, strict=True)
            ],
            "done": bool(state.street == DONE),
        }

    def event_payload(self, player: int, amounts: np.ndarray, state: Any) -> float | None:
        """Return the chips won or lost at the end, a float; 0.0 when they are what was put in."""
        return float(amounts[0]) if state.street == DONE else None

    def text(self, state: Any) -> str:
        """Return street, pot and board, then the seats; `>` marks the one to act, `D` the button."""
        return _text(self.state_values(state), int(self.actor(state)))

    def initial(self, state):
        for seat in range(self.num_players):
            state.stacks[seat] = self.starting_stacks[seat]
        state.live = (1 << self.num_players) - 1
        state.able = state.live
        state.draw = DRAW_BUTTON
        state.button = NOBODY

    def actor(self, state):
        if state.draw != NO_DRAW:
            return CHANCE
        return TERMINAL if state.street == DONE else np.int64(state.to_act)

    def chance(self, state, probabilities):
        count = count_outcomes(self, state)
        for outcome in range(count):
            probabilities[outcome] = 1.0 / count
        return count

    def sample_chance(self, state, stream):
        return draw_outcome(self, state, stream)

    def resolve_chance(self, state, outcome, events):
        if state.draw == DRAW_BUTTON:
            state.button = outcome
            state.draw = DRAW_HOLE
        elif state.draw == DRAW_HOLE:
            deal_hole(state, outcome)
            if cards_left(state) == 52 - 2 * self.num_players:
                begin_betting(self, state)
        else:
            deal_board(state, outcome)
            begin_street(self, state, events)

    def legal_actions(self, state, player, out):
        if state.draw != NO_DRAW or state.street == DONE or player != state.to_act:
            return 0
        count = 0
        if to_call(state, player) > 0:
            out[count] = FOLD
            count += 1
        out[count] = CALL
        count += 1
        if can_raise(self, state, player):
            out[count] = RAISE
            count += 1
        return count

    def step(self, state, actions, events):
        seat = np.int64(state.to_act)
        play_action(self, state, seat, actions[seat])
        go_on(self, state, events)

    def information_state(self, state, player, out):
        out[0] = player
        out[1] = state.hole[player, 0]
        out[2] = state.hole[player, 1]
        out[3] = state.street
        out[4] = state.button
        out[5] = state.to_act
        out[6] = state.raises
        out[7] = state.board_count
        for place in range(state.board_count):
            out[8 + place] = state.board[place]
        size = HEADER
        for seat in range(self.num_players):
            write_chips(out, size, np.int64(state.stacks[seat]))
            write_chips(out, size + 4, np.int64(state.street_committed[seat]))
            out[size + 8] = (state.live >> seat & 1) | (state.owes >> seat & 1) << 1
            size += SEAT_BYTES
        for street in range(4):
            count = np.int64(state.history_counts[street])
            out[size] = count
            for place in range(count):
                out[size + 1 + place] = state.history[street, place]
            size += 1 + count
        return size

    def valid(self, state):
        return 1 if is_valid(self, state) else 0


def has_seat(seats, seat):
    """Return whether a set of seats holds a seat."""
    return bool(seats >> seat & 1)


def write_chips(out, place, chips):
    """Write a number of chips as four bytes, the lowest first."""
    for index in range(4):
        out[place + index] = chips >> (8 * index) & 0xFF


def _check_blinds(small_blind: int, big_blind: int) -> None:
    if small_blind == 0:
        raise ValueError("small_blind must be >= 1, got 0")
    if big_blind == 0:
        raise ValueError("big_blind must be >= 1, got 0")
    if small_blind > big_blind:
        raise ValueError(f"small_blind must be <= big_blind, got {small_blind} > {big_blind}")


def _checked_stacks(stack: Any, num_players: int, small_blind: int, big_blind: int) -> tuple[int, ...]:
    if isinstance(stack, list | tuple | np.ndarray):
        stacks = tuple(integer(f"stack[{seat}]", chips, 0) for seat, chips in enumerate(stack))
        if len(stacks) != num_players:
            raise ValueError(f"stack must hold one number for each of {num_players} seats, got {len(stacks)}")
    else:
        stacks = (integer("stack", stack, 0),) * num_players
    for chips in stacks:
        if chips < big_blind:
            raise ValueError(f"stack must be >= big_blind ({big_blind}), got {chips}")
        if chips <= small_blind:
            raise ValueError(f"stack must be > small_blind ({small_blind}), got {chips}")
        if chips > LARGEST_STACK:
            raise ValueError(f"stack must be <= {LARGEST_STACK}, got {chips}")
    return stacks


def _text(values: dict[str, Any], actor: int) -> str:
    pot = sum(values["total_committed"])
    lines = [f"{values['street']}, pot {pot}, board {_cards(values['board'])}"]
    for seat, hole in enumerate(values["hole"]):
        marks = (">" if seat == actor else " ") + (" D" if seat == values["button"] else "  ")
        chips = f"stack {values['stacks'][seat]}, paid {values['total_committed'][seat]}"
        lines.append(f"{marks} seat {seat}: {_cards(hole)}, {chips}{', folded' * values['folded'][seat]}")
    return "\n".join(lines)


def _cards(cards: list[int]) -> str:
    return " ".join(RANKS[card // 4] + SUITS[card % 4] for card in cards) or "-"
