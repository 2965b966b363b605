"""The contract of a game."""

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .arguments import optional_integer
from .component import Component
from .spaces import Box, Discrete

if TYPE_CHECKING:
    from .encoder import Encoder

DYNAMICS = ("sequential", "simultaneous")
CHANCE_NODES = ("none", "root", "anywhere")
INFORMATION = ("perfect", "imperfect")
LARGEST_HORIZON = (1 << 63) - 1


class Game(Component):
    """The rules of a game: subclass it, state the claims, write the methods.

    The methods below the line are compiled. In them `self` has the numbers among the parameters, `state` has
    the fields of `state_dtype`, arrays are written in place, and the functions they call are plain functions
    of a module. They also run as they are in plain Python, where `self` is the game.

    Class or instance attributes to state (none of the claims has a default):
        name: The registry name.
        num_players: How many players there are.
        num_actions: How many action ids there are; ids are 0 to num_actions - 1.
        dynamics: `"sequential"` (one player acts) or `"simultaneous"` (all that have a legal action act).
        chance_nodes: `"none"`, `"root"` (only before the first decision) or `"anywhere"`.
        information: `"perfect"` or `"imperfect"`.
        events: Event names with their default reward weights, in the order of the event columns.
        state_dtype: The layout of a state, made with `align=True`.
        most_outcomes: The largest number of outcomes that `chance` lists (0 without `chance`).
        information_size: The most bytes of an information state (0 without `information_state`).
        n_cells: Into how many cells `cell` sorts states, for an engine's start buffer (0 without `cell`).
        resignation: What a player's giving up pays, in a game of two players in turn: the name of that player's
            event and of the other's, once each; None where the rules do not say.

    Args:
        encoder: The encoder, or None for `default_encoder()`.
        max_ticks: The horizon at which an engine truncates an episode, >= 1, or None; left out by a game whose
            constructor has no such parameter.
        tables: Record fields that follow from the parameters.
        **parameters: The remaining constructor keywords, resolved.

    Raises:
        ValueError: For an encoder of another game, or max_ticks of 0.
        OverflowError: For a max_ticks that is negative or beyond 63 bits.
    """

    num_players: int
    num_actions: int
    dynamics: str
    chance_nodes: str
    information: str
    events: ClassVar[dict[str, float]]
    state_dtype: np.dtype
    most_outcomes: int = 0
    information_size: int = 0
    n_cells: int = 0
    resignation: ClassVar[tuple[str, str] | None] = None

    def __init__(
        self,
        *,
        encoder: "Encoder | None" = None,
        max_ticks: Any = ...,
        tables: dict[str, Any] | None = None,
        **parameters: Any,
    ):
        if max_ticks is not ...:
            parameters["max_ticks"] = _checked_horizon(max_ticks)
        super().__init__(parameters, tables)
        self.__dict__["_horizon"] = parameters.get("max_ticks")
        chosen = self.default_encoder() if encoder is None else encoder
        self._check_encoder(chosen)
        self.__dict__["encoder"] = chosen
        self._parameters["encoder"] = chosen

    encoder: "Encoder"
    _horizon: int | None

    def _check_encoder(self, encoder: Any) -> None:
        from .encoder import Encoder

        if not isinstance(encoder, Encoder):
            raise TypeError(f"encoder must be an Encoder or None, got {type(encoder).__name__}")
        if self.name not in encoder.games:
            raise ValueError(
                f"incompatible encoder: {encoder.name!r} encodes {', '.join(encoder.games)}, "
                f"not the game {self.name!r}; use encoder=None for its own"
            )

    def default_encoder(self) -> "Encoder":
        """Return the encoder that `encoder=None` selects: the first one defined for a game of this name."""
        from .encoder import first_encoder

        return first_encoder(self.name)

    def observation_space(self) -> Box:
        """Return the space of one observation, of shape (C, H, W)."""
        low, high = self.encoder.bounds(self)
        return Box(self.encoder.shape(self), low, high)

    def action_space(self) -> Discrete:
        """Return the space of action ids."""
        return Discrete(self.num_actions)

    def truncation_horizon(self) -> int | None:
        """Return the number of ticks after which an engine truncates, or None."""
        return self._horizon

    def state_values(self, state: Any) -> dict[str, Any]:
        """Return what a state holds as plain Python values (hidden parts included)."""
        return {name: _plain(state[name]) for name in self.state_dtype.names or ()}

    def event_payload(self, player: int, amounts: np.ndarray, state: Any) -> Any:
        """Return what `Env.step` reports of one player's tick; None when there is nothing.

        `amounts` has the player's events of the tick, `state` is the state after it.
        """
        found = {name: float(amount) for name, amount in zip(self.events, amounts, strict=True) if amount}
        return found or None

    def text(self, state: Any) -> str:
        """Return a drawing of the state for a terminal."""
        return str(self.state_values(state))

    # ---------------------------------------------------------------- compiled from here on

    def initial(self, state):
        """Write the first state; its bytes are zero before."""
        raise NotImplementedError

    def actor(self, state):
        """Return the player to act, or CHANCE, SIMULTANEOUS or TERMINAL."""
        raise NotImplementedError

    def legal_actions(self, state, player, out):
        """Write the legal ids of `player` in ascending order to `out` (int32) and return how many.

        A player that does not act, or a finished game, has none.
        """
        raise NotImplementedError

    def step(self, state, actions, events):
        """Play `actions` (int64[num_players], read only where a player acts); add to `events`.

        `events` is float64[num_players, number of events] and zero before.
        """
        raise NotImplementedError

    def chance(self, state, probabilities):
        """Write the probability of each outcome of a chance node; return how many outcomes there are.

        Each is positive, and their sum is 1; an impossible outcome is left out. 0 means that there are more
        than `most_outcomes`, and that only `sample_chance` draws one.
        """
        raise NotImplementedError

    def resolve_chance(self, state, outcome, events):
        """Apply one outcome of a chance node; add to `events` (not at the root)."""
        raise NotImplementedError

    def sample_chance(self, state, stream):
        """Draw an outcome (optional: for fans too wide to list); `stream` is for `rinforza.random`."""
        raise NotImplementedError

    def information_state(self, state, player, out):
        """Write what `player` knows as bytes to `out` (optional); return how many.

        `out` is uint8[information_size] and zero before. Equal bytes mean the same turn and the same legal
        actions of the player; begin with the player's number.
        """
        raise NotImplementedError

    def truncate(self, state, events):
        """Add to `events` (optional) when the horizon cuts the episode in this state."""
        raise NotImplementedError

    def cell(self, state):
        """Return the cell of a state that was reached (optional), from 0 to n_cells - 1, or -1 to keep it out.

        Episodes of an engine with a start buffer begin in states drawn from cells, each cell as likely as any
        other: states in one cell are alike, such as in who leads, or in how far the game has come. It is asked
        where somebody acts, never at a chance node or after the end.
        """
        raise NotImplementedError

    def valid(self, state):
        """Return 1 if a state read from outside is safe for every other method, else 0.

        A state in which a chance outcome is pending is none: what is kept has been drawn.
        """
        raise NotImplementedError


def _checked_horizon(max_ticks: Any) -> int | None:
    ticks = optional_integer("max_ticks", max_ticks, 0)
    if ticks == 0:
        raise ValueError("max_ticks must be >= 1 (or None to never truncate), got 0")
    if ticks is not None and ticks > LARGEST_HORIZON:
        raise OverflowError(f"max_ticks must fit in a signed 64-bit integer, got {ticks}")
    return ticks


def sole_event(game: Game, amounts: np.ndarray) -> str | None:
    """Return the name of the one event that happened, or None: what a board game reports of its end."""
    for name, amount in zip(game.events, amounts.tolist(), strict=True):
        if amount:
            return name
    return None


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value
