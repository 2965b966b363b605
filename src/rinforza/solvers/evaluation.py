"""What strategies are worth, exactly: expected values, best responses, exploitability.

With g and v as in `full_width`, a best response takes at each information state the action of the largest
g(I a), the first one on ties, and v(I) is that largest value; v of the whole game is what the responder gets.
That is right under perfect recall only. nash_conv is the sum over the players of what each would gain by a
best response to the others; exploitability is its mean.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..compiled import FLOAT, INT, Prototype, array_at, compile_function, plain_python, record_at
from ..contracts.arguments import integer
from ..contracts.game import Game
from .arrays import Arrays
from .full_width import FULL_WIDTH, PLACE, PREPARE, prepare_at, value_leaves
from .network_policy import NetworkPolicy
from .tree import Composition, GameTree, InformationState

EXPECT = Prototype("expect", FLOAT, INT, INT)
RESPOND = Prototype("respond", FLOAT, INT, INT, INT)
CLOSE_TO_ONE = 1e-6  # probabilities, float32 ones too, may miss the sum 1 by so much


def expect_at(address, player):
    """Return what a player gets when all play by their plans."""
    solver = record_at(address, FULL_WIDTH)
    plans = array_at(solver.plans, solver.n_sequences, np.float64)
    payoffs = array_at(solver.payoffs + player * solver.n_leaves * 8, solver.n_leaves, np.float64)
    sequences = array_at(solver.leaf_sequences, (solver.n_leaves, solver.n_players), np.int32)
    total = 0.0
    for leaf in range(solver.n_leaves):
        value = payoffs[leaf]
        for other in range(solver.n_players):
            value *= plans[sequences[leaf, other]]
        total += value
    return total


def respond_at(address, player, choices_address):
    """Write a best response as the index of an action for each row (int32[n_rows]); return its value."""
    solver = record_at(address, FULL_WIDTH)
    value_leaves(solver, player)
    starts = array_at(solver.place_starts, solver.n_players + 1, np.int64)
    places = array_at(solver.places, starts[solver.n_players], PLACE)
    rows = array_at(solver.place_rows, starts[solver.n_players], np.int32)
    values = array_at(solver.values, solver.n_sequences, np.float64)
    choices = array_at(choices_address, solver.n_rows, np.int32)
    for index in range(starts[player + 1] - 1, starts[player] - 1, -1):
        place = places[index]
        best = 0
        for action in range(1, place.count):
            if values[place.first_sequence + action] > values[place.first_sequence + best]:
                best = action
        choices[rows[index]] = best
        values[place.parent_sequence] += values[place.first_sequence + best]
    return values[array_at(solver.sequence_starts, solver.n_players + 1, np.int64)[player]]


class EvaluationKernels:
    """The compiled entry points of this module."""

    def __init__(self):
        self.prepare = compile_function(prepare_at, PREPARE, {}, "solvers.prepare").entry
        self.expect = compile_function(expect_at, EXPECT, {}, "solvers.expect").entry
        self.respond = compile_function(respond_at, RESPOND, {}, "solvers.respond").entry


@cache
def evaluation_kernels(lane: bool) -> EvaluationKernels:
    """Return the entry points of a lane (`plain_python()`); made once each."""
    return EvaluationKernels()


def sequence_arrays(tree: GameTree) -> Arrays:
    """Return a FULL_WIDTH record for a tree, with every strategy uniform."""
    arrays = Arrays(FULL_WIDTH)
    record = arrays.record
    first = arrays.put("first", tree.sets.bounds)
    places = arrays.zeros("places", len(tree.sightings), PLACE)
    places["offset"] = first[tree.sightings["row"]]
    for field in ("count", "parent_sequence", "first_sequence"):
        places[field] = tree.sightings[field]
    arrays.put("place_rows", np.ascontiguousarray(tree.sightings["row"]))
    arrays.put("place_starts", tree.sighting_starts)
    arrays.put("sequence_starts", tree.sequence_starts)
    arrays.put("leaf_sequences", tree.leaf_sequences)
    arrays.put("payoffs", tree.payoffs)
    arrays.put("rows", tree.rows)
    arrays.put("row_starts", tree.row_starts)
    record["n_players"] = tree.composition.game.num_players
    record["n_sequences"], record["n_leaves"] = tree.n_sequences, len(tree.leaf_sequences)
    record["n_rows"], record["pool"] = tree.sets.rows, tree.sets.used
    for field in ("plans", "values"):
        arrays.zeros(field, tree.n_sequences, np.float64)
    arrays.put("strategy", uniform(first))
    return arrays


def uniform(first: np.ndarray) -> np.ndarray:
    """Return the uniform strategy, given where each row's actions begin and the last ones end."""
    counts = np.diff(first)
    return np.repeat(1.0 / counts, counts)


def normalised(sums: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Return each row's share of its sum, uniform where the sum is zero."""
    counts = np.diff(first)
    totals = np.add.reduceat(sums, first[:-1]) if len(counts) else np.zeros(0)
    spread = np.repeat(totals, counts)
    return np.where(spread > 0.0, sums / np.where(spread > 0.0, spread, 1.0), uniform(first))


class Evaluation:
    """Exact values of one strategy profile of a game.

    Args:
        tree: The game.
        strategy: float64[pool], the probability of each action of each information state, as `tree.sets`
            numbers them.
    """

    def __init__(self, tree: GameTree, strategy: np.ndarray):
        self._tree = tree
        self._kernels = evaluation_kernels(plain_python())
        self._arrays = sequence_arrays(tree)
        self._arrays.put("strategy", np.ascontiguousarray(strategy, np.float64))
        self._kernels.prepare(self._arrays.address)
        self._choices = np.zeros(tree.sets.rows, np.int32)

    def expected_value(self, player: int) -> float:
        """Return what a player gets when all play by the strategy."""
        return self._kernels.expect(self._arrays.address, player)

    def best_response_value(self, player: int) -> float:
        """Return the most that a player can get against the strategy of the others.

        Raises:
            ValueError: If the players forget what they did or knew.
        """
        if not self._tree.has_perfect_recall:
            raise ValueError(
                f"{self._tree.composition.game!r} has imperfect recall (a player comes to one information state "
                "after different decisions of its own), so a best response cannot be computed; keep the "
                "player's own past in its information_state"
            )
        return self._kernels.respond(self._arrays.address, player, self._choices.ctypes.data)

    def best_response(self, player: int) -> "BestResponse":
        """Return a best response of a player; raises as `best_response_value` does."""
        value = self.best_response_value(player)
        sets = self._tree.sets
        starts = self._tree.row_starts[player : player + 2]
        rows = self._tree.rows[starts[0] : starts[1]].tolist()
        actions = {sets.key(row): sets.actions(row)[self._choices[row]] for row in rows}
        return BestResponse(value, actions)

    def best_response_values(self) -> list[float]:
        """Return what each player can get against the others; raises as `best_response_value` does."""
        return [self.best_response_value(player) for player in range(self._tree.composition.game.num_players)]

    def nash_conv(self) -> float:
        """Return what all players together gain by best responses; raises as `best_response_value` does."""
        best = self.best_response_values()
        return sum(value - self.expected_value(player) for player, value in enumerate(best))

    def exploitability(self) -> float:
        """Return nash_conv for each player; raises as `best_response_value` does."""
        return self.nash_conv() / self._tree.composition.game.num_players


class BestResponse(NamedTuple):
    """The best that one player can do against the others.

    Attributes:
        value: What it gets.
        actions: Its action at each of its information states, by their bytes.
    """

    value: float
    actions: dict[bytes, int]


Strategy = Callable[[InformationState], Any]


def best_response(game: Game, policy: Strategy | NetworkPolicy, player: int = 0) -> BestResponse:
    """Return a best response of one player against a policy that all others follow.

    Args:
        game: A sequential game with information states, of perfect recall, with up to 4,000,000 histories.
        policy: Called with an `InformationState` (`key`, `player`, `actions`, `observation`); returns a
            probability for each of its `actions`, or None for the uniform choice. `Cfr.policy` is one. Or a
            network, as a `NetworkPolicy`.
        player: Who responds.

    Returns:
        The value and the action at each information state of the player; on ties the lowest action.

    Raises:
        ValueError: If the game does not fit, the player is out of range, the policy returns anything but
            probabilities, or a network's answer has another shape or is not finite.
        TypeError: If the game is no Game, the policy is neither callable nor a NetworkPolicy, or a network's
            answer is of another type, rank or dtype.

    Example:
        >>> import rinforza as rf
        >>> response = rf.solvers.best_response(rf.games.KuhnPoker(), lambda state: None)
        >>> response.value
        0.5
    """
    tree = GameTree(Composition(game))
    player = integer("player", player, 0, game.num_players - 1)
    return Evaluation(tree, policy_table(tree, policy)).best_response(player)


def exploitability(game: Game, policy: Strategy | NetworkPolicy) -> float:
    """Return how much a policy can be exploited: the mean over the players of what a best response gains.

    Args:
        game: As for `best_response`.
        policy: As for `best_response`; all players follow it.

    Returns:
        nash_conv / players: 0 for an equilibrium.

    Raises:
        ValueError: If the game does not fit, or the policy is refused as in `best_response`.
        TypeError: If the game is no Game, or the policy is refused as in `best_response`.

    Example:
        >>> import rinforza as rf
        >>> round(rf.solvers.exploitability(rf.games.KuhnPoker(), lambda state: None), 6)
        0.458333
    """
    tree = GameTree(Composition(game))
    return Evaluation(tree, policy_table(tree, policy)).exploitability()


def policy_table(tree: GameTree, policy: Strategy | NetworkPolicy) -> np.ndarray:
    """Ask a policy about every information state; return the probabilities, float64[pool].

    Raises:
        TypeError: If the policy is neither callable nor a network, or as `NetworkPolicy.table` raises it.
        ValueError: If an answer is not a probability for each action, or as `NetworkPolicy.table` raises it.
    """
    if isinstance(policy, NetworkPolicy):
        return policy.table(tree)
    if not callable(policy):
        raise TypeError(
            "policy must be callable on an InformationState, or a network wrapped as NetworkPolicy; "
            f"got {type(policy).__name__}"
        )
    sets = tree.sets
    table = uniform(sets.bounds)
    for row in range(sets.rows):
        state = InformationState(sets.key(row), sets.player(row), sets.actions(row), tree.observation(row))
        answer = policy(state)
        if answer is not None:
            table[sets.bounds_of(row)] = _checked(answer, state)
    return table


def _checked(answer: Any, state: InformationState) -> np.ndarray:
    try:
        probabilities = np.asarray(answer, np.float64)
    except (TypeError, ValueError):
        probabilities = np.zeros(0)
    fits = probabilities.shape == (len(state.actions),)
    if not fits or not (probabilities >= 0.0).all() or abs(probabilities.sum() - 1.0) > CLOSE_TO_ONE:
        raise ValueError(
            f"policy must return a probability for each of the actions {list(state.actions)} of the information "
            f"state {state.key!r}, with the sum 1, or None; got {answer!r}"
        )
    return probabilities / probabilities.sum()
