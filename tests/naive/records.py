"""What an episode becomes in a batch, record by record, straight from the definitions."""

import numpy as np

from rinforza.compiled.random import uniform
from rinforza.learners import Dqn
from tests.naive.self_play import LEARNER


def head_ids(position, player):
    """The player's legal actions as network columns, ascending."""
    return sorted(position.head(action, player) for action in position.legal(player))


def records(episode, slot, learner, learn_players=None):
    """The records of an episode: player 0's decisions in time order, then player 1's, and so on."""
    players = range(slot.game.num_players) if learn_players is None else sorted(set(learn_players))
    make = dqn_records if isinstance(learner, Dqn) else alphazero_records
    return [record for player in players for record in make(episode, slot, learner, player)]


def dqn_records(episode, slot, learner, player):
    """A record for each of the player's decisions: a window of up to n_step of them."""
    steps = episode.of(player)
    made = []
    for start in range(len(steps)):
        end = min(start + learner.n_step, len(steps))
        window = steps[start:end]
        reaches_end = end == len(steps)
        after = episode.final if reaches_end else steps[end].position
        next_legal = [] if reaches_end and episode.terminated else head_ids(after, player)
        first = steps[start]
        made.append(
            {
                "obs": first.position.observe(player),
                "next_obs": after.observe(player),
                "players": player,
                "actions": first.position.head(first.action, player),
                "rewards": sum(learner.gamma**i * step.reward for i, step in enumerate(window)),
                "dones": reaches_end and episode.terminated,
                "can_bootstrap": bool(next_legal),
                "discounts": learner.gamma ** len(window) if next_legal else 0.0,
                "masks": None,
                "legal": head_ids(first.position, player),
                "next_legal": next_legal,
            }
        )
    for record in made:
        record["masks"] = [_mask(slot, learner) for _ in range(slot.policy.n_heads)]
    return made


def _mask(slot, learner):
    if learner.bootstrap_p >= 1.0:
        return 1.0
    with np.errstate(over="ignore"):
        return 1.0 if uniform(slot.streams[LEARNER]) < learner.bootstrap_p else 0.0


def alphazero_records(episode, slot, learner, player):
    """A record for each of the player's decisions: the root's visits, and the return from there on."""
    made = []
    target = episode.tails[player]
    for step in reversed(episode.of(player)):
        target = step.reward + learner.gamma * target
        policy = [0.0] * slot.game.num_actions
        for action, visits in step.evaluation.items():  # nothing where others move
            policy[step.position.head(action, player)] = visits / sum(step.evaluation.values())
        made.append(
            {
                "obs": step.position.observe(player),
                "players": player,
                "policy_targets": policy,
                "value_targets": target,
                "policy_weights": 1.0 if step.evaluation else 0.0,
                "legal": head_ids(step.position, player) if step.evaluation else [],
            }
        )
    return made[::-1]


def batch_records(batch):
    """Take a batch apart into records like those above."""
    ragged = [name.removesuffix("_ids") for name in batch.fields if name.endswith("_ids")]
    plain = [name for name in batch.fields if not name.endswith(("_ids", "_offsets"))]
    made = []
    for row in range(len(batch.obs)):
        record = {name: getattr(batch, name)[row] for name in plain}
        for name in ragged:
            offsets = getattr(batch, f"{name}_offsets")
            record[name] = getattr(batch, f"{name}_ids")[offsets[row] : offsets[row + 1]].tolist()
        made.append(record)
    return made


def same_records(found, expected):
    """Whether two lists of records are equal; sums may differ in their last bits."""
    if len(found) != len(expected):
        return False
    return all(
        np.allclose(np.asarray(one[name], float), np.asarray(other[name], float), rtol=1e-12, atol=1e-12)
        if len(np.shape(one[name])) == 0 or np.shape(one[name]) == np.shape(other[name])
        else False
        for one, other in zip(found, expected, strict=True)
        for name in other
    )
