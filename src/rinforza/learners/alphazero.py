"""AlphaZero's targets: the root's visit distribution, and the return from the decision on.

The last of an evaluation's numbers per action is the target before it is normalised: the visits, or what the
policy makes of them. A scalar before them, where there is one, weighs it.

The value target of a player's decision t is z_t = r_t + gamma * z_{t+1} over that player's own decisions,
seeded after the last one with 0 at the end of the game, or with the network's value of the final state,
seen by that player, when the horizon cut the episode.

With `augment` every record is written under a symmetry of the encoder's view, drawn from the slot's own stream.

Source: Silver et al. 2017, "Mastering the game of Go without human knowledge", Methods, "Self-play", and "Domain
knowledge" for the symmetries. Where we differ: the return is discounted, a truncated game is bootstrapped for
every player, and a record is made once, under one symmetry.
"""

import numpy as np

from ..compiled import array_at, clear_bytes, record_at
from ..contracts.arguments import flag, number
from ..contracts.batch import Column, TupleBatch
from ..contracts.csr import write_legal_under
from ..contracts.game import Game
from ..contracts.learner import Learner, column, column_address, step_of
from ..contracts.policy import Policy
from ..contracts.rules import SCRATCH, draw_symmetry, encode_under, head_index_under, legal_actions

OBS, PLAYERS, POLICY_TARGETS, VALUE_TARGETS, POLICY_WEIGHTS, LEGAL_IDS, LEGAL_OFFSETS = range(7)


class AlphaZeroBatch(TupleBatch):
    """Records of AlphaZero; action columns and legal ids are in the encoder's head frame.

    Attributes:
        obs: float32 (records, observation_size), the player's view.
        players: int64 (records,).
        policy_targets: float64 (records, actions), the root's visits as a distribution.
        value_targets: float64 (records,), the discounted return to go.
        policy_weights: float64 (records,), 0 where the row gives no policy loss.
        legal_ids: int64, the legal actions of all records, ascending within a record.
        legal_offsets: int64 (records + 1,), where each record's legal ids begin.
        telemetry: What the collection measured.
    """

    fields = (
        "obs",
        "players",
        "policy_targets",
        "value_targets",
        "policy_weights",
        "legal_ids",
        "legal_offsets",
    )
    unpacks = ("obs", "policy_targets", "value_targets", "policy_weights", "telemetry")
    players: np.ndarray
    policy_targets: np.ndarray
    value_targets: np.ndarray
    policy_weights: np.ndarray


class AlphaZero(Learner):
    """Turn finished games into policy and value targets.

    Args:
        gamma: Discount per own decision, 0 to 1; also the discount of the search.
        augment: Whether each record is written under a symmetry of the encoder's view, drawn uniformly
            (observation, policy target and legal ids together), as the positions of AlphaGo Zero were rotated
            and reflected (Silver et al. 2017, Methods); the encoder must offer symmetries.

    Raises:
        ValueError: If gamma is outside [0, 1].
        TypeError: If augment is no bool.

    Example:
        >>> import rinforza as rf
        >>> rf.learners.AlphaZero(gamma=0.99)
        AlphaZero(gamma=0.99, augment=False)
    """

    name = "alphazero"
    policies = ("alphazero",)
    batch_type = AlphaZeroBatch
    uses_episode_tail = True
    records_everyone = True

    def __init__(self, gamma: float = 1.0, augment: bool = False):
        super().__init__({"gamma": number("gamma", gamma, 0.0, 1.0), "augment": flag("augment", augment)})

    def columns(self, game: Game, policy: Policy, observation_size: int) -> dict[str, Column]:
        """Return the arrays of an `AlphaZeroBatch`."""
        return {
            "obs": Column(np.float32, (observation_size,)),
            "players": Column(np.int64),
            "policy_targets": Column(np.float64, (game.num_actions,)),
            "value_targets": Column(np.float64),
            "policy_weights": Column(np.float64),
            "legal": Column(np.int64, ragged=True),
        }

    # ---------------------------------------------------------------- compiled from here on

    def episode_size(self, rules, episode, lengths):
        for index in range(episode.length):
            lengths[LEGAL_IDS] += step_of(episode, index).n_actions
        return episode.length

    def episode_records(self, rules, episode, batch, stream):
        scratch = record_at(episode.scratch, SCRATCH)
        rows = batch.first_row + episode.length
        players = column(batch, PLAYERS, rows, np.int64)
        values = column(batch, VALUE_TARGETS, rows, np.float64)
        weights = column(batch, POLICY_WEIGHTS, rows, np.float64)
        target = array_at(episode.tail, 1, np.float64)[0]
        for index in range(episode.length - 1, -1, -1):
            step = step_of(episode, index)
            target = step.reward + self.gamma * target
            values[batch.first_row + index] = target
        for index in range(episode.length):
            row = batch.first_row + index
            step = step_of(episode, index)
            players[row] = episode.player
            weights[row] = weight_of(episode, step)
            state = episode.states + step.state * rules.state_size
            symmetry = draw_symmetry(rules, stream) if self.augment else 0
            out = column_address(batch, OBS) + row * rules.observation_size * 4
            encode_under(rules, scratch, symmetry, state, episode.player, out)
            write_policy(rules, episode, batch, step, row, state, symmetry)


def weight_of(episode, step):
    """Return the weight of a step's policy target: 0 where others move, else what the policy says of it, or 1."""
    if step.n_actions == 0:
        return 0.0
    if episode.evaluation_scalars == 0:
        return 1.0
    return array_at(episode.evaluations + step.evaluation * 8, 1, np.float64)[0]


def write_policy(rules, episode, batch, step, row, state, symmetry):
    """Write a step's visit distribution and legal ids, in the head frame under a symmetry."""
    scratch = record_at(episode.scratch, SCRATCH)
    target_address = column_address(batch, POLICY_TARGETS) + row * rules.n_actions * 8
    clear_bytes(target_address, rules.n_actions * 8)
    targets = array_at(target_address, rules.n_actions, np.float64)
    place = step.evaluation + episode.evaluation_scalars + (episode.evaluation_heads - 1) * step.n_actions
    visits = array_at(episode.evaluations + place * 8, step.n_actions, np.float64)
    total = 0.0
    for position in range(step.n_actions):
        total += visits[position]
    legal_actions(rules, state, episode.player, scratch.legal)
    legal = array_at(scratch.legal, step.n_actions, np.int32)
    for position in range(step.n_actions):
        head = head_index_under(rules, symmetry, legal[position], episode.player)
        targets[head] = visits[position] / total
    write_legal_under(rules, batch, LEGAL_IDS, row, legal, step.n_actions, episode.player, symmetry)
