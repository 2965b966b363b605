"""Chess as the library plays it: the rules joined to one game.

Standard chess (FIDE Laws of Chess, articles 3 and 9). All draws come without a claim: the third occurrence of
a position, 50 moves by each side without a capture or a pawn move, and too little material to mate. Positions
are compared since the last capture or pawn move. Player 0 is White.

`board` has the map of squares and the layout of a state, `actions` the numbers of the moves.
"""

from typing import Any

import numpy as np

from ...contracts.encoder import Encoder
from ...contracts.game import Game, sole_event
from ...contracts.rules import TERMINAL
from .actions import ACTIONS
from .board import KINDS, MOST_CLOCK, state_layout
from .ending import CHECKMATE, ONGOING, outcome
from .fen import START, drawing, read_fen, write_fen
from .moves import list_moves
from .play import play, remember_position
from .tables import lookup, tables
from .validity import is_valid

WIN, LOSS, DRAW = 0, 1, 2  # columns of `events`


class Chess(Game):
    """Chess, two players, 4672 actions.

    Args:
        max_ticks: The half-moves after which an engine truncates, >= 1, or None.
        encoder: The encoder, or None for `rf.encoders.MinimalChess()`.
        fen: Where games start, in Forsyth-Edwards notation.

    Raises:
        TypeError: If `fen` is no string, or `encoder` no encoder.
        ValueError: For max_ticks of 0, an encoder of another game, an invalid FEN, or one in which the game
            is over.
        OverflowError: If `max_ticks` is negative.

    Example:
        >>> import rinforza as rf
        >>> rf.games.Chess().observation_space().shape
        (19, 8, 8)
    """

    name = "chess"
    num_players = 2
    num_actions = ACTIONS
    dynamics = "sequential"
    chance_nodes = "none"
    information = "perfect"
    events = {"win": 1.0, "loss": -1.0, "draw": 0.0}
    resignation = ("loss", "win")

    def __init__(self, max_ticks: int | None = 512, encoder: Encoder | None = None, *, fen: str = START):
        start = read_fen(fen)
        _check_start(start, fen)
        chosen = self.default_encoder() if encoder is None else encoder
        history_length = int(getattr(chosen, "history_length", 0))  # positions the encoder looks back to
        fields = {
            "history_length": history_length,
            "start_kinds": np.array(start.kinds),
            "start_sides": np.array(start.sides),
            "start_key": start.key,
            "start_turn": start.turn,
            "start_castling": start.castling,
            "start_en_passant": start.en_passant,
            "start_clock": start.clock,
            "start_move": start.move,
            **tables(),
        }
        super().__init__(encoder=chosen, max_ticks=max_ticks, tables=fields, fen=write_fen(start))
        self.__dict__["state_dtype"] = state_layout(history_length)

    fen: str
    history_length: int
    start_kinds: np.ndarray
    start_sides: np.ndarray
    start_key: np.uint64
    start_turn: np.int32
    start_castling: np.int32
    start_en_passant: np.int32
    start_clock: np.int32
    start_move: np.int32

    def state_values(self, state: Any) -> dict[str, Any]:
        """Return `fen`, `turn` (0 when White is to move) and `done`."""
        return {"fen": write_fen(state), "turn": int(state.turn), "done": bool(state.done)}

    def text(self, state: Any) -> str:
        """Return the board, eight lines from rank 8 down, of the letters of a FEN and dots."""
        return "\n".join("".join(row) for row in reversed(drawing(state, ".")))

    def event_payload(self, player: int, amounts: np.ndarray, state: Any) -> str | None:
        """Return "win", "loss" or "draw" on the last tick."""
        return sole_event(self, amounts)

    def initial(self, state):
        for kind in range(KINDS):
            state.kinds[kind] = self.start_kinds[kind]
        for side in range(2):
            state.sides[side] = self.start_sides[side]
        state.key = self.start_key
        state.turn = self.start_turn
        state.castling = self.start_castling
        state.en_passant = self.start_en_passant
        state.clock = self.start_clock
        state.move = self.start_move
        state.seen = 1
        if self.history_length > 0:
            remember_position(state)

    def actor(self, state):
        return TERMINAL if state.done != 0 else np.int64(state.turn)

    def legal_actions(self, state, player, out):
        if state.done != 0 or player != state.turn:
            return 0
        return list_moves(self, state, out)

    def step(self, state, actions, events):
        mover = np.int64(state.turn)
        play(self, state, actions[mover])
        ended = outcome(self, state)
        if ended == ONGOING:
            return
        state.done = 1
        if ended == CHECKMATE:
            events[mover, WIN] = 1.0
            events[1 - mover, LOSS] = 1.0
        else:
            events[0, DRAW] = 1.0
            events[1, DRAW] = 1.0

    def valid(self, state):
        return 1 if is_valid(self, state) else 0


def _check_start(state: Any, fen: str) -> None:
    with np.errstate(over="ignore"):
        over = state.clock >= MOST_CLOCK or outcome(lookup(), state) != ONGOING
    if over:
        raise ValueError(f"invalid FEN: the game is over in {fen!r}; start where it goes on")
