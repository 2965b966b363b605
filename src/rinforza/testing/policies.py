"""The conformance check of policies."""

import numpy as np

from ..contracts.game import Game
from ..contracts.policy import Policy, PolicyValue, QValues
from ..engine import checks
from .agreement import disagreement
from .components import check_component
from .lanes import GameLane, alike
from .search_bench import Decision, SearchBench
from .verdict import blame, broken
from .walk import Node, random_game

AMPLE = 1 << 12
TIGHT = 1
INDISTINCT = 60  # states among which pairs are sought that a player cannot tell apart


def check_policy(
    policy: Policy, game: Game, *, decisions: int = 12, plain_decisions: int = 4, seed: int = 0
) -> None:
    """Let a policy decide in random states, compiled and in plain Python, and check what it does.

    Each decision is searched in ample tables and in tables that start with room for one entry and
    grow; both must come to the same. The network's answers are random numbers.

    Args:
        policy: The policy.
        game: A game that it plays.
        decisions: States in which it decides compiled.
        plain_decisions: Of these, those in which it decides in plain Python too.
        seed: Chooses the states and the answers.

    Raises:
        TypeError: If the arguments are no such components.
        ValueError: If the policy refuses the game.
        ConformanceError: If the policy breaks its contract; the message says where, how, and how
            to mend it.

    Example:
        >>> import rinforza as rf
        >>> policy = rf.policies.EpsilonGreedyQ()
        >>> rf.testing.check_policy(policy, rf.games.TicTacToe(), decisions=2, plain_decisions=1)
    """
    check_component(policy, Policy)
    if not isinstance(game, Game):
        raise TypeError(f"game must be a Game, got {type(game).__name__}")
    check_policy_claims(policy, game)
    compiled = GameLane(game, plain=False)
    checks.check_game(policy, game, compiled.rules.weights)
    nodes = decision_nodes(compiled, decisions, seed)
    # Plain Python first: an index out of range is an error there, and a crash in compiled code.
    bench = SearchBench(GameLane(game, plain=True), policy)
    in_plain = [_decide(bench, node, seed + number) for number, node in enumerate(nodes[:plain_decisions])]
    bench = SearchBench(compiled, policy)
    in_compiled = [_decide(bench, node, seed + number) for number, node in enumerate(nodes)]
    for one, other in zip(in_plain, in_compiled, strict=False):
        _compare(policy, one, other)
    if game.information == "imperfect":
        _check_blind(bench, seed)


def check_policy_claims(policy: Policy, game: Game) -> None:
    """Check what a policy states."""
    label = type(policy).__name__
    claim = getattr(policy, "supports_imperfect_information", None)
    if not isinstance(claim, bool):
        raise broken(
            label,
            f"states supports_imperfect_information = {claim!r}",
            "state True if it never looks at what the player cannot see, else False",
        )
    for dynamics in ("sequential", "simultaneous"):
        with blame(
            f"{label}.max_agents",
            'return the largest number of players for each of "sequential" and '
            '"simultaneous", 0 for none and None for any',
        ):
            most = policy.max_agents(dynamics)
        if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 0):
            raise broken(
                f"{label}.max_agents",
                f"returned {most!r}",
                "return an int >= 0, or None for any number",
            )
    with blame(
        f"{label}.output, .capacity or layouts",
        "define output and capacity, and state search_dtype",
    ):
        output, capacity = policy.output, policy.capacity(game)
        layouts = {name: getattr(policy, name) for name in ("search_dtype", "node_dtype", "edge_dtype")}
    if not isinstance(output, QValues | PolicyValue):
        raise broken(f"{label}.output", f"returned {output!r}", "return QValues(heads) or PolicyValue()")
    if len(capacity) != 3 or any(not isinstance(room, int) or room < 1 for room in capacity):
        raise broken(
            f"{label}.capacity",
            f"returned {capacity!r}",
            "return Capacity(nodes, edges, requests), each >= 1",
        )
    for name, layout in layouts.items():
        if not isinstance(layout, np.dtype) or layout.names is None or layout.hasobject:
            raise broken(
                label,
                f"states {name} = {layout!r}",
                "make it np.dtype([(name, type), ...]) of numbers",
            )


def decision_nodes(lane: GameLane, count: int, seed: int) -> list[Node]:
    """Return `count` decision nodes of random games, those just before an end among them."""
    generator = np.random.default_rng(seed)
    limit = min(lane.game.truncation_horizon() or 200, 200)
    chosen: list[Node] = []
    while len(chosen) < count:
        nodes = [node for node in random_game(lane, generator, limit) if node.acting()]
        chosen += [nodes[0], nodes[-1], nodes[generator.integers(len(nodes))]]
    return chosen[:count]


def _decide(bench: SearchBench, node: Node, seed: int) -> Decision:
    """Decide with ample and with tight memory, and check that it comes to the same."""
    progress = bench.begin_episode(0, seed)
    if progress != bench.begin_episode(0, seed):
        what = "gave another state for the same stream"
        raise broken(bench.where("begin_episode"), what, "draw from `stream` only")
    first = bench.decide(node, seed, AMPLE, progress)
    who = f"{type(bench.policy).__name__} ({bench.lane.lane})"
    if not _equal(first, bench.decide(node, seed, AMPLE, progress)):
        raise broken(
            who,
            "decided differently with the same state, stream and answers",
            "draw from `stream` only, set every field of a node or edge when it is made, and keep nothing "
            "elsewhere",
        )
    if not _equal(first, bench.decide(node, seed, TIGHT, progress)):
        raise broken(
            who,
            "decided differently when its tables had to grow on the way",
            "leave tables, search record and stream as they were when a method returns FULL; it is called "
            "again, and addresses of table entries change",
        )
    return first


def _check_blind(bench: SearchBench, seed: int) -> None:
    """Check that states which the acting player cannot tell apart are decided alike."""
    first_seen: dict[tuple[int, bytes], Node] = {}
    for node in decision_nodes(bench.lane, INDISTINCT, seed):
        player = node.acting()[0]
        twin = first_seen.setdefault((player, bench.lane.information_state(node.state, player)), node)
        if np.array_equal(twin.state, node.state):
            continue
        one, other = (bench.decide(seen, seed, AMPLE, 0) for seen in (twin, node))
        if not _equal(one, other):
            raise broken(
                f"{type(bench.policy).__name__} ({bench.lane.lane})",
                f"decides differently in states that player {player} cannot tell apart",
                "look at nothing of the state but legal actions and encoded rows, or state "
                "supports_imperfect_information = False",
            )


METHODS = {"start": "begin_episode", "requests": "round", "inside": "interior", "evaluations": "finish"}


def _compare(policy: Policy, plain: Decision, compiled: Decision) -> None:
    for what, one, other in zip(Decision._fields, plain, compiled, strict=True):
        if not _alike(one, other):
            raise disagreement(f"{type(policy).__name__}.{METHODS.get(what, 'select')}", one, other)


def _equal(one: Decision, other: Decision) -> bool:
    return all(map(_alike, one, other))


def _alike(one, other) -> bool:
    if isinstance(one, list) and one and isinstance(one[0], np.ndarray):
        return len(one) == len(other) and all(map(alike, one, other))
    return one == other
