"""Leduc poker: six cards, two rounds of betting (Southey et al. 2005, "Bayes' bluff").

Cards 0 to 5 are three ranks (card // 2) in two suits. Each of two players puts in an ante of 1 and gets a
card. Player 0 opens each round. Actions: 0 fold, facing a bet only; 1 call, or check; 2 raise, by 2 chips in
the first round and 4 in the second, at most twice in a round. A round ends with a call after at least one
other action; after the first a card is laid open.

A pair with the open card wins, then the higher rank; equal ranks split the pot. The winner gains what the
other put in.

Deals are chance nodes: two at the root and one between the rounds; outcome k is the k-th lowest card left.
"""

from typing import Any

import numpy as np

from ..contracts.encoder import Encoder
from ..contracts.game import Game
from ..contracts.rules import CHANCE, TERMINAL
from .dealing import card_left

CARDS = 6
SUITS = 2
PLAYERS = 2
ROUNDS = 2
LONGEST_ROUND = 4  # check, raise, raise, call
MOST_RAISES = 2
FOLD, CALL, RAISE = 0, 1, 2
UNKNOWN = 255  # in an information state: no such card yet
IMPOSSIBLE, OPEN, CLOSED, FOLDED = range(4)  # how a round of betting stands


class LeducPoker(Game):
    """Leduc poker, two players, 3 actions, no horizon.

    The event `scale` is the number of chips won, or lost where it is negative.

    Args:
        encoder: The encoder, or None for `rf.encoders.LeducPoker()`.

    Example:
        >>> import rinforza as rf
        >>> rf.games.LeducPoker().observation_space().shape
        (21, 1, 1)
    """

    name = "leduc_poker"
    num_players = PLAYERS
    num_actions = 3
    dynamics = "sequential"
    chance_nodes = "anywhere"
    information = "imperfect"
    information_size = 3 + ROUNDS * (1 + LONGEST_ROUND)
    events = {"scale": 1.0}
    most_outcomes = CARDS
    state_dtype = np.dtype(
        [
            ("cards", np.int8, (3,)),  # player 0's, player 1's, the open one; 0 before it is dealt
            ("dealt", np.int8),  # cards dealt, 0 to 3
            ("paid", np.int8, (PLAYERS,)),  # chips of each player in the pot
            ("history", np.int8, (ROUNDS, LONGEST_ROUND)),  # actions of each round, 0 beyond them
            ("lengths", np.int8, (ROUNDS,)),  # actions in each round
            ("betting_round", np.int8),  # 0 or 1
            ("done", np.int8),  # 1 once the game has ended
        ],
        align=True,
    )

    def __init__(self, encoder: Encoder | None = None):
        super().__init__(encoder=encoder)

    def state_values(self, state: Any) -> dict[str, Any]:
        """Return `cards` (both), `public` (None before it lies open), `round`, `history`, `done`."""
        return {
            "cards": state.cards[: min(state.dealt, PLAYERS)].tolist(),
            "public": int(state.cards[PLAYERS]) if state.dealt > PLAYERS else None,
            "round": int(state.betting_round),
            "history": [
                line[:length].tolist() for line, length in zip(state.history, state.lengths, strict=True)
            ],
            "done": bool(state.done),
        }

    def event_payload(self, player: int, amounts: np.ndarray, state: Any) -> float | None:
        """Return the chips won or lost at the end, a float; 0.0 when the pot is split."""
        return float(amounts[0]) if state.done else None

    def text(self, state: Any) -> str:
        """Return both cards, the open card, and the actions of each round as `f`, `c` and `r`."""
        values = self.state_values(state)
        cards = " ".join(map(str, values["cards"])) or "-"
        rounds = " / ".join("".join("fcr"[action] for action in line) or "-" for line in values["history"])
        public = "-" if values["public"] is None else values["public"]
        return f"cards {cards}, open {public}, actions {rounds}, pot {state.paid.sum()}"

    def initial(self, state):
        state.paid[0] = 1
        state.paid[1] = 1

    def actor(self, state):
        if state.dealt < PLAYERS:
            return CHANCE
        if state.done != 0:
            return TERMINAL
        if state.dealt == PLAYERS and state.betting_round == 1:
            return CHANCE
        return np.int64(state.lengths[state.betting_round]) & 1

    def chance(self, state, probabilities):
        count = CARDS - np.int64(state.dealt)
        for outcome in range(count):
            probabilities[outcome] = 1.0 / count
        return count

    def resolve_chance(self, state, outcome, events):
        state.cards[state.dealt] = card_left(state.cards, state.dealt, outcome)
        state.dealt += 1

    def legal_actions(self, state, player, out):
        waits = state.dealt < PLAYERS or (state.dealt == PLAYERS and state.betting_round == 1)
        if waits or state.done != 0 or player != np.int64(state.lengths[state.betting_round]) & 1:
            return 0
        count = 0
        if state.paid[player] < state.paid[1 - player]:
            out[count] = FOLD
            count += 1
        out[count] = CALL
        count += 1
        if raises_of(state, state.betting_round) < MOST_RAISES:
            out[count] = RAISE
            count += 1
        return count

    def step(self, state, actions, events):
        place = np.int64(state.betting_round)
        mover = np.int64(state.lengths[place]) & 1
        other = 1 - mover
        action = actions[mover]
        state.history[place, state.lengths[place]] = action
        state.lengths[place] += 1
        if action == FOLD:
            state.done = 1
            pay(events, other, np.float64(state.paid[mover]))
            return
        state.paid[mover] = state.paid[other]
        if action == RAISE:
            state.paid[mover] += 2 * (place + 1)
        elif state.lengths[place] > 1:
            if place == 0:
                state.betting_round = 1
            else:
                state.done = 1
                show_down(state, events)

    def information_state(self, state, player, out):
        """Write the player, its card, the open card, then each round's length and actions."""
        out[0] = player
        out[1] = state.cards[player] if player < state.dealt else UNKNOWN
        out[2] = state.cards[PLAYERS] if state.dealt > PLAYERS else UNKNOWN
        size = 3
        for place in range(ROUNDS):
            length = np.int64(state.lengths[place])
            out[size] = length
            for index in range(length):
                out[size + 1 + index] = state.history[place, index]
            size += 1 + length
        return size

    def valid(self, state):
        if state.dealt < PLAYERS or state.dealt > PLAYERS + 1:
            return 0
        for place in range(PLAYERS + 1):
            card = state.cards[place]
            if card < 0 or card >= CARDS or (place >= state.dealt and card != 0):
                return 0
            for other in range(place):
                if place < state.dealt and state.cards[other] == card:
                    return 0
        return replays(state)


def raises_of(state, place):
    """Return how many raises there were in a round."""
    raises = 0
    for index in range(state.lengths[place]):
        raises += 1 if state.history[place, index] == RAISE else 0
    return raises


def pay(events, winner, amount):
    """Move chips from the loser to the winner."""
    events[winner, 0] = amount
    events[1 - winner, 0] = -amount


def show_down(state, events):
    """Compare both hands; on equal ranks nobody gains."""
    public = state.cards[PLAYERS] // SUITS
    first, second = state.cards[0] // SUITS, state.cards[1] // SUITS
    if first == second:
        return
    wins = first == public or (second != public and first > second)
    winner = 0 if wins else 1
    pay(events, winner, np.float64(state.paid[1 - winner]))


def replays(state):
    """Return 1 if the betting so far can have happened, and led to this pot, round and end; else 0."""
    ending, first, second = replay_round(state, 0, 1, 1)
    reached = 0
    if ending == CLOSED:
        reached = 1
        ending, first, second = replay_round(state, 1, first, second)
    elif is_empty_round(state, 1) == 0:
        return 0
    done = 1 if ending == FOLDED or (ending == CLOSED and reached == 1) else 0
    if ending == IMPOSSIBLE or state.paid[0] != first or state.paid[1] != second or state.done != done:
        return 0
    return 1 if state.betting_round == reached and state.dealt == PLAYERS + reached else 0


def is_empty_round(state, place):
    """Return 1 if a round has no action, else 0."""
    for index in range(LONGEST_ROUND):
        if state.history[place, index] != 0:
            return 0
    return 1 if state.lengths[place] == 0 else 0


def replay_round(state, place, first, second):
    """Return how a round stands, and what both have paid after it, from what they had before."""
    length = np.int64(state.lengths[place])
    if length < 0 or length > LONGEST_ROUND:
        return IMPOSSIBLE, first, second
    ending = OPEN
    raises = 0
    for index in range(LONGEST_ROUND):
        action = state.history[place, index]
        if index >= length:
            if action != 0:
                return IMPOSSIBLE, first, second
            continue
        raises += 1 if action == RAISE else 0
        folds_early = action == FOLD and first == second
        if ending != OPEN or folds_early or action < FOLD or action > RAISE or raises > MOST_RAISES:
            return IMPOSSIBLE, first, second
        if action == FOLD:
            ending = FOLDED
        else:
            amount = max(first, second) + (2 * (place + 1) if action == RAISE else 0)
            first, second = (amount, second) if index & 1 == 0 else (first, amount)
            ending = CLOSED if action == CALL and index > 0 else OPEN
    return ending, first, second
