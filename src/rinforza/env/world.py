"""One game in progress: its state, its random stream, and what compiled code works in."""

from functools import lru_cache
from typing import Any

import numpy as np

from ..compiled import plain_python
from ..compiled.memory import as_records
from ..compiled.random import STREAM, derive_key
from ..contracts.composition import Rules, scratch_shapes
from ..contracts.game import Game
from ..contracts.reward import Reward
from ..contracts.rules import SCRATCH
from .kernels import ENV, Kernels, kernels_of

ENV_PURPOSE = np.uint64(0x656E76)  # keeps an environment's draws apart from an engine's
WORDS = list(ENV.fields or ())
TURN, EVENTFUL, REFUSED = (WORDS.index(name) for name in ("turn", "eventful", "refused"))
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
        live: The same memory as a record whose fields are attributes; to be read only.
        stream: STREAM[1], the chance draws to come.
        trial_state: Where a state is put that is not yet the current one.
        trial_stream: The stream that goes with it.
        events: float64[n_players, n_events], the sum over the last tick.
        rewards: float64[n_players], of the last tick.
        joint: int64 view [n_players], the actions to play.
        acts: int64 view [n_players], 1 where `joint` counts.
        words: int64 view of the ENV record; items of it are read faster than fields.
    """

    def __init__(self, game: Game, reward: Reward | None):
        if not isinstance(game, Game):
            raise TypeError(f"game must be a Game, got {type(game).__name__}")
        if reward is not None and not isinstance(reward, Reward):
            raise TypeError(f"reward must be a Reward or None, got {type(reward).__name__}")
        lane = plain_python()
        layouts = game.record.dtype, game.encoder.record.dtype
        self._prepare(_composed(game, reward, lane, layouts), kernels_of(lane))

    def _prepare(self, rules: Rules, kernels: Kernels) -> None:
        """Allocate everything, and note where it lies in the ENV record."""
        game = rules.game
        self.rules, self._kernels = rules, kernels
        self._env, self._scratch = np.zeros(1, ENV), np.zeros(1, SCRATCH)
        self._kept: list[np.ndarray] = []
        players, n_events = game.num_players, len(game.events)
        self.state = self._put(self._env, "state", rules.state_size, np.uint8)
        self.trial_state = self._put(self._env, "trial_state", rules.state_size, np.uint8)
        self.stream = self._put(self._env, "stream", 1, STREAM)
        self.trial_stream = self._put(self._env, "trial_stream", 1, STREAM)
        self.events = self._put(self._env, "events", (players, n_events), np.float64)
        self.acts = self._put(self._env, "acts", players, np.int64).data
        self._nobody = np.zeros(players, np.int64).data
        self._information = self._put(self._env, "information", game.information_size, np.uint8)
        scratch = {
            field: self._put(self._scratch, field, shape, dtype)
            for field, (shape, dtype) in scratch_shapes(game).items()
        }
        self.joint, self.rewards, self._legal = scratch["joint"].data, scratch["rewards"], scratch["legal"]
        self.live = as_records(self.state[: game.state_dtype.itemsize].view(game.state_dtype))[0]
        self._env["rules"], self._env["scratch"] = rules.address, self._scratch.ctypes.data
        self._address = self._env.ctypes.data
        self.words = self._env.view(np.int64).data

    def _put(self, record: np.ndarray, field: str, shape: Any, dtype: Any) -> np.ndarray:
        array = np.zeros(shape, dtype)
        record[field] = array.ctypes.data
        self._kept.append(array)
        return array

    def twin(self) -> "World":
        """Return a world of its own at the same point, with the same chance to come."""
        other = object.__new__(type(self))
        other._prepare(self.rules, self._kernels)
        other.state[:] = self.state
        other.stream[:] = self.stream
        other.words[TURN] = self.words[TURN]
        return other

    # ------------------------------------------------------------------------- compiled calls

    def begin(self, seed: int | None) -> int:
        """Start an episode, from a new stream when a seed is given; return PLAYED or the fault."""
        if seed is None:
            self.trial_stream[:] = self.stream
        else:
            seed_stream(self.trial_stream, seed)
        return self._kernels.begin(self._address)

    def clear_joint(self) -> None:
        """Forget the joint action."""
        self.acts[:] = self._nobody

    def play(self) -> int:
        """Play the joint action; return PLAYED, or the fault for which nothing was done."""
        return self._kernels.play(self._address)

    def count_legal(self, player: int) -> int:
        """Return how many legal actions a player has."""
        return self._kernels.legal(self._address, player)

    def legal_actions(self, player: int) -> list[int]:
        """Return a player's legal actions."""
        return self._legal[: self._kernels.legal(self._address, player)].tolist()

    def observation(self, player: int) -> np.ndarray:
        """Return what the network sees for a player, float32[C, H, W]."""
        row = self.rules.table[0]
        out = np.empty((row["channels"], row["height"], row["width"]), np.float32)
        self._kernels.observe(self._address, player, out.ctypes.data)
        return out

    def declares_information(self) -> bool:
        """Return whether the game has information states."""
        return len(self._information) > 0

    def information(self, player: int) -> bytes:
        """Return what a player knows, as bytes."""
        return self._information[: self._kernels.inform(self._address, player)].tobytes()

    def inspect_trial(self) -> int:
        """Return whose turn it is in the trial state, or INVALID; ask before `adopt_trial`."""
        return self._kernels.inspect(self._address)

    def adopt_trial(self, turn: int) -> None:
        """Make the trial state and stream the current ones."""
        self.state[:] = self.trial_state
        self.stream[:] = self.trial_stream
        self.words[TURN] = turn

    def state_record(self) -> Any:
        """Return a copy of the state as a record whose fields are attributes."""
        layout = self.rules.game.state_dtype
        return self.state[: layout.itemsize].copy().view(layout).view(np.recarray)[0]


def seed_stream(stream: np.ndarray, seed: int) -> None:
    """Put a stream at the start of a seed's draws."""
    with np.errstate(over="ignore"):
        stream["key"] = derive_key(np.uint64(seed), ENV_PURPOSE, np.uint64(0))
    stream["counter"] = 0
