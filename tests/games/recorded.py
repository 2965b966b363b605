"""Games recorded by other software and by this library, read from `tests/golden`."""

import json
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rinforza.contracts.rules import CHANCE, TERMINAL
from rinforza.testing.lanes import GameLane

GOLDEN = Path(__file__).parents[1] / "golden"
REWRITE = "REWRITE_PLAYTHROUGHS"  # set it to write the playthroughs anew, and read what changed


def open_spiel_games(name: str) -> Iterator[dict[str, Any]]:
    """Yield the games that OpenSpiel played (see `tests/golden/record_open_spiel.py`)."""
    for line in (GOLDEN / "open_spiel" / f"{name}.jsonl").read_text().splitlines():
        yield json.loads(line)


def legal_digest(actions: list[int]) -> int:
    """Return the CRC-32 of a list of actions, as the recorder makes it."""
    return zlib.crc32(",".join(map(str, actions)).encode())


def joint_of(lane: GameLane, player: int, action: int) -> np.ndarray:
    """Return the joint action in which one player acts."""
    joint = np.zeros(lane.game.num_players, np.int64)
    joint[player] = action
    return joint


def replay(lane: GameLane, game: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Play a recorded game of alternating decisions, comparing the legal actions; return how it ended."""
    state, events = lane.initial(), np.zeros((lane.game.num_players, len(lane.game.events)))
    for ply, (action, digest) in enumerate(zip(game["actions"], game["legal"], strict=True)):
        turn = lane.actor(state)
        legal = lane.legal(state, turn).tolist()
        assert legal_digest(legal) == digest, f"legal actions {legal} at ply {ply} of {game['actions']}"
        state, events = lane.step(state, joint_of(lane, turn, action))
    return state, events


def playthrough(lane: GameLane, seed: int, longest: int) -> str:
    """Return one random game as text: every state with its legal actions, every draw and event."""
    generator = np.random.default_rng(seed)
    state, lines = lane.initial(), [repr(lane.game)]
    for _ in range(longest):
        turn = lane.actor(state)
        if turn == TERMINAL:
            break
        if turn == CHANCE:
            odds = lane.chance(state)
            choice = int(generator.integers(len(odds)))
            lines.append(f"draw {choice} of {len(odds)}, probability {odds[choice]:.6f}")
            state, events = lane.resolve_chance(state, choice)
        else:
            legal = lane.legal(state, turn).tolist()
            choice = int(generator.choice(legal))
            lines += [
                "",
                lane.game.text(lane.record(state)),
                f"player {turn}: {_ranges(legal)}, plays {choice}",
            ]
            state, events = lane.step(state, joint_of(lane, turn, choice))
        for player, amounts in enumerate(events):
            if amounts.any():
                lines.append(
                    f"player {player} gets {lane.game.event_payload(player, amounts, lane.record(state))}"
                )
    return "\n".join([*lines, "", lane.game.text(lane.record(state)), ""])


def compare_playthrough(name: str, text: str) -> None:
    """Compare a playthrough with its file, or write the file where that is asked for."""
    path = GOLDEN / "playthroughs" / f"{name}.txt"
    if os.environ.get(REWRITE):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text(), f"{path.name} differs; if that is meant, run with {REWRITE}=1"


def _ranges(ids: list[int]) -> str:
    """Write ascending numbers with runs joined: 0-3 7 9-10."""
    runs: list[list[int]] = []
    for number in ids:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return " ".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)
