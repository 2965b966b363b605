"""One game in progress: its state, its random stream, and what compiled code works in."""

from functools import lru_cache
from typing import Any

import numpy as np

from ..compiled import MOST_PAIRS, plain_python
from ..compiled.memory import as_records
from ..compiled.random import STREAM, derive_key
from ..contracts.composition import Rules, scratch_shapes
from ..contracts.game import Game
from ..contracts.reward import Reward
from ..contracts.rules import SCRATCH
from .kernels import ENV, Kernels, kernels_of

ENV_PURPOSE = np.uint64(0x656E76)  # keeps an environment's draws apart from an engine's
WORDS = list(ENV.fields or ())
TURN, NOW, TICKS, PAID, REFUSED = map(WORDS.index, ("turn", "now", "ticks", "paid", "refused"))
KEPT_WORDS = (TURN, NOW, TICKS, PAID)  # of a moment
KEPT_COMPOSITIONS = 64


@lru_cache(KEPT_COMPOSITIONS)
def _composed(game: Game, reward: Reward | None, lane: bool, layouts: tuple[np.dtype, np.dtype]) -> Rules:
    """Compose, once for equal arguments; 2 and 2.0 are equal and have other layouts in compiled code."""
    return Rules(game, reward)


class World:
    """A game's live memory and the compiled calls on it.

    Args:
        game: The game.
        reward: The weights of its events, or None for its defaults.

    Attributes:
        rules: The composition; equal ones are shared.
        state: uint8[state_size], the current state.
        live: The same memory as a record, for `event_payload`.
        stream: STREAM[1], the chance draws to come.
        trial_state: Where a state is put that is not yet the current one.
        trial_stream: The stream that goes with it.
        events: float64[n_players, n_events], the sum over the last tick.
        rewards: float64[n_players], of the last tick.
        legal: For each player an int32 view that begins with its legal actions.
        counts: int64 view [n_players], how many they are.
        kernels: The compiled calls; each takes the address first.
        address: Where the ENV record lies.
        words: int64 view of the ENV record; items of it are read faster than fields.
    """

    def __init__(self, game: Game, reward: Reward | None):
        if not isinstance(game, Game):
            raise TypeError(f"game must be a Game, got {type(game).__name__}")
        if reward is not None and not isinstance(reward, Reward):
            raise TypeError(f"reward must be a Reward or None, got {type(reward).__name__}")
        if game.dynamics == "simultaneous" and game.num_players > MOST_PAIRS:
            raise ValueError(f"Env plays {MOST_PAIRS:,} players at once at most, got {game.num_players:,}")
        lane = plain_python()
        layouts = game.record.dtype, game.encoder.record.dtype
        self._prepare(_composed(game, reward, lane, layouts), kernels_of(lane))

    def _prepare(self, rules: Rules, kernels: Kernels) -> None:
        """Allocate everything, and note where it lies in the ENV record."""
        game = rules.game
        self.rules, self.kernels = rules, kernels
        self._env, self._scratch = np.zeros(1, ENV), np.zeros(1, SCRATCH)
        self._kept: list[np.ndarray] = []
        players, n_events = game.num_players, len(game.events)
        self.state = self._put(self._env, "state", rules.state_size, np.uint8)
        self.trial_state = self._put(self._env, "trial_state", rules.state_size, np.uint8)
        self.stream = self._put(self._env, "stream", 1, STREAM)
        self.trial_stream = self._put(self._env, "trial_stream", 1, STREAM)
        self.events = self._put(self._env, "events", (players, n_events), np.float64)
        self.rewards = self._put(self._env, "rewards", players, np.float64)
        self._prepare_actions(game)
        self._seen = self._put(self._env, "seen", game.encoder.shape(game), np.float32)
        self._information = self._put(self._env, "information", game.information_size, np.uint8)
        for field, (shape, dtype) in scratch_shapes(game).items():
            self._put(self._scratch, field, shape, dtype)
        self.live = LiveState(as_records(self.state[: game.state_dtype.itemsize].view(game.state_dtype))[0])
        self._env["rules"], self._env["scratch"] = rules.address, self._scratch.ctypes.data
        self.address = self._env.ctypes.data
        self.words = self._env.view(np.int64).data

    def _prepare_actions(self, game: Game) -> None:
        """Allocate what is legal: one list for all where one player acts."""
        players = game.num_players
        rows = players if game.dynamics == "simultaneous" else 1
        legal = self._put(self._env, "legal", (rows, game.num_actions), np.int32)
        self._put(self._env, "trial_legal", legal.shape, np.int32)
        self._env["legal_step"] = legal.strides[0] if rows > 1 else 0
        self.legal = [legal[min(player, rows - 1)].data for player in range(players)]
        counts = self._put(self._env, "counts", players, np.int64)
        self._put(self._env, "trial_counts", players, np.int64)
        self.counts = counts.data
        self._parts = [self.state, self.stream, self.rewards, legal, counts]

    def _put(self, record: np.ndarray, field: str, shape: Any, dtype: Any) -> np.ndarray:
        array = np.zeros(shape, dtype)
        record[field] = array.ctypes.data
        self._kept.append(array)
        return array

    def twin(self) -> "World":
        """Return a world of its own at the same point, with the same chance to come."""
        other = object.__new__(type(self))
        other._prepare(self.rules, self.kernels)
        other.return_to(self.moment())
        return other

    def moment(self) -> tuple[list[np.ndarray], list[int]]:
        """Return what `return_to` goes back to."""
        return [part.copy() for part in self._parts], [self.words[word] for word in KEPT_WORDS]

    def return_to(self, moment: tuple[list[np.ndarray], list[int]]) -> None:
        """Go to a moment of a world with the same rules."""
        parts, words = moment
        for part, kept in zip(self._parts, parts, strict=True):
            part[:] = kept
        for word, value in zip(KEPT_WORDS, words, strict=True):
            self.words[word] = value

    # ------------------------------------------------------------------------- compiled calls

    def begin(self, seed: int | None) -> int:
        """Start an episode, from a new stream when a seed is given; return what `kernels` describes."""
        if seed is not None:
            seed_stream(self.trial_stream, seed)
        return self.kernels.begin(self.address, int(seed is not None))

    def observation(self, player: int) -> np.ndarray:
        """Return what the network sees for a player, float32[C, H, W]."""
        self.kernels.observe(self.address, player)
        return self._seen.copy()

    def declares_information(self) -> bool:
        """Return whether the game has information states."""
        return len(self._information) > 0

    def information(self, player: int) -> bytes:
        """Return what a player knows, as bytes."""
        return self._information[: self.kernels.inform(self.address, player)].tobytes()

    def inspect_trial(self) -> int:
        """Return whose turn it is in the trial state, or INVALID; ask before `adopt_trial`."""
        return self.kernels.inspect(self.address)

    def adopt_trial(self, turn: int, ticks: int) -> int:
        """Make the trial state and stream the current ones, with no last tick; answer as `begin` does."""
        return self.kernels.adopt(self.address, turn, ticks)

    def state_record(self) -> Any:
        """Return a copy of the state as a record whose fields are attributes."""
        layout = self.rules.game.state_dtype
        return self.state[: layout.itemsize].copy().view(layout).view(np.recarray)[0]


class LiveState:
    """The current state with its fields as attributes; to be read only.

    The arrays among them are made once: to make one for every look takes longer than a tick.

    Args:
        record: The record in memory.
    """

    def __init__(self, record: Any):
        self._record = record
        arrays = {name: getattr(record, name) for name in record.dtype.names}
        self.__dict__.update({name: value for name, value in arrays.items() if isinstance(value, np.ndarray)})

    def __getattr__(self, name: str) -> Any:
        return getattr(self._record, name)

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def seed_stream(stream: np.ndarray, seed: int) -> None:
    """Put a stream at the start of a seed's draws."""
    with np.errstate(over="ignore"):
        stream["key"] = derive_key(np.uint64(seed), ENV_PURPOSE, np.uint64(0))
    stream["counter"] = 0
