"""Putting components together: every method compiled against its prototype, its address in a table."""

import copy
from typing import Any

import numpy as np

from ..compiled import Prototype, compile_function
from ..compiled.random import STREAM
from .arguments import integer
from .component import Component
from .encoder import Encoder
from .game import CHANCE_NODES, DYNAMICS, INFORMATION, Game
from .reward import Reward, weight_array
from .rules import ENCODER_METHODS, GAME_METHODS, OPTIONAL, RULES, TRANSFORM, TRANSFORM_HEAD
from .state_bytes import size_in_tables

MOST_CELLS = 1 << 24


def own_record(component: Component) -> np.ndarray:
    """Return a private copy of the record that stands for `self`."""
    return component.record.copy()


class Methods:
    """The compiled methods of one component; keeps them alive.

    Args:
        component: The game, encoder, policy or learner.
        prototypes: The methods that its callers call.
        layouts: Record layouts beyond `self`.
    """

    def __init__(self, component: Component, prototypes: tuple[Prototype, ...], layouts: dict[str, np.dtype]):
        layouts = {"self": component.record.dtype, "stream": STREAM, **layouts}
        self.addresses: dict[str, int] = {}
        self._keep: list[Any] = []
        for prototype in prototypes:
            function = getattr(type(component), prototype.name)
            if prototype in OPTIONAL and _left_out(component, prototype.name):
                self.addresses[prototype.name] = 0
                continue
            label = f"{type(component).__name__}.{prototype.name}"
            compiled = compile_function(function, prototype, layouts, label, owner=component)
            self.addresses[prototype.name] = compiled.address
            self._keep.append(compiled)


def _left_out(component: Component, name: str) -> bool:
    return any(getattr(type(component), name) is vars(base).get(name) for base in (Game, Encoder))


class Rules:
    """A game with its encoder and its reward, ready for compiled callers.

    Args:
        game: The game.
        reward: The reward, or None for the game's default weights.
        discount: The discount of a search on this composition.

    Attributes:
        table: A `RULES` record; its address is what compiled code is given.
        game: The game.
        weights: float64, one reward weight per event.
        symmetries: How many the encoder's view has.
    """

    def __init__(self, game: Game, reward: Reward | None, discount: float = 1.0):
        if not isinstance(game, Game):
            raise TypeError(f"game must be a Game, got {type(game).__name__}")
        check_claims(game)
        self.symmetries = checked_symmetries(game)
        self.game = game
        self.weights = weight_array(reward, game)
        state = {"state": game.state_dtype}
        self._game_methods = Methods(game, GAME_METHODS, state)
        layouts = {**state, "game": game.record.dtype}
        self._view_methods = Methods(game.encoder, ENCODER_METHODS, layouts)
        self._records = own_record(game), own_record(game.encoder)
        self.table = self._fill()
        self.table["discount"] = discount

    def _fill(self) -> np.ndarray:
        game = self.game
        table = np.zeros(1, RULES)
        row = table[0]
        for methods in (self._game_methods, self._view_methods):
            for name, address in methods.addresses.items():
                row[name] = address
        row["game"], row["encoder"] = (record.ctypes.data for record in self._records)
        row["weights"] = self.weights.ctypes.data
        row["n_players"] = game.num_players
        row["simultaneous"] = game.dynamics == "simultaneous"
        row["n_actions"] = game.num_actions
        row["n_events"] = len(game.events)
        row["most_outcomes"] = game.most_outcomes
        row["information_size"] = game.information_size
        row["n_cells"] = game.n_cells
        row["state_size"] = size_in_tables(game.state_dtype)
        column = {name: place for place, name in enumerate(game.events)}
        row["resigned"], row["resigned_to"] = [column.get(name, -1) for name in game.resignation or ("", "")]
        channels, height, width = game.encoder.shape(game)
        row["channels"], row["height"], row["width"] = channels, height, width
        row["observation_size"] = channels * height * width
        row["key_words"] = game.encoder.key_words(game) or -(-channels * height * width // 2)
        row["same_frame"] = game.encoder.same_frame
        row["symmetries"] = self.symmetries
        return table

    def discounted(self, discount: float) -> "Rules":
        """Return the same composition under another discount."""
        other = copy.copy(self)
        other.table = self.table.copy()
        other.table["discount"] = discount
        return other

    @property
    def address(self) -> int:
        """The address of the table."""
        return self.table.ctypes.data

    @property
    def state_size(self) -> int:
        """Bytes from one state to the next."""
        return int(self.table["state_size"][0])

    @property
    def key_words(self) -> int:
        """64-bit words of what stands for an observation."""
        return int(self.table["key_words"][0])

    @property
    def observation_size(self) -> int:
        """Floats in one flattened observation."""
        return int(self.table["observation_size"][0])


def scratch_shapes(game: Game, evaluation: int = 0) -> dict[str, tuple[Any, Any]]:
    """Return shape and dtype of each array behind a SCRATCH record; `evaluation` is the largest one's."""
    players = game.num_players
    return {
        "joint": (players, np.int64),
        "events": ((players, len(game.events)), np.float64),
        "rewards": (players, np.float64),
        "values": (players, np.float64),
        "probabilities": (game.most_outcomes, np.float64),
        "legal": (game.num_actions, np.int32),
        "evaluation": (evaluation, np.float64),
        "observation": (game.encoder.shape(game) if checked_symmetries(game) > 1 else 0, np.float32),
    }


def check_claims(game: Game) -> None:
    """Refuse a game whose claims are missing or contradict its methods.

    Raises:
        TypeError: If a claim is missing, or a number is none.
        ValueError: If a claim is none of the known words, a number is out of range, or either contradicts the
            methods.
        OverflowError: If a number is negative.
    """
    claims = {"dynamics": DYNAMICS, "chance_nodes": CHANCE_NODES, "information": INFORMATION}
    for claim in ("num_players", "num_actions", "events", "state_dtype", *claims):
        if not hasattr(game, claim):
            raise TypeError(f"{type(game).__name__} does not state {claim}; see the Game contract")
    for claim, known in claims.items():
        if getattr(game, claim) not in known:
            raise ValueError(
                f"{type(game).__name__}.{claim} is {getattr(game, claim)!r}; expected one of {known}"
            )
    has_chance = not _left_out(game, "resolve_chance")
    if has_chance != (game.chance_nodes != "none"):
        raise ValueError(
            f"{type(game).__name__} claims chance_nodes={game.chance_nodes!r} but "
            f"{'defines' if has_chance else 'does not define'} resolve_chance"
        )
    if has_chance and _left_out(game, "sample_chance"):
        if _left_out(game, "chance") or game.most_outcomes < 1:
            raise ValueError(f"{type(game).__name__} has chance nodes; define chance and most_outcomes")
    _check_resignation(game)
    tells = not _left_out(game, "information_state")
    if game.information == "imperfect" and not tells:
        raise ValueError(f"{type(game).__name__} claims imperfect information; define information_state")
    size, cells = game.information_size, game.n_cells
    _check_number(game, "information_state", "information_size", size, "the most bytes it writes")
    _check_number(game, "cell", "n_cells", cells, "how many cells there are", MOST_CELLS)
    encoder = game.encoder
    _check_number(encoder, "key", "key_words", encoder.key_words(game), "how many words it writes")


def _check_number(
    component: Component, method: str, claim: str, stated: Any, meaning: str, most: int | None = None
) -> None:
    """Refuse the number that goes with an optional method if it is none, or contradicts the method."""
    label = type(component).__name__
    number = integer(f"{label}.{claim}", stated, 0, most)
    defined = not _left_out(component, method)
    if defined != (number > 0):
        raise ValueError(
            f"{label} {'defines' if defined else 'does not define'} {method} and states {claim} = {number}; "
            f"state {meaning}, 0 for none"
        )


def checked_symmetries(game: Game) -> int:
    """Return how many symmetries the encoder's view of a game has.

    Raises:
        TypeError: If the encoder's answer is no int.
        ValueError: If it is 0, or above 1 without the methods that apply a symmetry.
        OverflowError: If it is negative.
    """
    encoder = game.encoder
    label = f"{type(encoder).__name__}.symmetries"
    count = integer(label, encoder.symmetries(game), 1)
    missing = [name for name in (TRANSFORM.name, TRANSFORM_HEAD.name) if _left_out(encoder, name)]
    if count > 1 and missing:
        raise ValueError(f"{label} is {count}; define {' and '.join(missing)}, or return 1")
    return count


def _check_resignation(game: Game) -> None:
    """Refuse a game that says wrongly what giving up pays.

    Raises:
        ValueError: If it is not one of two players in turn, or names anything but two events.
    """
    paid = game.resignation
    if paid is None:
        return
    if game.num_players != 2 or game.dynamics != "sequential":
        raise ValueError(
            f"{type(game).__name__} states resignation = {paid!r}, which is for two players in turn; state None"
        )
    if len(paid) != 2 or any(name not in game.events for name in paid):
        raise ValueError(
            f"{type(game).__name__} states resignation = {paid!r}; state the event of who gives up and that of "
            f"the other, each one of {', '.join(game.events)}; or None"
        )
