"""Liar's dice: two players bid on all dice, each seeing its own (Neller and Lanctot 2013).

Each player rolls its dice in secret. Player 0 begins; in turn, a player raises the bid, or calls "liar".
A bid (quantity, face) claims that at least so many of all dice show that face; the highest face is wild and
counts as every other. Bids go up by quantity, then face:

    action = (quantity - 1) * sides + (face - 1); the last action is "liar"

"Liar" ends the game: the bidder wins if the bid is true, else the caller does.

Rolls are a chain of chance nodes at the root, one for each die, player 0's first. The dice of a player are
kept in ascending order: in which order they fell is no information.
"""

from typing import Any

import numpy as np

from ..contracts.arguments import integer
from ..contracts.encoder import Encoder
from ..contracts.game import Game, sole_event
from ..contracts.rules import CHANCE, TERMINAL

PLAYERS = 2
MOST_DICE = 10
FEWEST_SIDES, MOST_SIDES = 2, 20
WIN, LOSS = 0, 1  # columns of `events`
BITS = 8  # bids in a byte of an information state


class LiarsDice(Game):
    """Liar's dice, two players, 2 * dice * sides bids and "liar", no horizon.

    Args:
        dice: Dice of each player, 1 to 10.
        sides: Faces of a die, 2 to 20.
        encoder: The encoder, or None for `rf.encoders.LiarsDice()`.

    Raises:
        ValueError: If a number is outside its range.

    Example:
        >>> import rinforza as rf
        >>> rf.games.LiarsDice().action_space().n
        13
    """

    name = "liars_dice"
    num_players = PLAYERS
    dynamics = "sequential"
    chance_nodes = "root"
    information = "imperfect"
    events = {"win": 1.0, "loss": -1.0}

    def __init__(self, dice: int = 1, sides: int = 6, encoder: Encoder | None = None):
        dice = _at_least("dice", dice, 1, MOST_DICE)
        sides = _at_least("sides", sides, FEWEST_SIDES, MOST_SIDES)
        n_bids = PLAYERS * dice * sides
        layout = [
            ("bids", np.uint8, (n_bids,)),  # 1 for each bid that was made
            ("dice", np.int8, (PLAYERS, dice)),  # faces from 1 in ascending order; 0 before the roll
            ("rolled", np.int16),  # dice that were rolled, of both players
            ("ply", np.int16),  # bids that were made
            ("highest", np.int16),  # the last bid plus 1, 0 for none
            ("done", np.int16),  # 1 once "liar" was called
        ]
        tables = {
            "n_bids": n_bids,
            "num_actions": n_bids + 1,
            "most_outcomes": sides,
            "information_size": 1 + dice + n_bids // BITS + 1,
            "state_dtype": np.dtype(layout, align=True),
        }
        super().__init__(encoder=encoder, dice=dice, sides=sides, tables=tables)

    dice: int
    sides: int
    n_bids: int

    def state_values(self, state: Any) -> dict[str, Any]:
        """Return `dice` (two lists of faces), `bids` (quantity, face), `turn`, `done`.

        After the end, `turn` is that of the player who called.
        """
        made = np.flatnonzero(state.bids).tolist()
        return {
            "dice": [[face for face in hand if face] for hand in state.dice.tolist()],
            "bids": [(bid // self.sides + 1, bid % self.sides + 1) for bid in made],
            "turn": int(state.ply) % PLAYERS,
            "done": bool(state.done),
        }

    def event_payload(self, player: int, amounts: np.ndarray, state: Any) -> str | None:
        """Return "win" or "loss" on the last tick."""
        return sole_event(self, amounts)

    def text(self, state: Any) -> str:
        """Return the dice of both players, then the bids as quantity x face."""
        values = self.state_values(state)
        hands = " | ".join(" ".join(map(str, hand)) or "-" for hand in values["dice"])
        calls = [f"{quantity}x{face}" for quantity, face in values["bids"]] + ["liar"] * values["done"]
        return f"dice {hands}, bids {' '.join(calls) or '-'}"

    def initial(self, state):
        state.rolled = 0

    def actor(self, state):
        if state.rolled < PLAYERS * self.dice:
            return CHANCE
        return TERMINAL if state.done != 0 else np.int64(state.ply) & 1

    def chance(self, state, probabilities):
        for outcome in range(self.sides):
            probabilities[outcome] = 1.0 / self.sides
        return self.sides

    def resolve_chance(self, state, outcome, events):
        player = state.rolled // self.dice
        place = state.rolled % self.dice
        while place > 0 and state.dice[player, place - 1] > outcome + 1:
            state.dice[player, place] = state.dice[player, place - 1]
            place -= 1
        state.dice[player, place] = outcome + 1
        state.rolled += 1

    def legal_actions(self, state, player, out):
        waits = state.rolled < PLAYERS * self.dice or state.done != 0
        if waits or player != np.int64(state.ply) & 1:
            return 0
        count = 0
        for bid in range(state.highest, self.n_bids):
            out[count] = bid
            count += 1
        if state.highest > 0:
            out[count] = self.n_bids
            count += 1
        return count

    def step(self, state, actions, events):
        mover = np.int64(state.ply) & 1
        action = actions[mover]
        if action < self.n_bids:
            state.bids[action] = 1
            state.highest = action + 1
            state.ply += 1
            return
        state.done = 1
        bid = state.highest - 1
        is_true = count_face(self, state, bid % self.sides + 1) > bid // self.sides
        winner = 1 - mover if is_true else mover
        events[winner, WIN] = 1.0
        events[1 - winner, LOSS] = 1.0

    def information_state(self, state, player, out):
        """Write the player, its dice, then a bit for each bid that was made and one for "liar"."""
        out[0] = player
        for place in range(self.dice):
            out[1 + place] = state.dice[player, place]
        start = 1 + self.dice
        for bid in range(self.n_bids):
            out[start + bid // BITS] |= state.bids[bid] << (bid % BITS)
        out[start + self.n_bids // BITS] |= state.done << (self.n_bids % BITS)
        return start + self.n_bids // BITS + 1

    def valid(self, state):
        if state.rolled != PLAYERS * self.dice or has_ordered_dice(self, state) == 0:
            return 0
        made, highest = 0, 0
        for bid in range(self.n_bids):
            if state.bids[bid] > 1:
                return 0
            if state.bids[bid] == 1:
                made += 1
                highest = bid + 1
        if made != state.ply or highest != state.highest or state.done < 0 or state.done > 1:
            return 0
        return 0 if state.done == 1 and made == 0 else 1


def count_face(game, state, face):
    """Return how many of all dice show a face or the wild one."""
    count = 0
    for player in range(PLAYERS):
        for place in range(game.dice):
            shown = state.dice[player, place]
            count += 1 if shown == face or shown == game.sides else 0
    return count


def has_ordered_dice(game, state):
    """Return 1 if the dice of each player are faces in ascending order, else 0."""
    for player in range(PLAYERS):
        least = 1
        for place in range(game.dice):
            face = state.dice[player, place]
            if face < least or face > game.sides:
                return 0
            least = np.int64(face)
    return 1


def _at_least(name: str, value: Any, low: int, high: int) -> int:
    number = integer(name, value, 0, high)
    if number < low:
        raise ValueError(f"{name} must be >= {low}, got {number}")
    return number
