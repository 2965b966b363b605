"""One game, driven by the caller: no policy, no horizon."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from ..compiled.random import derive_key
from ..contracts.arguments import integer
from ..contracts.composition import Rules
from ..contracts.configuration import component_block, fingerprint
from ..contracts.game import Game
from ..contracts.reward import Reward
from ..contracts.spaces import Box
from ..contracts.state_bytes import layout_digest
from ..engine import Position
from .admission import check_composition, check_turn
from .kernels import ALL_LEGAL, ENDLESS_CHANCE, EVENTFUL, LEAST_ANSWER, LEAST_TO_ACT, TURN_SHIFT
from .refusal import endless_chance, refusal
from .snapshot import EnvSnapshot, canonical_state
from .start import Move, checked_moves, listed_moves
from .world import NOW, PAID, REFUSED, TICKS, World, seed_stream

CONFIG_SCHEMA = 2


class Env:
    """One game that the caller plays.

    Chance is drawn by the environment: whoever asks always sees a state in which somebody acts or
    the game is over. The horizon of a game (`max_ticks`) is for engines and adapters; here a game
    lasts until its rules end it. An environment is not for two threads at once.

    Args:
        game: The game; agents are its players.
        reward: The weights of the game's events, or None for an environment without scalar rewards.
        seed: 0 to 2**64 - 1; equal seeds and actions give equal games.
        moves: What is played at the start of every episode, before the caller's first tick: an action for
            each decision, or, where all act at once, a dict from agent to action for each tick. None for
            nothing. Chance in between is drawn; ticks count from there.

    Attributes:
        game: The game.
        reward: The reward, or None.
        rules: The composition that compiled code works with; environments of equal game and
            reward share it.

    Raises:
        TypeError: If an argument has another type.
        ValueError: If the reward names an event that the game does not have, more than 1,024 players act at
            once, a move is not legal, or the moves end the game; the message names the move by its index.
        OverflowError: If the seed is negative or beyond 64 bits, or an action is negative.
        RuntimeError: If the game's chance nodes never end.

    Example:
        >>> import rinforza as rf
        >>> env = rf.Env(rf.games.TicTacToe(), rf.Reward())
        >>> for cell in (0, 3, 1, 4, 2):
        ...     events = env.step({env.active_agents()[0]: cell})
        >>> env.done(), events, env.rewards
        (True, [(0, 'win'), (1, 'loss')], [1.0, -1.0])
    """

    game: Game
    reward: Reward | None
    rules: Rules

    def __init__(
        self,
        game: Game,
        reward: Reward | None = None,
        seed: int = 0,
        *,
        moves: Sequence[int] | Sequence[Mapping[int, int]] | None = None,
    ):
        seed = integer("seed", seed, 0)
        self._attach(World(game, reward), game, reward, checked_moves(game, moves))
        self._begin(seed)

    def _attach(self, world: World, game: Game, reward: Reward | None, moves: tuple[Move, ...]) -> None:
        self.game, self.reward, self.rules = game, reward, world.rules
        self._n_agents, self._n_actions = game.num_players, game.num_actions
        self._moves = moves
        self._world, self._now = world, world.words[NOW]
        # What every tick needs is one step away.
        self._address, self._live = world.address, world.live
        self._play, self._words = world.kernels.play, world.words
        self._legal, self._counts = world.legal, world.counts
        self._every_agent, self._every_action = list(range(self._n_agents)), list(range(self._n_actions))
        self._payload, self._events = game.event_payload, list(enumerate(world.events))

    # ------------------------------------------------------------------------------- playing

    def reset(self, seed: int | None = None) -> None:
        """Start a new episode.

        Args:
            seed: None to go on with the random stream, so that each episode has other chance; a
                number to start where `Env(game, reward, seed)` starts.

        Raises:
            TypeError: If the seed is no integer.
            ValueError: If chance leaves a start move illegal, or ends the game with it; nothing has changed.
            OverflowError: If the seed is negative or beyond 64 bits.
            RuntimeError: If the game's chance nodes never end.
        """
        self._begin(None if seed is None else integer("seed", seed, 0))

    def _begin(self, seed: int | None) -> None:
        if not self._moves:
            self._begin_bare(seed)
            return
        world = self._world
        moment = world.moment()
        try:
            self._begin_bare(seed)
            self._play_moves()
        except BaseException:
            world.return_to(moment)
            self._now = world.words[NOW]
            raise
        world.words[TICKS] = world.words[PAID] = 0

    def _begin_bare(self, seed: int | None) -> None:
        answer = self._world.begin(seed)
        if answer == ENDLESS_CHANCE:
            raise endless_chance(self.game)
        self._now = answer

    def _play_moves(self) -> None:
        for index, move in enumerate(self._moves):
            if self.done():
                raise ValueError(f"moves[{index}]: the game is already over")
            try:
                self.step(move if isinstance(move, dict) else {self._now >> TURN_SHIFT: move})
            except ValueError as error:
                raise ValueError(f"moves[{index}]: {error}") from None
        if self.done():
            raise ValueError(
                f"moves[{len(self._moves) - 1}] ends the game; an episode must begin before that"
            )

    def step(self, actions: Mapping[int, int]) -> list[tuple[int, Any]]:
        """Play one tick: a decision of every active agent, and the chance that follows.

        Args:
            actions: One legal action for each active agent, and for nobody else.

        Returns:
            (agent, event) in the order of the agents, for those that have an event; what an event
            looks like is the game's own. A quiet tick gives [].

        Raises:
            TypeError: If `actions` is no mapping from integers to integers.
            ValueError: If the episode is over, an agent is not active, an active one has no
                action, or an action is not legal. Nothing has changed then.
            OverflowError: If an agent or an action is negative.
            RuntimeError: If the game's chance nodes never end; nothing has changed.
        """
        answer = self._play(self._address, actions)
        if answer < LEAST_ANSWER:
            answer = self._play_checked(actions)
        self._now = answer
        if not answer & EVENTFUL:
            return []
        if self._n_agents == 1:  # to go through a list of one takes a tenth of a tick
            event = self._payload(0, self._events[0][1], self._live)
            return [] if event is None else [(0, event)]
        found = []
        for agent, amounts in self._events:
            event = self._payload(agent, amounts, self._live)
            if event is not None:
                found.append((agent, event))
        return found

    def _play_checked(self, actions: Mapping[int, int]) -> int:
        """Play what any mapping asks for, or say what is wrong with it."""
        if not isinstance(actions, Mapping):
            raise TypeError(f"actions must be a dict from agent to action, got {type(actions).__name__}")
        asked = {}
        for agent, action in actions.items():
            number = integer(f"the action of agent {agent}", action, 0)
            asked[self._checked(agent)] = min(number, self._n_actions)  # what is too large is illegal anyway
        answer = self._play(self._address, asked)
        if answer < LEAST_ANSWER:
            raise refusal(self, answer, self._words[REFUSED], actions)
        return answer

    @property
    def ticks(self) -> int:
        """The ticks since the last reset."""
        return self._words[TICKS]

    @property
    def rewards(self) -> list[float] | None:
        """One reward per agent for the last tick; None without a reward, and before a tick.

        A reset, a restore and a fork have no last tick.
        """
        world = self._world
        return world.rewards.tolist() if world.words[PAID] and self.reward is not None else None

    # ------------------------------------------------------------------------------- looking

    def done(self) -> bool:
        """Return whether the game is over."""
        return self._now < LEAST_TO_ACT

    def num_agents(self) -> int:
        """Return how many agents there are."""
        return self._n_agents

    def action_count(self) -> int:
        """Return how many action ids there are; ids are 0 to `action_count() - 1`."""
        return self._n_actions

    def observation_space(self) -> Box:
        """Return the space of an observation, of shape (C, H, W)."""
        return self.game.observation_space()

    def active_agents(self) -> list[int]:
        """Return the agents that act this tick, in ascending order; [] when the game is over."""
        now = self._now
        if now >= 0:
            return [now >> TURN_SHIFT]
        if now & ALL_LEGAL:
            return self._every_agent.copy()
        return [agent for agent, count in enumerate(self._counts.tolist()) if count]

    def legal_actions(self, agent: int) -> list[int]:
        """Return an agent's legal actions in ascending order; [] when it does not act.

        Raises:
            TypeError: If the agent is no integer.
            ValueError: If there is no such agent.
            OverflowError: If the agent is negative.
        """
        now = self._now
        if now & ALL_LEGAL and agent is now >> TURN_SHIFT:
            return self._every_action.copy()
        if type(agent) is not int or not 0 <= agent < self._n_agents:
            agent = self._checked(agent)
        if now & ALL_LEGAL and now < 0:
            return self._every_action.copy()
        return self._legal[agent][: self._counts[agent]].tolist()

    def observe(self, agent: int) -> np.ndarray:
        """Return what the network sees for an agent, float32 (C, H, W).

        Raises:
            TypeError: If the agent is no integer.
            ValueError: If there is no such agent.
            OverflowError: If the agent is negative.
        """
        return self._world.observation(self._checked(agent))

    def information_state_key(self, agent: int) -> bytes:
        """Return what an agent knows, to move or not: one key for the states it cannot tell apart.

        Raises:
            TypeError: If the agent is no integer.
            ValueError: If there is no such agent, or the game has no information states.
            OverflowError: If the agent is negative.
        """
        agent = self._checked(agent)
        if not self._world.declares_information():
            raise ValueError(
                f"this game does not declare information states: {self.game.name!r} defines no "
                "information_state"
            )
        return self._world.information(agent)

    def _checked(self, agent: Any) -> int:
        if type(agent) is int and 0 <= agent < self._n_agents:
            return agent
        number = integer("agent", agent, 0)
        if number >= self._n_agents:
            raise ValueError(f"agent {number} is out of range for a {self._n_agents}-agent game")
        return number

    def state(self) -> dict[str, Any]:
        """Return what the state holds as plain Python values, hidden parts included."""
        return self.game.state_values(self._world.state_record())

    def render(self) -> str:
        """Return a drawing of the state for a terminal, hidden parts included."""
        return self.game.text(self._world.state_record())

    @property
    def state_bytes(self) -> bytes:
        """The state as compiled code reads it."""
        return self._world.state.tobytes()

    @property
    def state_address(self) -> int:
        """Where the state lies in memory, as long as the environment lives; to be read only."""
        return self._world.state.ctypes.data

    @property
    def stream(self) -> tuple[int, int]:
        """Key and counter of the random stream that draws the chance to come."""
        stream = self._world.stream[0]
        return int(stream["key"]), int(stream["counter"])

    def position(self) -> Position:
        """Return what `Policy.choose` needs to know of this environment."""
        key, counter = (np.uint64(word) for word in self.stream)
        with np.errstate(over="ignore"):
            own_key = int(derive_key(key, counter, np.uint64(self.ticks)))
        return Position(
            rules=None if self.reward is None else self.rules,
            fingerprint=fingerprint(self._composition()),
            state=self.state_bytes,
            key=own_key,
            ticks=self.ticks,
        )

    # ------------------------------------------------------------------------------- keeping

    def fork(self, seed: int | None = None) -> "Env":
        """Return an environment of its own at the same point.

        Args:
            seed: None for the same chance to come; a number for the chance of that seed.

        Raises:
            TypeError: If the seed is no integer.
            OverflowError: If the seed is negative or beyond 64 bits.
        """
        seed = None if seed is None else integer("seed", seed, 0)
        other = object.__new__(type(self))
        other._attach(self._world.twin(), self.game, self.reward, self._moves)
        other._world.words[PAID] = 0
        if seed is not None:
            seed_stream(other._world.stream, seed)
        return other

    def snapshot(self) -> EnvSnapshot:
        """Return this moment as a value: state, chance to come, ticks."""
        return EnvSnapshot(
            fingerprint=self.config_fingerprint(),
            layout=layout_digest(self.game.state_dtype),
            ticks=self.ticks,
            done=self.done(),
            state=self.state_bytes,
            stream=self.stream,
        )

    def restore(self, snapshot: EnvSnapshot) -> None:
        """Go to the moment of a snapshot; `rewards` is then None.

        Args:
            snapshot: From an environment of the same game and reward.

        Raises:
            TypeError: If it is no EnvSnapshot.
            ValueError: If it is from another composition, or its state is not one of this game's.
                Nothing has changed then.
        """
        if not isinstance(snapshot, EnvSnapshot):
            raise TypeError(f"snapshot must be an EnvSnapshot, got {type(snapshot).__name__}")
        check_composition(snapshot, self.game, self.config_fingerprint())
        world = self._world
        state = canonical_state(snapshot.state, self.game.state_dtype)
        world.trial_state[:] = np.frombuffer(state, np.uint8)
        world.trial_stream["key"], world.trial_stream["counter"] = snapshot.stream
        turn = world.inspect_trial()
        check_turn(snapshot, self.game, turn)
        self._now = world.adopt_trial(turn, snapshot.ticks)

    # ------------------------------------------------------------------------------- describing

    def resolved_config(self) -> dict[str, Any]:
        """Return schema_version, game and reward (every weight, or None) as values for JSON.

        Where there are start moves, they are there as `moves`.
        """
        config = self._composition()
        return {**config, "moves": listed_moves(self._moves)} if self._moves else config

    def _composition(self) -> dict[str, Any]:
        reward = None if self.reward is None else self.reward.resolve(self.game)
        return {"schema_version": CONFIG_SCHEMA, "game": component_block(self.game), "reward": reward}

    def config_fingerprint(self) -> str:
        """Return 64 hex digits that are equal for equal configurations, whatever the seed."""
        return fingerprint(self.resolved_config())

    def __repr__(self) -> str:
        return f"<Env {self.game!r}, {self.ticks} ticks{', done' if self.done() else ''}>"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(
            "an Env holds memory that compiled code points to, and cannot be copied or pickled; "
            "use fork() for a copy and snapshot().to_bytes() to keep it"
        )
