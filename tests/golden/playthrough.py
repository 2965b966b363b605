"""Writing down a game: what every method answers in every state."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import rinforza as rf
from rinforza.contracts.rules import CHANCE, SIMULTANEOUS, TERMINAL
from rinforza.testing.lanes import GameLane
from rinforza.testing.walk import PLAYED, Node, random_game

FOLDER = Path(__file__).parent
MOST_TICKS = 30
GAMES = {
    "tictactoe": rf.games.TicTacToe(),
    "connect4": rf.games.Connect4(),
    "gridworld": rf.games.GridWorld(size=4, goal_row=1, goal_col=2),
    "kuhn_poker": rf.games.KuhnPoker(players=3),
    "leduc_poker": rf.games.LeducPoker(),
    "liars_dice": rf.games.LiarsDice(),
    "snake": rf.games.Snake(num_snakes=3, grid_size=6, initial_length=2, food=2),
    "texas_holdem": rf.games.TexasHoldem(num_players=2, stack=(50, 80)),
}
SEEDS = {"texas_holdem": 11, "snake": 6}  # of games that are not shown from seed 1
ELSEWHERE = FOLDER / "playthroughs"  # texts without planes, which the games' own tests compare
TURNS = {CHANCE: "chance", SIMULTANEOUS: "all at once", TERMINAL: "nobody, the game is over"}


class Draws:
    """Random choices that are the same with every release of Python and NumPy.

    Args:
        seed: Chooses the sequence.
    """

    def __init__(self, seed: int):
        self._random = random.Random(seed)

    def integers(self, bound: int) -> int:
        """Return a number from 0 to `bound - 1`."""
        return int(self._random.random() * bound)

    def choice(self, options: Any, p: np.ndarray | None = None) -> Any:
        """Return one of the options (or numbers below an int), by probability where it is given."""
        listed = range(options) if isinstance(options, int) else options
        if p is None:
            return listed[self.integers(len(listed))]
        return listed[min(int(np.searchsorted(np.cumsum(p), self._random.random())), len(listed) - 1)]


def playthrough(game: rf.Game, plain: bool, seed: int = 1) -> str:
    """Return one random game as text.

    Args:
        game: The game.
        plain: Whether it runs as plain Python.
        seed: Chooses the game.
    """
    lane = GameLane(game, plain)
    lines = [*head(game)]
    before = None
    for node in random_game(lane, Draws(seed), MOST_TICKS):
        lines += ["", f"---- tick {node.ticks}{arrival(node, before)}", *described(lane, node)]
        before = node
    return "\n".join(lines) + "\n"


def head(game: rf.Game) -> Iterator[str]:
    """Describe the game and its encoder."""
    yield repr(game)
    yield f"players: {game.num_players}, actions: {game.num_actions}, horizon: {game.truncation_horizon()}"
    yield f"{game.dynamics}, chance nodes: {game.chance_nodes}, information: {game.information}"
    yield f"events: {', '.join(f'{name} {weight:g}' for name, weight in game.events.items())}"
    yield f"observation: {game.observation_space()}"
    yield f"planes: {', '.join(game.encoder.planes(game))}"


def described(lane: GameLane, node: Node) -> Iterator[str]:
    """Describe a state, and what happened on the way to it."""
    game = lane.game
    record = lane.record(node.state)
    for player, amounts in enumerate(node.events):
        payload = game.event_payload(player, amounts, record)
        if amounts.any():
            yield f"events of {player}: {payload!r}"
    yield from game.text(record).splitlines()
    yield f"values: {game.state_values(record)}"
    yield f"turn: {TURNS.get(node.turn, f'player {node.turn}')}"
    if node.turn == CHANCE:
        yield f"odds: {runs(lane.chance(node.state).tolist())}"
        return
    yield f"valid: {lane.valid(node.state)}"
    for player, legal in enumerate(node.legal):
        yield f"legal for {player}: {' '.join(map(str, legal)) or 'nothing'}"
        for plane, name in zip(lane.observe(node.state, player), game.encoder.planes(game), strict=True):
            yield f"  {player} sees {name}: {cells(plane)}"


def arrival(node: Node, before: Node | None) -> str:
    """Say what led to a state."""
    if before is None:
        return ""
    if node.way != PLAYED:
        return f": outcome {node.choice[0]}"
    return ": " + ", ".join(f"player {player} plays {node.choice[player]}" for player in before.acting())


def cells(plane: np.ndarray) -> str:
    """List the cells of a plane that are not zero, as row,column or row,column=value, or all=value."""
    if plane.size > 1 and plane.min() == plane.max() != 0:
        return f"all={plane.max():g}"
    found = []
    for row, column in np.argwhere(plane):
        value = plane[row, column]
        found.append(f"{row},{column}" + ("" if value == 1 else f"={value:g}"))
    return " ".join(found) or "-"


def runs(values: list[float]) -> str:
    """List numbers, equal neighbours once."""
    groups: list[list] = []
    for value in values:
        if groups and groups[-1][0] == value:
            groups[-1][1] += 1
        else:
            groups.append([value, 1])
    return ", ".join(f"{value:.6g}" + (f" x {count}" if count > 1 else "") for value, count in groups)


def path_of(name: str) -> Path:
    """Return where a game's text is kept."""
    return FOLDER / f"{name}.txt"


def rewrite() -> None:
    """Write all texts anew."""
    for name, game in GAMES.items():
        path_of(name).write_text(playthrough(game, plain=False, seed=SEEDS.get(name, 1)))
