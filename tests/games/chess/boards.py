"""Looking at chess states in tests."""

import numpy as np

import rinforza as rf
from rinforza.contracts.rules import TERMINAL
from rinforza.games.chess.fen import write_fen
from rinforza.testing.lanes import GameLane


def fen_of(lane: GameLane, state: np.ndarray) -> str:
    """Return a state's FEN."""
    return write_fen(lane.record(state))


def start_from(
    fen: str, plain: bool = False, encoder: rf.Encoder | None = None
) -> tuple[GameLane, np.ndarray]:
    """Return a lane of the game that starts in a position, and the first state."""
    lane = GameLane(rf.games.Chess(encoder=encoder, fen=fen), plain)
    return lane, lane.initial()


def played(lane: GameLane, state: np.ndarray, *moves: str) -> tuple[np.ndarray, list[str | None]]:
    """Play moves in UCI notation; return the state after them and the players' payloads of the last one."""
    events = np.zeros((2, 3))
    for uci in moves:
        assert lane.actor(state) != TERMINAL, f"the game was over before {uci}"
        action = rf.chess_uci_action(uci, fen_of(lane, state))
        state, events = lane.step(state, np.array([action, action]))
    return state, [lane.game.event_payload(player, events[player], lane.record(state)) for player in range(2)]
