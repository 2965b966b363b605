"""A policy that is a network: how its answers become probabilities of the game's actions."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..contracts.arguments import choice, number
from ..contracts.infer import Infer, float_array, logits_and_values, routed
from .tree import GameTree

MOST_ROWS = 4096  # in one call
POLICY = "NetworkPolicy"
LABEL = f"{POLICY} infer"

Read = Callable[[Any, int, int], np.ndarray]
"""Takes an answer, the rows that were asked and the actions; returns the checked numbers, (rows, >= actions)."""


class NetworkPolicy:
    """The policy of a network, for `best_response` and `exploitability`: that of a DQN or PPO agent, say.

    The network is asked as an engine asks it: rows of the game's encoder, no legality mask, answers in the
    encoder's numbering of the actions. Only the legal actions count.

    Args:
        infer: Called with float32 (rows, observation size), some thousand rows at most; returns what `output`
            says. One callable for all players, or a sequence of one each, which gets its player's rows only.
        output: What it returns, in float32 or float64. `"q"`: action values (rows, 1, actions), the shape of a
            `policies.EpsilonGreedyQ` of one head (of an ensemble, hand over one head). `"logits"`: (rows,
            actions or more columns). `"policy_value"`: a tuple of such logits and values (rows,), the answer
            for `policies.Ppo`; the values are not used.
        temperature: Actions are drawn from the softmax of numbers / temperature over the legal ones. At 0 the
            largest number is played, the lowest action id on a tie. None is 0 for `"q"` and 1 otherwise.

    Raises:
        TypeError: If `output` or `temperature` is of another type.
        ValueError: If `output` is none of these, or the temperature is negative or not finite.

    Example:
        >>> import numpy as np
        >>> import rinforza as rf
        >>> def indifferent(obs):  # greedily: always pass
        ...     return np.zeros((len(obs), 1, 2), np.float32)
        >>> policy = rf.solvers.NetworkPolicy(indifferent, "q")
        >>> rf.solvers.best_response(rf.games.KuhnPoker(), policy).value
        1.0
    """

    def __init__(self, infer: Infer | Sequence[Infer], output: str, temperature: float | None = None):
        self.infer = infer
        self.output = choice("output", output, tuple(READERS))
        usual = 0.0 if output == "q" else 1.0
        self.temperature = usual if temperature is None else number("temperature", temperature, 0.0)

    def table(self, tree: GameTree) -> np.ndarray:
        """Return the probability of each action of each information state of a game, float64[pool].

        Raises:
            TypeError: If a network is not callable, or its answer is of another type, rank or dtype.
            ValueError: If there is not one network or one for each player, or an answer has another shape or
                is not finite.
        """
        infers = routed(self.infer, tree.composition.game.num_players)
        scores = legal_scores(tree, infers, READERS[self.output], MOST_ROWS)
        first, count = tree.sets.bounds[:-1], np.diff(tree.sets.bounds)
        largest = np.repeat(np.maximum.reduceat(scores, first), count)
        if self.temperature == 0.0:
            best = np.where(scores == largest, np.arange(len(scores)), len(scores))
            table = np.zeros(len(scores))
            table[np.minimum.reduceat(best, first)] = 1.0
            return table
        with np.errstate(over="ignore"):  # what is too far below the largest has no weight
            weights = np.exp((scores - largest) / self.temperature)
        return weights / np.repeat(np.add.reduceat(weights, first), count)


def legal_scores(tree: GameTree, infers: list[Infer], read: Read, most_rows: int) -> np.ndarray:
    """Ask networks about every information state of a game, and keep the columns of legal actions.

    Args:
        tree: The game.
        infers: One network for all players, or one for each.
        read: Checks an answer.
        most_rows: In one call.

    Returns:
        float64[pool].
    """
    game, entries = tree.composition.game, tree.sets.entries
    actions = tree.sets.arrays["actions"][: tree.sets.used].astype(np.int64)
    owners = np.repeat(np.arange(len(entries)), entries["count"])
    columns = tree.composition.head_columns(actions, entries["player"][owners])
    scores = np.zeros(len(actions))
    for player, infer in enumerate(infers):
        rows = np.flatnonzero((entries["player"] == player) | (len(infers) == 1))
        for begin in range(0, len(rows), most_rows):
            asked = rows[begin : begin + most_rows]
            obs = np.stack([tree.observation(row).reshape(-1) for row in asked])
            answer = read(infer(obs), len(asked), game.num_actions)
            within = np.flatnonzero(np.isin(owners, asked))
            scores[within] = answer[np.searchsorted(asked, owners[within]), columns[within]]
    return scores


# ----------------------------------------------------------------------------------- answers


def _read_q(answer: Any, rows: int, n_actions: int) -> np.ndarray:
    q = float_array(answer, f"{LABEL} output", 3)
    if q.shape != (rows, 1, n_actions):
        raise ValueError(
            f"infer returned shape {q.shape}; expected (n, n_heads = 1, {n_actions}), n = {rows}; "
            "of several heads hand over one"
        )
    return _finite(q[:, 0], n_actions)


def _read_logits(answer: Any, rows: int, n_actions: int) -> np.ndarray:
    logits = float_array(answer, f"{LABEL} output", 2)
    if logits.shape[0] != rows or logits.shape[1] < n_actions:
        raise ValueError(f"infer returned shape {logits.shape}; expected (n, >={n_actions}), n = {rows}")
    return _finite(logits, n_actions)


def _read_policy_value(answer: Any, rows: int, n_actions: int) -> np.ndarray:
    logits, values = logits_and_values(answer, POLICY, rows, n_actions)
    _finite(values[:, None], 1)
    return _finite(logits, n_actions)


def _finite(numbers: np.ndarray, n_columns: int) -> np.ndarray:
    """Return the numbers, if those in the first columns are finite; padding may hold anything."""
    if not np.isfinite(numbers[:, :n_columns]).all():
        raise ValueError(f"{LABEL} outputs must contain only finite values; got NaN or infinity")
    return numbers


READERS: dict[str, Read] = {"q": _read_q, "logits": _read_logits, "policy_value": _read_policy_value}
