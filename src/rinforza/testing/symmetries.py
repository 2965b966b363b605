"""What an encoder claims of symmetries, put to the test: games are played as they are and transformed."""

from typing import NamedTuple

import numpy as np

from ..contracts.rules import CHANCE, SIMULTANEOUS, TERMINAL
from .agreement import disagreement
from .lanes import GameLane, alike
from .verdict import ConformanceError, broken

MOST_FOLLOWED = 2000  # outcomes between two decisions; where there are more, a pair of games stops
DECIMALS = 5  # observations are told apart up to these
MEND = (
    "offer only what rules, first state and encoder have in common, and let transform move every plane, and "
    "transform_head every column, the same way"
)
MEND_COLUMNS = (
    "let transform_head map the columns 0 to num_actions - 1 one to one, symmetry 0 to themselves, and offer "
    "the inverse of each symmetry"
)


class End(NamedTuple):
    """A state that a chain of chance nodes leads to."""

    probability: float
    state: np.ndarray
    events: np.ndarray  # of the chain


Outlook = dict[bytes, list[End]]  # the ends of a chain by what is seen there


def check_symmetries(
    plain: GameLane, compiled: GameLane, ticks: int, plain_ticks: int, generator: np.random.Generator
) -> None:
    """Check the columns under every symmetry, then play pairs of games in each lane."""
    if plain.rules.symmetries == 1:
        return
    columns = _columns(plain, compiled)
    inverses = [_inverses(plain, columns, symmetry) for symmetry in range(len(columns))]
    for lane, budget in ((plain, plain_ticks), (compiled, ticks)):
        pair = _Pair(lane, columns, [list(known) for known in inverses], generator)
        played = games = 0
        while played < budget or games < len(columns):
            played += max(1, pair.play(games % len(columns), max(1, budget // len(columns))))
            games += 1


def _columns(plain: GameLane, compiled: GameLane) -> np.ndarray:
    """Return the column that each column becomes under each symmetry, checked."""
    n_actions = plain.game.num_actions
    found = np.zeros((plain.rules.symmetries, n_actions), np.int64)
    for symmetry, row in enumerate(found):
        for head in range(n_actions):
            one, other = (lane.transform_head(symmetry, head) for lane in (plain, compiled))
            if one != other:
                raise disagreement(compiled.label("transform_head"), one, other)
            row[head] = one
        if sorted(row.tolist()) != list(range(n_actions)):
            what = f"takes the columns to {row.tolist()!s:.200} under symmetry {symmetry}"
            raise broken(plain.where("transform_head"), what, MEND_COLUMNS)
    if (found[0] != np.arange(n_actions)).any():
        what = f"takes the columns to {found[0].tolist()!s:.200} under symmetry 0, the identity"
        raise broken(plain.where("transform_head"), what, MEND_COLUMNS)
    return found


def _inverses(lane: GameLane, columns: np.ndarray, symmetry: int) -> list[int]:
    """Return the symmetries that take the columns back."""
    straight = np.arange(columns.shape[1])
    found = [other for other, row in enumerate(columns) if np.array_equal(row[columns[symmetry]], straight)]
    if not found:
        what = f"offers no symmetry that takes the columns back from symmetry {symmetry}"
        raise broken(lane.where("transform_head"), what, MEND_COLUMNS)
    return found


class _Pair:
    """Two games side by side, one of them with every action under a symmetry.

    Args:
        lane: The lane to play in.
        columns: The column that each column becomes under each symmetry.
        inverses: The symmetries that may undo each one; those that do not are struck off.
        generator: Chooses actions and chance.
    """

    def __init__(self, lane, columns, inverses, generator):
        self.lane, self.columns, self.inverses, self.generator = lane, columns, inverses, generator
        self.players = range(lane.game.num_players)
        self.nothing = np.zeros((lane.game.num_players, len(lane.game.events)))
        self.first = self._outlook(lane.initial())

    def play(self, symmetry: int, longest: int) -> int:
        """Play one pair of games; return the ticks until it was over or could not be followed."""
        lane = self.lane
        longest = min(longest, lane.game.truncation_horizon() or longest)
        outlooks = self.first, self.first
        for tick in range(longest + 1):
            states = self._drawn(symmetry, *outlooks)
            if states is None:
                return tick
            self._compare(symmetry, *states)
            if lane.actor(states[0]) == TERMINAL:
                return tick
            if tick < longest:
                joints = self._joints(symmetry, states[0])
                played = [lane.step(state, joint) for state, joint in zip(states, joints, strict=True)]
                self._compare_events(symmetry, *(events for _, events in played))
                outlooks = self._outlook(played[0][0]), self._outlook(played[1][0])
            elif lane.defines("truncate"):
                cut = [lane.truncate(state, self.nothing) for state in states]
                self._compare_events(symmetry, *cut)
        return longest

    def _joints(self, symmetry: int, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a random joint action, and the same under the symmetry."""
        lane, turn = self.lane, self.lane.actor(state)
        one, other = np.zeros((2, len(self.players)), np.int64)
        for player in self.players:
            legal = lane.legal(state, player)
            if turn in (player, SIMULTANEOUS) and len(legal) > 0:
                one[player] = self.generator.choice(legal)
                head = self.columns[symmetry, lane.head_index(int(one[player]), player)]
                other[player] = lane.game_action(int(head), player)
        return one, other

    # ---- comparing ----

    def _compare(self, symmetry: int, one: np.ndarray, other: np.ndarray) -> None:
        lane = self.lane
        turns = lane.actor(one), lane.actor(other)
        if turns[0] != turns[1]:
            raise self._refusal(symmetry, f"it is the turn of {turns[1]}, not {turns[0]}")
        for player in self.players:
            expected = self._transformed(symmetry, one, player)
            seen = lane.observe(other, player)
            if not alike(expected, seen):
                cell = tuple(np.argwhere(~np.isclose(expected, seen, 1e-5, 1e-6))[0].tolist())
                what = (
                    f"player {player} sees {seen[cell]} in cell {cell}, and the transformed observation "
                    f"has {expected[cell]} there"
                )
                raise self._refusal(symmetry, what)
            columns = sorted(self.columns[symmetry, self._legal_columns(one, player)].tolist())
            found = sorted(self._legal_columns(other, player))
            if columns != found:
                what = f"the legal columns are {found}, and the transformed ones {columns}"
                raise self._refusal(symmetry, what)

    def _compare_events(self, symmetry: int, one: np.ndarray, other: np.ndarray) -> None:
        if not alike(one, other):
            what = f"the events are {other.tolist()}, not {one.tolist()}"
            raise self._refusal(symmetry, what)

    def _legal_columns(self, state: np.ndarray, player: int) -> list[int]:
        actions = self.lane.legal(state, player).tolist()
        return [self.lane.head_index(action, player) for action in actions]

    def _transformed(self, symmetry: int, state: np.ndarray, player: int) -> np.ndarray:
        """Return a player's observation under the symmetry; one of the others must take it back."""
        lane = self.lane
        seen = lane.observe(state, player)
        moved = lane.transform(symmetry, seen)
        self.inverses[symmetry] = [
            inverse
            for inverse in self.inverses[symmetry]
            if np.array_equal(lane.transform(inverse, moved), seen)
        ]
        if not self.inverses[symmetry]:
            what = f"offers no symmetry that takes observation and columns back from symmetry {symmetry}"
            raise broken(lane.where("transform"), what, "write every cell of `out`, and offer each inverse")
        return moved

    def _refusal(self, symmetry: int, what: str) -> ConformanceError:
        where = f"{self.lane.label('transform')} with transform_head ({self.lane.lane})"
        return broken(where, f"is no symmetry of {self.lane.game!r}: under symmetry {symmetry} {what}", MEND)

    # ---- chance ----

    def _outlook(self, state: np.ndarray) -> "Outlook | None":
        """Return what chance may lead to before the next decision, by sight; None where that is too much."""
        if self.lane.actor(state) != CHANCE:
            return {b"": [End(1.0, state, self.nothing)]}
        outlook: Outlook = {}
        ends = self._ends(state)
        for end in ends or []:
            seen = [self.lane.observe(end.state, player) for player in self.players]
            outlook.setdefault(_sight(seen, end.events), []).append(end)
        return None if ends is None else outlook

    def _ends(self, state: np.ndarray) -> list[End] | None:
        """Follow all outcomes, node after node of the chain; the same state reached twice counts once."""
        lane = self.lane
        ends: dict[bytes, End] = {}
        level = {b"": End(1.0, state, self.nothing)}
        followed = 0
        while level:
            following: dict[bytes, End] = {}
            for end in level.values():
                odds = lane.chance(end.state) if lane.defines("chance") else ()
                followed += len(odds)
                if len(odds) == 0 or followed > MOST_FOLLOWED:
                    return None
                for outcome, probability in enumerate(odds):
                    after, events = lane.resolve_chance(end.state, outcome)
                    open_or_end = following if lane.actor(after) == CHANCE else ends
                    _add(open_or_end, End(end.probability * float(probability), after, end.events + events))
            level = following
        return list(ends.values())

    def _drawn(self, symmetry, outlook, other) -> tuple[np.ndarray, np.ndarray] | None:
        """Return a state that chance leads to and its counterpart; None where they cannot be told.

        A sight must be as likely as its transform. States that look alike may differ in what is hidden: then
        nobody can say which of them go together.
        """
        if outlook is None or other is None:
            return None
        sight = list(outlook)[self.generator.integers(len(outlook))]
        ends = outlook[sight]
        counterparts = other.get(self._sight_under(symmetry, ends[0]) if sight else sight, [])
        odds, other_odds = (sum(end.probability for end in found) for found in (ends, counterparts))
        if abs(odds - other_odds) > 1e-9:
            what = f"chance leads to a sight with probability {other_odds:.6g}, not {odds:.6g}"
            raise self._refusal(symmetry, what)
        choices = [{end.state.tobytes(): end.state for end in found} for found in (ends, counterparts)]
        if any(len(states) > 1 for states in choices):
            return None
        one, counterpart = (next(iter(states.values())) for states in choices)
        return one, counterpart

    def _sight_under(self, symmetry: int, end: End) -> bytes:
        seen = [self._transformed(symmetry, end.state, player) for player in self.players]
        return _sight(seen, end.events)


def _add(ends: dict[bytes, End], end: End) -> None:
    """Add an end to those known; one that is known becomes more likely."""
    key = end.state.tobytes() + end.events.tobytes()
    known = ends[key].probability if key in ends else 0.0
    ends[key] = end._replace(probability=known + end.probability)


def _sight(seen: list[np.ndarray], events: np.ndarray) -> bytes:
    """Return what tells apart what all players see, and the events on the way there."""
    return b"".join((np.round(part, DECIMALS) + 0.0).tobytes() for part in (*seen, events))
