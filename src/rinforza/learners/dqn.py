"""DQN's transitions: n-step windows over a player's own decisions.

Record t spans the window t .. e-1 with e = min(t + n_step, T), T the number of the player's decisions:

    reward = sum of gamma^i * r_{t+i},   discount = gamma^(e - t), or 0 where nothing can be bootstrapped.

The next observation is the player's decision e where there is one, else the state after the last tick. A
record can bootstrap exactly when its next-legal slice is not empty.

Sources: Mnih et al. 2015 (DQN); Hessel et al. 2018 (Rainbow), multi-step learning, uncorrected; Osband et al.
2016 for the bootstrap masks.
"""

import numpy as np

from ..compiled import array_at, record_at
from ..contracts.arguments import flag, integer, number
from ..contracts.batch import Column, TupleBatch, dense_mask
from ..contracts.csr import write_legal_under
from ..contracts.game import Game
from ..contracts.learner import Learner, column, column_address, step_of
from ..contracts.policy import Policy
from ..contracts.rules import SCRATCH, draw_symmetry, encode_under, head_index_under, legal_actions
from .bootstrap import draw_masks

(
    OBS,
    NEXT_OBS,
    PLAYERS,
    ACTIONS,
    REWARDS,
    DONES,
    CAN_BOOTSTRAP,
    DISCOUNTS,
    MASKS,
    LEGAL_IDS,
    LEGAL_OFFSETS,
    NEXT_LEGAL_IDS,
    NEXT_LEGAL_OFFSETS,
) = range(13)


class DqnBatch(TupleBatch):
    """Transitions of DQN; actions and legal ids are in the encoder's head frame.

    Attributes:
        obs, next_obs: float32 (records, observation_size), the player's view at both ends.
        players: int64 (records,).
        actions: int64 (records,), the action taken.
        rewards: float64 (records,), the discounted sum over the window.
        dones: bool (records,), whether the window reaches the end of the game.
        can_bootstrap: bool (records,), whether the target includes a next-state value.
        discounts: float64 (records,), the factor of that value; 0 where there is none.
        masks: float32 (records, heads), 1 where the record trains a head.
        legal_ids, legal_offsets: int64 CSR, the legal actions at `obs`.
        next_legal_ids, next_legal_offsets: int64 CSR, the legal actions at `next_obs`.
        telemetry: What the collection measured.
    """

    fields = (
        "obs",
        "next_obs",
        "players",
        "actions",
        "rewards",
        "dones",
        "can_bootstrap",
        "discounts",
        "masks",
        "legal_ids",
        "legal_offsets",
        "next_legal_ids",
        "next_legal_offsets",
    )
    unpacks = ("obs", "actions", "rewards", "next_obs", "dones", "masks", "telemetry")
    next_obs: np.ndarray
    players: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    dones: np.ndarray
    can_bootstrap: np.ndarray
    discounts: np.ndarray
    masks: np.ndarray
    next_legal_ids: np.ndarray
    next_legal_offsets: np.ndarray

    def next_legal_mask(self, rows: object = None) -> np.ndarray:
        """Return the legal actions at `next_obs` as a dense mask; see `legal_mask`."""
        return dense_mask(self.next_legal_ids, self.next_legal_offsets, self.n_actions, rows)


class Dqn(Learner):
    """Turn finished episodes into n-step transitions.

    Args:
        bootstrap_p: The probability with which a record trains a head, 0 to 1, drawn per record and head.
        n_step: The window in own decisions, >= 1.
        gamma: Discount per own decision, 0 to 1.
        augment: Whether each record is written under a symmetry of the encoder's view, drawn uniformly (both
            observations, action and legal ids together); the encoder must offer symmetries.

    Raises:
        ValueError: For a number out of range.
        TypeError: For an argument of another type.

    Example:
        >>> import rinforza as rf
        >>> rf.learners.Dqn(n_step=3).n_step
        3
    """

    name = "dqn"
    policies = ("epsilon_greedy_q",)
    batch_type = DqnBatch
    stores_evaluations = False
    n_step: int
    bootstrap_p: float

    def __init__(self, bootstrap_p: float = 1.0, n_step: int = 1, gamma: float = 0.99, augment: bool = False):
        n_step = integer("n_step", n_step, 0, (1 << 63) - 1)
        if n_step < 1:
            raise ValueError(f"n_step must be >= 1, got {n_step}")
        super().__init__(
            {
                "bootstrap_p": number("bootstrap_p", bootstrap_p, 0.0, 1.0),
                "n_step": n_step,
                "gamma": number("gamma", gamma, 0.0, 1.0),
                "augment": flag("augment", augment),
            }
        )

    def columns(self, game: Game, policy: Policy, observation_size: int) -> dict[str, Column]:
        """Return the arrays of a `DqnBatch`."""
        return {
            "obs": Column(np.float32, (observation_size,)),
            "next_obs": Column(np.float32, (observation_size,)),
            "players": Column(np.int64),
            "actions": Column(np.int64),
            "rewards": Column(np.float64),
            "dones": Column(np.bool_),
            "can_bootstrap": Column(np.bool_),
            "discounts": Column(np.float64),
            "masks": Column(np.float32, (policy.output.heads,)),
            "legal": Column(np.int64, ragged=True),
            "next_legal": Column(np.int64, ragged=True),
        }

    # ---------------------------------------------------------------- compiled from here on

    def episode_size(self, rules, episode, lengths):
        scratch = record_at(episode.scratch, SCRATCH)
        final = 0
        if episode.terminated == 0:
            final = legal_actions(rules, episode.final_state, episode.player, scratch.legal)
        for index in range(episode.length):
            lengths[LEGAL_IDS] += step_of(episode, index).n_actions
            end = window_end(self.n_step, episode.length, index)
            lengths[NEXT_LEGAL_IDS] += step_of(episode, end).n_actions if end < episode.length else final
        return episode.length

    def episode_records(self, rules, episode, batch, stream):
        rows = batch.first_row + episode.length
        players = column(batch, PLAYERS, rows, np.int64)
        actions = column(batch, ACTIONS, rows, np.int64)
        rewards = column(batch, REWARDS, rows, np.float64)
        dones = column(batch, DONES, rows, np.bool_)
        can_bootstrap = column(batch, CAN_BOOTSTRAP, rows, np.bool_)
        discounts = column(batch, DISCOUNTS, rows, np.float64)
        for index in range(episode.length):
            row = batch.first_row + index
            step = step_of(episode, index)
            end = window_end(self.n_step, episode.length, index)
            factor = 1.0
            total = 0.0
            for later in range(index, end):
                total += factor * step_of(episode, later).reward
                factor *= self.gamma
            players[row] = episode.player
            symmetry = draw_symmetry(rules, stream) if self.augment else 0
            actions[row] = head_index_under(rules, symmetry, step.action, episode.player)
            rewards[row] = total
            dones[row] = end == episode.length and episode.terminated != 0
            write_view(rules, episode, batch, OBS, LEGAL_IDS, row, index, symmetry)
            n_next = write_view(rules, episode, batch, NEXT_OBS, NEXT_LEGAL_IDS, row, end, symmetry)
            can_bootstrap[row] = n_next > 0
            discounts[row] = factor if n_next > 0 else 0.0
        draw_masks(self, batch, MASKS, episode.length, stream)


def window_end(n_step, length, index):
    """Return the decision at which the window of decision `index` ends (`length` for none)."""
    return index + n_step if n_step < length - index else length


def write_view(rules, episode, batch, obs_column, legal_column, row, index, symmetry):
    """Write observation and legal ids at decision `index`, or after the last tick; return how many ids.

    Both are written under the symmetry.
    """
    scratch = record_at(episode.scratch, SCRATCH)
    out = column_address(batch, obs_column) + row * rules.observation_size * 4
    state = episode.final_state
    n_actions = 0
    if index < episode.length:
        step = step_of(episode, index)
        state = episode.states + step.state * rules.state_size
    if index < episode.length or episode.terminated == 0:
        n_actions = legal_actions(rules, state, episode.player, scratch.legal)
    encode_under(rules, scratch, symmetry, state, episode.player, out)
    legal = array_at(scratch.legal, n_actions, np.int32)
    write_legal_under(rules, batch, legal_column, row, legal, n_actions, episode.player, symmetry)
    return n_actions
