"""A game with its encoder and its rewards, as the table of addresses that compiled code works with.

`RULES` is filled once per composition (`composition.Rules`). The functions below it are what search, policies,
learners and the engine call: the first argument is the table, a state is the address of its bytes.
"""

import numpy as np

from ..compiled import INT, ArrayOf, Prototype, RecordOf, address_of, array_at, clear_bytes
from ..compiled.random import categorical, integer_below

CHANCE = -1
SIMULTANEOUS = -2
TERMINAL = -3
LONGEST_CHANCE_CHAIN = 10_000

SELF = RecordOf("self")
STATE = RecordOf("state")

INITIAL = Prototype("initial", None, SELF, STATE)
ACTOR = Prototype("actor", INT, SELF, STATE)
LEGAL_ACTIONS = Prototype("legal_actions", INT, SELF, STATE, INT, ArrayOf(np.int32))
STEP = Prototype("step", None, SELF, STATE, ArrayOf(np.int64), ArrayOf(np.float64, 2))
CHANCE_FAN = Prototype("chance", INT, SELF, STATE, ArrayOf(np.float64))
RESOLVE_CHANCE = Prototype("resolve_chance", None, SELF, STATE, INT, ArrayOf(np.float64, 2))
SAMPLE_CHANCE = Prototype("sample_chance", INT, SELF, STATE, RecordOf("stream"))
INFORMATION_STATE = Prototype("information_state", INT, SELF, STATE, INT, ArrayOf(np.uint8))
TRUNCATE = Prototype("truncate", None, SELF, STATE, ArrayOf(np.float64, 2))
CELL_OF = Prototype("cell", INT, SELF, STATE)
VALID = Prototype("valid", INT, SELF, STATE)
ENCODE = Prototype("encode", None, SELF, RecordOf("game"), STATE, INT, ArrayOf(np.float32, 3))
VIEW_KEY = Prototype("key", None, SELF, RecordOf("game"), STATE, INT, ArrayOf(np.uint64))
HEAD_INDEX = Prototype("head_index", INT, SELF, INT, INT)
GAME_ACTION = Prototype("game_action", INT, SELF, INT, INT)
TRANSFORM = Prototype(
    "transform", None, SELF, RecordOf("game"), INT, ArrayOf(np.float32, 3), ArrayOf(np.float32, 3)
)
TRANSFORM_HEAD = Prototype("transform_head", INT, SELF, RecordOf("game"), INT, INT)

GAME_METHODS = (
    INITIAL,
    ACTOR,
    LEGAL_ACTIONS,
    STEP,
    CHANCE_FAN,
    RESOLVE_CHANCE,
    SAMPLE_CHANCE,
    INFORMATION_STATE,
    TRUNCATE,
    CELL_OF,
    VALID,
)
ENCODER_METHODS = (ENCODE, VIEW_KEY, HEAD_INDEX, GAME_ACTION, TRANSFORM, TRANSFORM_HEAD)
# What a game or an encoder may leave out; the address is 0 then.
OPTIONAL = (
    CHANCE_FAN,
    RESOLVE_CHANCE,
    SAMPLE_CHANCE,
    INFORMATION_STATE,
    TRUNCATE,
    CELL_OF,
    VIEW_KEY,
    TRANSFORM,
    TRANSFORM_HEAD,
)

RULES = np.dtype(
    [
        ("game", np.int64),  # address of the game's record
        ("encoder", np.int64),  # address of the encoder's record
        ("weights", np.int64),  # address of one float64 per event
        *[(prototype.name, np.int64) for prototype in (*GAME_METHODS, *ENCODER_METHODS)],
        ("n_players", np.int64),
        ("simultaneous", np.int64),  # 1 when all that can act do so at once
        ("n_actions", np.int64),
        ("n_events", np.int64),
        ("most_outcomes", np.int64),
        ("information_size", np.int64),  # bytes
        ("n_cells", np.int64),  # 0 for a game that does not sort its states
        ("state_size", np.int64),  # bytes, a multiple of 8
        ("resigned", np.int64),  # the event of who gives up, and the other's: -1 where nobody may
        ("resigned_to", np.int64),
        ("channels", np.int64),
        ("height", np.int64),
        ("width", np.int64),
        ("observation_size", np.int64),
        ("key_words", np.int64),  # of what stands for an observation
        ("same_frame", np.int64),  # 1 when head ids are action ids
        ("symmetries", np.int64),  # of the encoder's view, the identity among them
        ("discount", np.float64),  # of the search, per decision of a player or ply
    ]
)

SCRATCH = np.dtype(
    [
        ("joint", np.int64),  # int64[n_players]
        ("events", np.int64),  # float64[n_players, n_events]
        ("rewards", np.int64),  # float64[n_players]
        ("values", np.int64),  # float64[n_players]
        ("probabilities", np.int64),  # float64[most_outcomes]
        ("legal", np.int64),  # int32[n_actions]
        ("evaluation", np.int64),  # float64[largest evaluation]
        ("observation", np.int64),  # float32[observation_size], where the view has symmetries
    ]
)


def actor(rules, state):
    """Return whose turn it is: a player, CHANCE, SIMULTANEOUS or TERMINAL."""
    return ACTOR(rules.actor, rules.game, state)


def legal_actions(rules, state, player, out):
    """Write the ascending legal ids of `player` to the int32s at address `out`; return how many."""
    return LEGAL_ACTIONS(rules.legal_actions, rules.game, state, player, out, rules.n_actions)


def step(rules, scratch, state):
    """Play the joint action in `scratch.joint`; afterwards `scratch.events` holds the events."""
    clear_bytes(scratch.events, rules.n_players * rules.n_events * 8)
    STEP(
        rules.step,
        rules.game,
        state,
        scratch.joint,
        rules.n_players,
        scratch.events,
        rules.n_players,
        rules.n_events,
    )


def step_one(rules, scratch, state, player, action):
    """Play `action` of `player` alone (sequential games)."""
    joint = array_at(scratch.joint, rules.n_players, np.int64)
    joint[player] = action
    step(rules, scratch, state)


def chance_fan(rules, scratch, state):
    """Write the outcome probabilities to `scratch.probabilities`; return how many there are."""
    return CHANCE_FAN(rules.chance, rules.game, state, scratch.probabilities, rules.most_outcomes)


def sample_outcome(rules, scratch, state, stream):
    """Draw an outcome of the chance node `state`."""
    if rules.sample_chance != 0:
        return SAMPLE_CHANCE(rules.sample_chance, rules.game, state, address_of(stream))
    count = chance_fan(rules, scratch, state)
    weights = array_at(scratch.probabilities, count, np.float64)
    return categorical(stream, weights, count)


def resolve_chance(rules, scratch, state, outcome):
    """Apply an outcome; afterwards `scratch.events` holds its events."""
    clear_bytes(scratch.events, rules.n_players * rules.n_events * 8)
    RESOLVE_CHANCE(
        rules.resolve_chance,
        rules.game,
        state,
        outcome,
        scratch.events,
        rules.n_players,
        rules.n_events,
    )


def reward_of(rules, scratch, player):
    """Return the reward of `player` for the events in `scratch`."""
    events = array_at(scratch.events, (rules.n_players, rules.n_events), np.float64)
    weights = array_at(rules.weights, rules.n_events, np.float64)
    total = 0.0
    for event in range(rules.n_events):
        total += weights[event] * events[player, event]
    return total


def truncate(rules, scratch, state):
    """Let the game amend the events in `scratch` of the tick at which the horizon cuts the episode."""
    TRUNCATE(
        rules.truncate,
        rules.game,
        state,
        scratch.events,
        rules.n_players,
        rules.n_events,
    )


def cell_of(rules, state):
    """Return the cell of a state, or -1 for one that is not to start an episode."""
    cell = CELL_OF(rules.cell, rules.game, state)
    if cell < -1 or cell >= rules.n_cells:
        raise RuntimeError("the game's cell method returned a number that is neither -1 nor below n_cells")
    return cell


def encode(rules, state, player, out):
    """Write the observation of `player` to the float32s at address `out`."""
    clear_bytes(out, rules.observation_size * 4)
    ENCODE(
        rules.encode,
        rules.encoder,
        rules.game,
        state,
        player,
        out,
        rules.channels,
        rules.height,
        rules.width,
    )


def view_key(rules, state, player, out):
    """Write the `key_words` words that stand for the observation of `player` to address `out`.

    They are the observation itself where the encoder defines nothing shorter.
    """
    if rules.key == 0:
        array_at(out, rules.key_words, np.uint64)[rules.key_words - 1] = 0  # an odd float32 leaves four bytes
        encode(rules, state, player, out)
    else:
        clear_bytes(out, rules.key_words * 8)
        VIEW_KEY(rules.key, rules.encoder, rules.game, state, player, out, rules.key_words)


def head_index(rules, action, player):
    """Return the network column of a game action."""
    if rules.same_frame != 0:
        return action
    return HEAD_INDEX(rules.head_index, rules.encoder, action, player)


def draw_symmetry(rules, stream):
    """Draw the number of one of the symmetries of the encoder's view, each as likely as the others; one draw."""
    return integer_below(stream, rules.symmetries)


def transform(rules, symmetry, observation, out):
    """Write the observation at one address under a symmetry to the float32s at address `out`."""
    clear_bytes(out, rules.observation_size * 4)
    TRANSFORM(
        rules.transform,
        rules.encoder,
        rules.game,
        symmetry,
        observation,
        rules.channels,
        rules.height,
        rules.width,
        out,
        rules.channels,
        rules.height,
        rules.width,
    )


def encode_under(rules, scratch, symmetry, state, player, out):
    """Write the observation of `player` under a symmetry to the float32s at address `out`."""
    if symmetry == 0:
        encode(rules, state, player, out)
    else:
        encode(rules, state, player, scratch.observation)
        transform(rules, symmetry, scratch.observation, out)


def head_index_under(rules, symmetry, action, player):
    """Return the network column of a game action under a symmetry."""
    head = np.int64(head_index(rules, action, player))
    if symmetry == 0:
        return head
    return TRANSFORM_HEAD(rules.transform_head, rules.encoder, rules.game, symmetry, head)
