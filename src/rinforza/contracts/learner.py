"""The contract of a learner: what a finished trajectory becomes in a batch."""

from typing import Any, ClassVar

import numpy as np

from ..compiled import INT, ArrayOf, Prototype, RecordOf, array_at
from .batch import Batch, Column
from .component import Component
from .game import Game
from .policy import Policy

STEP = np.dtype(
    [
        ("reward", np.float64),  # of its player, until that player's next step
        ("evaluation", np.int64),  # index into the episode's evaluations
        ("state", np.int32),  # index into the episode's states
        ("player", np.int32),
        ("action", np.int32),  # game frame
        ("n_actions", np.int32),  # legal actions at the step; 0 for a value-only step
    ],
    align=True,
)

EPISODE = np.dtype(
    [
        ("steps", np.int64),  # STEP[...] of all players
        ("states", np.int64),  # the states the steps were taken in
        ("evaluations", np.int64),  # float64[...]
        ("evaluation_scalars", np.int64),  # numbers of an evaluation beside those per legal action
        ("evaluation_heads", np.int64),  # numbers per legal action
        ("own", np.int64),  # int32[length]: the steps of `player`, in time order
        ("length", np.int64),
        ("player", np.int64),
        ("terminated", np.int64),  # 1 when the rules ended the episode, 0 when it was cut
        ("final_state", np.int64),  # the state after the last tick
        (
            "tail",
            np.int64,
        ),  # float64[heads * tail_size]: the value of the final state when truncated, else zeros
        ("scratch", np.int64),
    ],
    align=True,
)

BATCH = np.dtype(
    [
        (
            "columns",
            np.int64,
        ),  # int64[...]: the address of each array, a ragged one followed by its offsets
        ("first_row", np.int64),
        ("filled", np.int64),  # int64[...]: entries written so far to each ragged array
        ("heads", np.int64),  # of the policy's network
    ],
    align=True,
)

SELF = RecordOf("self")
EPISODE_SIZE = Prototype("episode_size", INT, SELF, RecordOf("rules"), RecordOf("episode"), ArrayOf(np.int64))
EPISODE_RECORDS = Prototype(
    "episode_records",
    None,
    SELF,
    RecordOf("rules"),
    RecordOf("episode"),
    RecordOf("batch"),
    RecordOf("stream"),
)
TAIL_FROM_ROW = Prototype("tail_from_row", None, SELF, ArrayOf(np.float64), INT, ArrayOf(np.float64))
LEARNER_METHODS = (EPISODE_SIZE, EPISODE_RECORDS, TAIL_FROM_ROW)


class Learner(Component):
    """What a trajectory becomes: subclass it, list the columns, write the methods.

    The methods below the line are compiled; they see one player's trajectory of one finished episode.

    Class attributes to state:
        name: The registry name.
        policies: The names of the policies whose evaluations it reads.
        batch_type: The class of the batches it fills.
        stores_evaluations: Whether `episode_records` reads evaluations.
        uses_episode_tail: Whether a truncated trajectory needs the network's value of the cut state.
        tail_size: Numbers of that value for each head of the network.
        windowed: Whether a collection ends by cutting every unfinished trajectory, so that no record spans
            two collections; the episodes go on. The floor then counts the decisions not yet recorded, too.
        records_interior: Whether the decisions inside a search become records as soon as it is done
            (`Policy.interior`). Each comes as a trajectory of one step whose action is -1.
        records_everyone: Whether players that do not act get a value-only step each tick in a sequential game
            where the policy values every player (`Policy.values_everyone`).
        augment: Whether records are written under symmetries of the encoder's view (`rules.draw_symmetry`,
            `encode_under` and `head_index_under`; `rinforza.contracts.csr.write_legal_under`); the encoder must
            offer some then.
    """

    policies: ClassVar[tuple[str, ...]]
    batch_type: ClassVar[type[Batch]]
    stores_evaluations: ClassVar[bool] = True
    uses_episode_tail: ClassVar[bool] = False
    windowed: ClassVar[bool] = False
    records_everyone: ClassVar[bool] = False
    records_interior: ClassVar[bool] = False
    augment: bool = False
    tail_size: int = 1
    gamma: float

    def columns(self, game: Game, policy: Policy, observation_size: int) -> dict[str, Column]:
        """Return the arrays of a batch, in the order in which `columns` lists their addresses."""
        raise NotImplementedError

    # ---------------------------------------------------------------- compiled from here on

    def episode_size(self, rules, episode, lengths):
        """Return how many records the trajectory makes; add each ragged array's entries to `lengths`."""
        raise NotImplementedError

    def episode_records(self, rules, episode, batch, stream):
        """Write the trajectory's records from row `batch.first_row` on."""
        raise NotImplementedError

    def tail_from_row(self, answer, n_actions, tail):
        """Read the tail from the network's answer for the cut state."""
        tail[0] = answer[0]


def step_of(episode, index):
    """Return step number `index` of the trajectory's own player."""
    own = array_at(episode.own, episode.length, np.int32)
    steps = array_at(episode.steps, own[index] + 1, STEP)
    return steps[own[index]]


def column(batch, index, rows, dtype):
    """Return the first `rows` elements of array number `index` of the batch."""
    return array_at(column_address(batch, index), rows, dtype)


def column_address(batch, index):
    """Return the address of array number `index` of the batch."""
    return array_at(batch.columns, index + 1, np.int64)[index]


def learner_layouts() -> dict[str, Any]:
    """Return the record layouts of a learner's methods."""
    from .rules import RULES

    return {"rules": RULES, "episode": EPISODE, "batch": BATCH}
