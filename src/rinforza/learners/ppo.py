"""PPO's records: advantages by generalised advantage estimation (GAE), and each action's log-probability.

Backwards over a player's own decisions, from the tail value v_T (0 at the end of the game, the critic's value
of the state where the trajectory was cut, else):

    delta_t = r_t + gamma * v_{t+1} - v_t,   A_t = delta_t + gamma * lam * A_{t+1},   return_t = A_t + v_t.

A collection is a window: at its end every unfinished trajectory is cut and bootstrapped, and its episode goes
on in the next window. So no record spans two collections.

Sources: Schulman et al. 2016, "High-dimensional continuous control using generalized advantage estimation",
section 3; Schulman et al. 2017 (PPO), section 5. Where we differ: advantages are not normalised, and a player
that is not to move at a cut is bootstrapped by its own view of the state, off its turn.
"""

import numpy as np

from ..compiled import array_at, record_at
from ..contracts.arguments import number
from ..contracts.batch import Batch, Column
from ..contracts.csr import write_legal
from ..contracts.distribution import log_probability
from ..contracts.game import Game
from ..contracts.learner import Learner, column, column_address, step_of
from ..contracts.policy import Policy
from ..contracts.rules import SCRATCH, encode, head_index, legal_actions

OBS, PLAYERS, ACTIONS, LOG_PROBS, ADVANTAGES, RETURNS, VALUES, LEGAL_IDS, LEGAL_OFFSETS = range(9)


class PpoBatch(Batch):
    """Records of PPO; actions and legal ids are in the encoder's head frame.

    Attributes:
        obs: float32 (records, observation_size), the player's view.
        players: int64 (records,).
        actions: int64 (records,), the action drawn.
        behavior_log_probs: float64 (records,), its log-probability under the network that drew it.
        advantages: float64 (records,), GAE.
        returns: float64 (records,), advantages + values.
        values: float64 (records,), the critic's values at collection.
        legal_ids: int64, the legal actions of all records, ascending within a record.
        legal_offsets: int64 (records + 1,), where each record's legal ids begin.
        telemetry: What the collection measured.
    """

    fields = (
        "obs",
        "players",
        "actions",
        "behavior_log_probs",
        "advantages",
        "returns",
        "values",
        "legal_ids",
        "legal_offsets",
    )
    players: np.ndarray
    actions: np.ndarray
    behavior_log_probs: np.ndarray
    advantages: np.ndarray
    returns: np.ndarray
    values: np.ndarray


class Ppo(Learner):
    """Turn windows of play into on-policy records with advantages.

    Args:
        gamma: Discount per own decision, 0 to 1.
        lam: The decay of GAE, 0 (one-step) to 1 (whole returns).

    Raises:
        ValueError: For a number outside [0, 1].

    Example:
        >>> import rinforza as rf
        >>> rf.learners.Ppo(lam=0.9)
        Ppo(gamma=0.99, lam=0.9)
    """

    name = "ppo"
    policies = ("ppo",)
    batch_type = PpoBatch
    uses_episode_tail = True
    windowed = True
    lam: float

    def __init__(self, gamma: float = 0.99, lam: float = 0.95):
        super().__init__({"gamma": number("gamma", gamma, 0.0, 1.0), "lam": number("lam", lam, 0.0, 1.0)})

    def columns(self, game: Game, policy: Policy, observation_size: int) -> dict[str, Column]:
        """Return the arrays of a `PpoBatch`."""
        return {
            "obs": Column(np.float32, (observation_size,)),
            "players": Column(np.int64),
            "actions": Column(np.int64),
            "behavior_log_probs": Column(np.float64),
            "advantages": Column(np.float64),
            "returns": Column(np.float64),
            "values": Column(np.float64),
            "legal": Column(np.int64, ragged=True),
        }

    # ---------------------------------------------------------------- compiled from here on

    def episode_size(self, rules, episode, lengths):
        for index in range(episode.length):
            lengths[LEGAL_IDS] += step_of(episode, index).n_actions
        return episode.length

    def episode_records(self, rules, episode, batch, stream):
        rows = batch.first_row + episode.length
        advantages = column(batch, ADVANTAGES, rows, np.float64)
        returns = column(batch, RETURNS, rows, np.float64)
        values = column(batch, VALUES, rows, np.float64)
        following = array_at(episode.tail, 1, np.float64)[0]
        advantage = 0.0
        for index in range(episode.length - 1, -1, -1):
            step = step_of(episode, index)
            value = evaluation_of(episode, step)[0]
            delta = step.reward + self.gamma * following - value
            advantage = delta + self.gamma * self.lam * advantage
            row = batch.first_row + index
            advantages[row] = advantage
            returns[row] = advantage + value
            values[row] = value
            following = value
        for index in range(episode.length):
            write_decision(rules, episode, batch, batch.first_row + index, step_of(episode, index))


def evaluation_of(episode, step):
    """Return what the network said at a step: the value, then the logits of the legal actions."""
    return array_at(episode.evaluations + step.evaluation * 8, 1 + step.n_actions, np.float64)


def position_of(legal, action):
    """Return the place of an action in the list of legal ones."""
    position = 0
    while legal[position] != action:
        position += 1
    return position


def write_decision(rules, episode, batch, row, step):
    """Write what was seen and done at a step."""
    scratch = record_at(episode.scratch, SCRATCH)
    state = episode.states + step.state * rules.state_size
    encode(rules, state, episode.player, column_address(batch, OBS) + row * rules.observation_size * 4)
    count = legal_actions(rules, state, episode.player, scratch.legal)
    legal = array_at(scratch.legal, count, np.int32)
    position = position_of(legal, step.action)
    logits = evaluation_of(episode, step)[1:]
    column(batch, PLAYERS, row + 1, np.int64)[row] = episode.player
    column(batch, ACTIONS, row + 1, np.int64)[row] = head_index(rules, step.action, episode.player)
    column(batch, LOG_PROBS, row + 1, np.float64)[row] = log_probability(logits, position, count)
    write_legal(rules, batch, LEGAL_IDS, row, legal, count, episode.player)
