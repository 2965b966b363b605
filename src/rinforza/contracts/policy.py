"""The contract of a policy: a search that asks for network rows in steps, and the choice of an action."""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..compiled import INT, ArrayOf, Prototype, RecordOf
from .component import Component
from .game import Game

SELF = RecordOf("self")
SEARCH_ARGUMENTS = (SELF, RecordOf("rules"), RecordOf("search"), RecordOf("memory"))

BEGIN_SEARCH = Prototype("begin_search", INT, *SEARCH_ARGUMENTS, INT, ArrayOf(np.int64))
ROUND = Prototype("round", INT, *SEARCH_ARGUMENTS, RecordOf("stream"))
ABSORB = Prototype("absorb", INT, *SEARCH_ARGUMENTS, RecordOf("stream"))
FINISH = Prototype("finish", None, *SEARCH_ARGUMENTS, INT, ArrayOf(np.float64))
INTERIOR = Prototype("interior", INT, *SEARCH_ARGUMENTS, INT, ArrayOf(np.int64), ArrayOf(np.float64))
BEGIN_EPISODE = Prototype("begin_episode", INT, SELF, INT, RecordOf("stream"))
SELECT = Prototype("select", INT, SELF, ArrayOf(np.float64), INT, ArrayOf(np.int64), RecordOf("stream"))
KEEP_SEARCH = Prototype("keep_search", None, SELF, RecordOf("rules"), RecordOf("memory"), INT)
VALID_SEARCH = Prototype("valid_search", INT, SELF, RecordOf("rules"), RecordOf("memory"), INT)
POLICY_METHODS = (BEGIN_SEARCH, ROUND, ABSORB, FINISH, INTERIOR, BEGIN_EPISODE, SELECT)
KEEPING_METHODS = (KEEP_SEARCH, VALID_SEARCH)  # of a policy that keeps searches


NO_STATE: int = -1


class QValues(NamedTuple):
    """The network answers with one array of action values, (rows, heads, actions)."""

    heads: int = 1

    @property
    def scalars(self) -> int:
        """Numbers per row beside those per action."""
        return 0


class PolicyValue(NamedTuple):
    """The network answers with a tuple: logits (rows, >= actions) and values (rows,)."""

    @property
    def heads(self) -> int:
        """Numbers per action."""
        return 1

    @property
    def scalars(self) -> int:
        """Numbers per row beside those per action: the value."""
        return 1


Output = QValues | PolicyValue


USUAL_LEGAL_ACTIONS = 40  # for first capacities: where a game has many ids, few are legal at a time


class Capacity(NamedTuple):
    """How much memory a search starts with; the engine doubles what turns out too small."""

    nodes: int
    edges: int
    requests: int


class Policy(Component):
    """How an action is chosen: subclass it, state the claims, write the methods.

    The methods below the line are compiled; `self` has the policy's numbers, `rules` is for the functions of
    `rinforza.rules`, `search` has the fields of `search_dtype`, and `memory` is for those of
    `rinforza.search_memory`. A policy owns no network, no seed and no generator: randomness comes only from
    the stream it is handed.

    Class attributes to state (the claims have no default):
        name: The registry name.
        supports_imperfect_information: Whether it plays games whose state the player does not see whole.
        search_dtype: The layout of the search's own record (zero at `begin_search`).
        node_dtype, edge_dtype: The layouts of the tables `memory.nodes` and `memory.edges`.
        side_dtype: The layout of what a node holds for each player, where the policy values everyone.
        evaluation_scalars: Numbers of an evaluation beside those per legal action.
        keeps_search: Whether `begin_search` finds in the memory what `keep_search` has left there of the nodes and
            edges of the episode's last search; else, and when an episode begins, there are none.
        refusals: The bounds that a search may pass (`rinforza.search_memory.refuse`), as sentences for the user.
        schedulable: The parameters that may change from one collection to the next (`Engine.set`): numbers
            that the methods read, and on which no layout, claim or evaluation depends.
    """

    supports_imperfect_information: ClassVar[bool]
    search_dtype: ClassVar[np.dtype]
    node_dtype: ClassVar[np.dtype] = np.dtype([("unused", np.int64)])
    edge_dtype: ClassVar[np.dtype] = np.dtype([("unused", np.int64)])
    side_dtype: ClassVar[np.dtype] = np.dtype([("unused", np.int64)])
    evaluation_scalars: int = 0
    keeps_search: bool = False
    refusals: ClassVar[tuple[str, ...]] = ()
    schedulable: ClassVar[tuple[str, ...]] = ()

    @property
    def evaluation_heads(self) -> int:
        """Numbers of an evaluation per legal action."""
        return 1

    def max_agents(self, dynamics: str) -> int | None:
        """Return the largest number of players for `"sequential"` or `"simultaneous"` games; None for any."""
        raise NotImplementedError

    @property
    def output(self) -> Output:
        """What the network answers with."""
        raise NotImplementedError

    def capacity(self, game: Game) -> Capacity:
        """Return the memory that a search on `game` starts with."""
        raise NotImplementedError

    def values_everyone(self, game: Game) -> bool:
        """Return whether a search of `game` backs up a value for every player, not for the mover alone."""
        return False

    def check_game(self, game: Game, weights: np.ndarray) -> None:
        """Raise ValueError where the policy cannot play a game beyond what the claims say."""

    def valid_progress(self, progress: int) -> bool:
        """Return whether `select` is safe with a policy state (see `begin_episode`) read from a snapshot."""
        return progress >= 0

    def choose(
        self,
        envs: list[Any],
        infer: Callable[[np.ndarray], Any],
        seed: int = 0,
        plies: list[int] | None = None,
        *,
        gamma: float,
    ) -> list[int]:
        """Choose an action for each environment; nothing is played and nothing is kept.

        An answer depends on `seed`, the environment's own position and random stream, and the network; not on
        what else is in the list.

        Args:
            envs: Environments of one composition, each with a reward and not done; sequential games.
            infer: The network, a single callable as for `Engine.collect`.
            seed: 0 to 2**64 - 1.
            plies: The decision number of each environment for the temperature rule; None for its ticks.
            gamma: Discount of the search, 0 to 1.

        Returns:
            One game-frame action id for each environment.

        Raises:
            ValueError: For an empty list, environments of different compositions, a finished one or one
                without a reward, a simultaneous game, plies of another length or out of range, or an
                `infer` that is not one callable.
            TypeError: For arguments of another type.
        """
        return _choosers[0](self, envs, infer, seed, plies, gamma)

    # ---------------------------------------------------------------- compiled from here on

    def begin_search(self, rules, search, memory, state, players):
        """Start a search of the state at address `state` for the perspectives `players`.

        Returns 0, or FULL when the tables are too small.
        """
        raise NotImplementedError

    def keep_search(self, rules, memory, state):
        """Leave in the memory what the next search, of the state at address `state`, is to go on with.

        Called between two searches of an episode where `keeps_search` is True. It makes do with the tables as
        they are; what it leaves has the same bytes wherever the same searches were made, since a snapshot holds it.
        """
        raise NotImplementedError

    def valid_search(self, rules, memory, state):
        """Return 1 if what a snapshot holds, and is now in the memory, can be what `keep_search` left, else 0.

        Every index in it must be checked before it is followed; `state` is the address of the state to be searched,
        which is sound. The tables have room for one state more than there are nodes.
        """
        raise NotImplementedError

    def round(self, rules, search, memory, stream):
        """Ask for this round's rows with `ask`; return how many, 0 when the search is done, FULL or REFUSED."""
        raise NotImplementedError

    def absorb(self, rules, search, memory, stream):
        """Take in the answers of the round, `answer_to(memory, i)` for request i; return 0 or FULL."""
        raise NotImplementedError

    def finish(self, rules, search, memory, perspective, evaluation):
        """Write the evaluation of perspective number `perspective`: its scalars, then head by head."""
        raise NotImplementedError

    def interior(self, rules, search, memory, after, found, evaluation):
        """Return the next state, behind number `after`, of a decision in the finished search that can be learned.

        Write its player to `found[0]`, its number of actions to `found[1]`, and its evaluation, laid out as
        `finish` does. Return NO_STATE when there is none; the root is not one.
        """
        return NO_STATE

    def begin_episode(self, ply, stream):
        """Return the policy's state (64 bits, such as a counter) for an episode that stands at `ply`."""
        return ply

    def select(self, evaluation, n_actions, progress, stream):
        """Return the position in the legal list of the action to play.

        In a game whose `resignation` says what that pays, -1 - position gives the game up instead of playing the
        action, which the step then keeps. `progress[0]` is the episode's policy state, to be updated in place.
        """
        raise NotImplementedError


_choosers: list[Callable[..., list[int]]] = []


def register_chooser(choose: Callable[..., list[int]]) -> None:
    """Say what runs `Policy.choose` (the engine does, and it lies above this room)."""
    _choosers[:] = [choose]


def policy_layouts(policy: Policy) -> dict[str, Any]:
    """Return the record layouts of a policy's methods."""
    from .rules import RULES
    from .search_memory import MEMORY

    return {"rules": RULES, "search": policy.search_dtype, "memory": MEMORY}
