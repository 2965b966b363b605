"""A game as flat arrays: its histories, and the sequences of each player."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..compiled import INT, Prototype, compile_function, plain_python, record_at
from ..contracts.composition import Rules, scratch_shapes
from ..contracts.game import Game
from ..contracts.rules import INITIAL, RULES, SCRATCH, encode
from .arrays import Arrays
from .enumeration import (
    AMBIGUOUS,
    BLOCK_HEAD,
    DONE,
    ENUMERATE,
    ENUMERATION,
    LEAVES_FULL,
    NOBODY,
    NODE,
    NODES_FULL,
    NOT_SEQUENTIAL,
    SETS_FULL,
    SIGHTING,
    SIGHTINGS_FULL,
    STACK_FULL,
    STUCK,
    TOO_LARGE,
    TOO_WIDE,
    enumerate_at,
)
from .information_sets import InformationSets

MOST_NODES = 4_000_000
MOST_PENDING_BYTES = 1 << 26
FIRST_ROOM = 1024
START = Prototype("start", None, INT, INT)
LOOK = Prototype("look", None, INT, INT, INT, INT)


class TooLargeError(ValueError):
    """A game has more histories than may be written down."""


def start_at(table, state):
    """Write the first state of a game."""
    rules = record_at(table, RULES)
    INITIAL(rules.initial, rules.game, state)


def look_at(table, state, player, out):
    """Write what the network sees of a state."""
    encode(record_at(table, RULES), state, player, out)


class TreeKernels:
    """The compiled entry points of this module."""

    def __init__(self):
        self.enumerate = _entry(enumerate_at, ENUMERATE)
        self.start = _entry(start_at, START)
        self.look = _entry(look_at, LOOK)


def _entry(function: Callable, prototype: Prototype) -> Callable:
    return compile_function(function, prototype, {}, f"solvers.{prototype.name}").entry


@cache
def tree_kernels(lane: bool) -> TreeKernels:
    """Return the entry points of a lane (`plain_python()`); made once each."""
    return TreeKernels()


class Composition:
    """A game that a solver accepts, ready for compiled code.

    Args:
        game: A sequential game with information states.

    Raises:
        TypeError: If `game` is no Game.
        ValueError: If it is not sequential or has no information states.

    Attributes:
        rules: The game with its default rewards.
        scratch: The SCRATCH record.
        kernels: The entry points.
    """

    def __init__(self, game: Game):
        if not isinstance(game, Game):
            raise TypeError(f"game must be a Game, got {type(game).__name__}")
        if getattr(game, "dynamics", None) == "simultaneous":
            raise ValueError(
                f"solvers need a sequential game, and {game.name!r} is simultaneous; let the players move one "
                "after the other, without seeing the others' moves in their information states"
            )
        if game.information_size == 0:
            raise ValueError(
                f"solvers need information states, and {game.name!r} defines no information_state; "
                "define it and information_size"
            )
        self.game = game
        self.kernels = tree_kernels(plain_python())
        self.rules = Rules(game, None)
        self.scratch = Arrays(SCRATCH)
        for field, (shape, dtype) in scratch_shapes(game).items():
            self.scratch.zeros(field, shape, dtype)

    def information_sets(self) -> InformationSets:
        """Return an empty table of the game's information states."""
        return InformationSets(self.game)

    def head_columns(self, actions: np.ndarray, players: np.ndarray) -> np.ndarray:
        """Return the network columns of some actions of some players."""
        encoder = self.game.encoder
        if encoder.same_frame:
            return actions
        pairs = zip(actions.tolist(), players.tolist(), strict=True)
        return np.array([int(encoder.head_index(action, player)) for action, player in pairs], np.int64)

    def first_state(self) -> np.ndarray:
        """Return the first state, uint8[state_size]."""
        state = np.zeros(self.rules.state_size, np.uint8)
        self.kernels.start(self.rules.address, state.ctypes.data)
        return state


class GameTree:
    """Every history of a game.

    With P players, H nodes, L leaves, I sightings and S sequences (see `enumeration`):

    Args:
        composition: The game.
        most_nodes: How many nodes there may be, leaves and the draws of a chance chain included.

    Raises:
        TooLargeError: If there are more, or a chance fan is too wide to list.
        ValueError: If the game breaks its contract.

    Attributes:
        sets: The information states.
        nodes: NODE[H], the root first.
        cumulative: float64[H], see `enumeration`.
        leaf_utilities: float64[L, P], what each player gets at each end.
        leaf_sequences: int32[M, P], the sequence of each player at each end; ends with the same ones are
            one, M <= L.
        payoffs: float64[P, M], what each player gets there times the probability of chance.
        sightings: SIGHTING[I], player by player, parents first.
        sighting_starts: int64[P + 1], where each player's begin.
        sequence_starts: int64[P + 1], where each player's sequences begin; the first one is the empty one.
        n_sequences: S.
        has_perfect_recall: Whether sightings and information states are the same.
        rows: int32[rows], the information states, player by player.
        row_starts: int64[P + 1], where each player's begin in `rows`.
    """

    def __init__(self, composition: Composition, most_nodes: int = MOST_NODES):
        self.composition = composition
        self.sets = composition.information_sets()
        work = _Enumeration(composition, self.sets, most_nodes)
        work.run()
        n_nodes, n_leaves = work.arrays.number("n_nodes"), work.arrays.number("n_leaves")
        self.nodes = work.arrays["nodes"][:n_nodes].copy()
        self.cumulative = work.arrays["cumulative"][:n_nodes].copy()
        self.leaf_utilities = work.arrays["leaf_utilities"][:n_leaves].copy()
        self.row_states = work.arrays["row_states"][: self.sets.rows].copy()
        renumbered = self._arrange_sightings(work)
        self._arrange_leaves(work, renumbered, n_leaves)
        players = self.sets.entries["player"]
        self.rows = np.argsort(players, kind="stable").astype(np.int32)
        self.row_starts = _starts(players, composition.game.num_players)
        self.has_perfect_recall = len(self.sightings) == self.sets.rows

    def _arrange_sightings(self, work: "_Enumeration") -> np.ndarray:
        """Sort the sightings by player, and their sequences with them; return the new number of each one."""
        n_players = self.composition.game.num_players
        found = work.arrays["sightings"][: work.arrays.number("n_sightings")]
        players = self.sets.entries["player"][found["row"]]
        order = np.argsort(players, kind="stable")
        self.sightings = found[order]
        self.sighting_starts = _starts(players, n_players)
        counts = self.sightings["count"].astype(np.int64)
        before = np.cumsum(counts) - counts
        first = before + players[order] + 1  # one empty sequence in front of each player's
        self.sequence_starts = np.append(before, counts.sum())[self.sighting_starts] + np.arange(
            n_players + 1
        )
        renumbered = np.zeros(work.arrays.number("n_sequences"), np.int64)
        renumbered[:n_players] = self.sequence_starts[:-1]
        actions = np.arange(counts.sum()) - np.repeat(before, counts)
        renumbered[np.repeat(self.sightings["first_sequence"], counts) + actions] = (
            np.repeat(first, counts) + actions
        )
        self.sightings["first_sequence"] = first
        self.sightings["parent_sequence"] = renumbered[self.sightings["parent_sequence"]]
        self.n_sequences = len(renumbered)
        return renumbered

    def _arrange_leaves(self, work: "_Enumeration", renumbered: np.ndarray, n_leaves: int) -> None:
        """Weigh the leaves by chance, and add up those that have the same sequences."""
        sequences = renumbered[work.arrays["leaf_sequences"][:n_leaves]]
        payoffs = self.leaf_utilities * work.arrays["leaf_chance"][:n_leaves, None]
        order = np.lexsort(sequences.T[::-1])
        sorted_sequences = sequences[order]
        is_first = np.ones(n_leaves, bool)
        is_first[1:] = (sorted_sequences[1:] != sorted_sequences[:-1]).any(axis=1)
        begins = np.flatnonzero(is_first)
        self.leaf_sequences = np.ascontiguousarray(sorted_sequences[begins], np.int32)
        self.payoffs = np.ascontiguousarray(np.add.reduceat(payoffs[order], begins, axis=0).T)

    def observation(self, row: int) -> np.ndarray:
        """Return what the network sees in the first history of an information state, float32[C, H, W]."""
        composition = self.composition
        out = np.zeros(composition.game.encoder.shape(composition.game), np.float32)
        state = self.row_states[row].ctypes.data
        player = self.sets.player(row)
        composition.kernels.look(composition.rules.address, state, player, out.ctypes.data)
        return out


def _starts(players: np.ndarray, n_players: int) -> np.ndarray:
    """Return where each player's items begin once they are sorted by player, and where the last ones end."""
    return np.concatenate([[0], np.cumsum(np.bincount(players, minlength=n_players))]).astype(np.int64)


class _Enumeration:
    """The work in progress: it lengthens whatever array is full.

    Args:
        composition: The game.
        sets: Where its information states go.
        most_nodes: How many nodes there may be.
    """

    def __init__(self, composition: Composition, sets: InformationSets, most_nodes: int):
        self._composition, self._sets, self._most_nodes = composition, sets, most_nodes
        self._players = composition.game.num_players
        rules = composition.rules
        self.arrays = Arrays(ENUMERATION)
        record = self.arrays.record
        block_size = BLOCK_HEAD.itemsize + 16 * self._players + rules.state_size
        record["rules"], record["scratch"] = rules.address, composition.scratch.address
        record["sets"], record["block_size"] = sets.arrays.address, block_size
        record["most_nodes"], record["n_nodes"] = most_nodes, 1
        record["most_pending"] = MOST_PENDING_BYTES // block_size
        record["n_sequences"], record["fan_node"] = self._players, NOBODY
        self.arrays.zeros("nodes", 0, NODE)
        self.arrays.zeros("cumulative", 0, np.float64)
        self.arrays.zeros("leaf_sequences", (0, self._players), np.int32)
        self.arrays.zeros("leaf_utilities", (0, self._players), np.float64)
        self.arrays.zeros("leaf_chance", 0, np.float64)
        self.arrays.zeros("sightings", 0, SIGHTING)
        self.arrays.zeros("first_sighting", 0, np.int32)
        self.arrays.zeros("row_states", (0, rules.state_size), np.uint8)
        self.arrays.zeros("stack", (0, block_size), np.uint8)
        for code in (NODES_FULL, LEAVES_FULL, SIGHTINGS_FULL, STACK_FULL):
            self._lengthen(code)
        self._match_sets()
        self._push_root()

    def _push_root(self) -> None:
        block = self.arrays["stack"][0]
        head = block[: BLOCK_HEAD.itemsize].view(BLOCK_HEAD)
        head["node"], head["chance"] = 0, 1.0
        sequences = BLOCK_HEAD.itemsize + 8 * self._players
        state = sequences + 8 * self._players
        block[sequences:state].view(np.int64)[:] = np.arange(self._players)
        block[state:] = self._composition.first_state()
        self.arrays.record["stack_size"] = 1

    def run(self) -> None:
        """Enumerate all histories."""
        enumerate_on = self._composition.kernels.enumerate
        code = enumerate_on(self.arrays.address)
        while code != DONE:
            if code >= TOO_LARGE:
                self._refuse(code)
            self._lengthen(code)
            code = enumerate_on(self.arrays.address)

    def _lengthen(self, code: int) -> None:
        """Make room in the array that is full."""
        record = self.arrays.record
        if code == SETS_FULL:
            self._sets.grow()
            self._match_sets()
            return
        room, fields = {
            NODES_FULL: ("node_room", ("nodes", "cumulative")),
            LEAVES_FULL: ("leaf_room", ("leaf_sequences", "leaf_utilities", "leaf_chance")),
            SIGHTINGS_FULL: ("sighting_room", ("sightings",)),
            STACK_FULL: ("stack_room", ("stack",)),
        }[code]
        length = max(FIRST_ROOM, 2 * self.arrays.number(room), self._composition.game.num_actions)
        for field in fields:
            self.arrays.lengthen(field, length)
        record[room] = length

    def _match_sets(self) -> None:
        """Make the arrays that go along with the information states as long as their table."""
        self.arrays.lengthen("first_sighting", self._sets.room)
        self.arrays.lengthen("row_states", self._sets.room)
        self.arrays.record["set_room"] = self._sets.room

    def _refuse(self, code: int) -> None:
        game = self._composition.game
        reasons: dict[int, str] = {
            AMBIGUOUS: "its information_state gives the same bytes for different players or legal actions",
            STUCK: "a player is to move and has no legal action",
            NOT_SEQUENTIAL: "its actor is neither a player nor CHANCE nor TERMINAL",
        }
        if code in reasons:
            raise ValueError(
                f"{game!r} breaks the Game contract: {reasons[code]}; rf.testing.check_game says more"
            )
        if code == TOO_WIDE:
            raise TooLargeError(
                f"{game!r} has a chance node that cannot be listed, so it cannot be enumerated"
            )
        raise TooLargeError(
            f"{game!r} has more than {self._most_nodes:,} histories (or too many chance outcomes at once), so it "
            "cannot be enumerated; the sampled variants of Cfr can be run on it"
        )


class InformationState(NamedTuple):
    """What a policy is asked about.

    Attributes:
        key: The bytes of the information state, as `Env.information_state_key` gives them.
        player: Who is to move.
        actions: The legal actions, ascending.
        observation: What the network sees there, float32[C, H, W].
    """

    key: bytes
    player: int
    actions: tuple[int, ...]
    observation: Any
