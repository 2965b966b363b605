"""TreeStrap's targets: the action values that the search found, for every action it looked at.

A record of a player's decision has, for each head h of the network, the searched value of every legal action.
With an outcome weight w > 0 the entry of the action that was played is (1 - w) * searched + w * z_h, where

    z_h = the sum of gamma^i * reward_i over the player's decisions from this one on
          + gamma^n * (the tail of head h),    n decisions later,

and the tail is 0 at the end of the game, else the largest number of the head's row for the player in the state at
which the horizon cut the episode, over the actions of whoever moves there.

With `interior_targets` each decision also gives, as soon as it is searched, a record for every node below the root
at which the searcher moves and all actions were searched.

An evaluation that is read here has for each head one value per legal action, and at last one number per legal
action that is above 0 where the search has been.

Sources: Veness et al. 2009, "Bootstrapping from game tree search", section 4 (TreeStrap); Osband et al. 2016 for the
bootstrap masks. Where we differ: the paper updates from all nodes, one step of its own per search; here the
targets are handed out.
"""

import numpy as np

from ..compiled import array_at, record_at
from ..contracts.arguments import flag, number
from ..contracts.batch import Column, TupleBatch
from ..contracts.csr import write_legal
from ..contracts.game import Game
from ..contracts.learner import Learner, column, column_address, step_of
from ..contracts.policy import Policy
from ..contracts.rules import SCRATCH, encode, head_index, legal_actions
from .bootstrap import draw_masks

OBS, PLAYERS, TARGETS, MASKS, TARGET_MASK, LEGAL_IDS, LEGAL_OFFSETS = range(7)


class TreeStrapBatch(TupleBatch):
    """Records of TreeStrap; action columns and legal ids are in the encoder's head frame.

    Attributes:
        obs: float32 (records, observation_size), the player's view.
        players: int64 (records,).
        targets: float64 (records, heads, actions), the searched values; 0 where `target_mask` is 0.
        masks: float32 (records, heads), 1 where the record trains a head.
        target_mask: float32 (records, actions), 1 where there is a target: the action is legal and the search
            has been there. An unvisited action and one that is worth 0 differ only here.
        legal_ids: int64, the legal actions of all records, ascending within a record.
        legal_offsets: int64 (records + 1,), where each record's legal ids begin.
        telemetry: What the collection measured.
    """

    fields = ("obs", "players", "targets", "masks", "target_mask", "legal_ids", "legal_offsets")
    unpacks = ("obs", "targets", "masks", "telemetry")
    players: np.ndarray
    targets: np.ndarray
    masks: np.ndarray
    target_mask: np.ndarray


class TreeStrap(Learner):
    """Turn searched decisions into action-value targets.

    Args:
        gamma: Discount per own decision, 0 to 1; also the discount of the search.
        outcome_weight: The share of the outcome in the target of the action that was played, 0 to 1.
        bootstrap_p: The probability with which a record trains a head, 0 to 1, drawn per record and head.
        interior_targets: Whether decisions inside the search become records too (SelectiveExpectimax and
            Minimax; another policy lists none).

    Raises:
        ValueError: For a number out of range.
        TypeError: For an argument of another type.

    Example:
        >>> import rinforza as rf
        >>> rf.learners.TreeStrap(outcome_weight=0.25).outcome_weight
        0.25
    """

    name = "treestrap"
    policies = ("selective_expectimax", "mcts", "minimax")
    batch_type = TreeStrapBatch
    outcome_weight: float
    bootstrap_p: float
    interior_targets: bool

    def __init__(
        self,
        gamma: float = 0.99,
        outcome_weight: float = 0.0,
        bootstrap_p: float = 1.0,
        interior_targets: bool = False,
    ):
        super().__init__(
            {
                "gamma": number("gamma", gamma, 0.0, 1.0),
                "outcome_weight": number("outcome_weight", outcome_weight, 0.0, 1.0),
                "bootstrap_p": number("bootstrap_p", bootstrap_p, 0.0, 1.0),
                "interior_targets": flag("interior_targets", interior_targets),
            }
        )

    @property
    def uses_episode_tail(self) -> bool:  # type: ignore[override]
        """Whether targets hold the outcome."""
        return self.outcome_weight > 0.0

    @property
    def records_interior(self) -> bool:  # type: ignore[override]
        """Whether nodes inside a search become records."""
        return self.interior_targets

    def columns(self, game: Game, policy: Policy, observation_size: int) -> dict[str, Column]:
        """Return the arrays of a `TreeStrapBatch`."""
        heads = policy.output.heads
        return {
            "obs": Column(np.float32, (observation_size,)),
            "players": Column(np.int64),
            "targets": Column(np.float64, (heads, game.num_actions)),
            "masks": Column(np.float32, (heads,)),
            "target_mask": Column(np.float32, (game.num_actions,)),
            "legal": Column(np.int64, ragged=True),
        }

    # ---------------------------------------------------------------- compiled from here on

    def episode_size(self, rules, episode, lengths):
        for index in range(episode.length):
            lengths[LEGAL_IDS] += step_of(episode, index).n_actions
        return episode.length

    def episode_records(self, rules, episode, batch, stream):
        players = column(batch, PLAYERS, batch.first_row + episode.length, np.int64)
        for index in range(episode.length):
            row = batch.first_row + index
            step = step_of(episode, index)
            state = episode.states + step.state * rules.state_size
            players[row] = episode.player
            out = column_address(batch, OBS) + row * rules.observation_size * 4
            encode(rules, state, episode.player, out)
            write_targets(rules, episode, batch, step, row, state)
        draw_masks(self, batch, MASKS, episode.length, stream)
        if self.outcome_weight > 0.0:
            blend_outcome(self, rules, episode, batch)

    def tail_from_row(self, answer, n_actions, tail):
        for head in range(len(tail)):
            tail[head] = 0.0
            for position in range(n_actions):
                value = answer[head * n_actions + position]
                if position == 0 or value > tail[head]:
                    tail[head] = value


def write_targets(rules, episode, batch, step, row, state):
    """Write a step's values, where they are, and its legal ids, in the head frame."""
    scratch = record_at(episode.scratch, SCRATCH)
    n_actions, heads = rules.n_actions, batch.heads
    targets = targets_of(rules, batch, row)
    searched = array_at(column_address(batch, TARGET_MASK) + row * n_actions * 4, n_actions, np.float32)
    targets[:] = 0.0
    searched[:] = 0.0
    values = array_at(episode.evaluations + step.evaluation * 8, (heads + 1) * step.n_actions, np.float64)
    legal_actions(rules, state, episode.player, scratch.legal)
    legal = array_at(scratch.legal, step.n_actions, np.int32)
    for position in range(step.n_actions):
        place = head_index(rules, legal[position], episode.player)
        if values[heads * step.n_actions + position] > 0.0:
            searched[place] = 1.0
            for head in range(heads):
                targets[head * n_actions + place] = values[head * step.n_actions + position]
    write_legal(rules, batch, LEGAL_IDS, row, legal, step.n_actions, episode.player)


def targets_of(rules, batch, row):
    """Return the targets of a row, head by head."""
    width = batch.heads * rules.n_actions
    return array_at(column_address(batch, TARGETS) + row * width * 8, width, np.float64)


def blend_outcome(self, rules, episode, batch):
    """Mix the outcome into the entry of each action that was played; a node inside a search has none."""
    tail = array_at(episode.tail, batch.heads, np.float64)
    weight = self.outcome_weight
    rewards = 0.0
    factor = 1.0
    for index in range(episode.length - 1, -1, -1):
        step = step_of(episode, index)
        rewards = step.reward + self.gamma * rewards
        factor *= self.gamma
        if step.action >= 0:
            targets = targets_of(rules, batch, batch.first_row + index)
            place = head_index(rules, step.action, episode.player)
            for head in range(batch.heads):
                outcome = rewards + factor * tail[head]
                entry = head * rules.n_actions + place
                targets[entry] = (1.0 - weight) * targets[entry] + weight * outcome
