"""One game, driven by the caller: no policy, no horizon."""

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from ..compiled.random import derive_key
from ..contracts.arguments import integer
from ..contracts.composition import Rules
from ..contracts.configuration import component_block, fingerprint
from ..contracts.game import Game
from ..contracts.reward import Reward
from ..contracts.rules import LONGEST_CHANCE_CHAIN, SIMULTANEOUS, TERMINAL
from ..contracts.spaces import Box
from ..engine import Position
from .kernels import INVALID, IS_OVER, MISSING, NOT_ACTIVE, PLAYED
from .snapshot import EnvSnapshot, canonical_state, layout_digest
from .world import EVENTFUL, REFUSED, TURN, World, seed_stream

CONFIG_SCHEMA = 2
LISTED_ACTIONS = 20  # how many legal actions a message spells out


class Env:
    """One game that the caller plays.

    Chance is drawn by the environment: whoever asks always sees a state in which somebody acts or
    the game is over. The horizon of a game (`max_ticks`) is for engines and adapters; here a game
    lasts until its rules end it. An environment is not for two threads at once.

    Args:
        game: The game; agents are its players.
        reward: The weights of the game's events, or None for an environment without scalar rewards.
        seed: 0 to 2**64 - 1; equal seeds and actions give equal games.

    Attributes:
        game: The game.
        reward: The reward, or None.
        rules: The composition that compiled code works with; environments of equal game and
            reward share it.

    Raises:
        TypeError: If an argument has another type.
        ValueError: If the reward names an event that the game does not have.
        OverflowError: If the seed is negative or beyond 64 bits.
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

    def __init__(self, game: Game, reward: Reward | None = None, seed: int = 0):
        seed = integer("seed", seed, 0)
        self._attach(World(game, reward), game, reward)
        self._begin(seed)

    def _attach(self, world: World, game: Game, reward: Reward | None) -> None:
        self._world = world
        self.game, self.reward, self.rules = game, reward, world.rules
        self._n_agents = self.game.num_players
        self._n_actions = self.game.num_actions
        self._ticks = 0
        self._rewards: list[float] | None = None

    # ------------------------------------------------------------------------------- playing

    def reset(self, seed: int | None = None) -> None:
        """Start a new episode.

        Args:
            seed: None to go on with the random stream, so that each episode has other chance; a
                number to start where `Env(game, reward, seed)` starts.

        Raises:
            TypeError: If the seed is no integer.
            OverflowError: If the seed is negative or beyond 64 bits.
            RuntimeError: If the game's chance nodes never end.
        """
        self._begin(None if seed is None else integer("seed", seed, 0))

    def _begin(self, seed: int | None) -> None:
        if self._world.begin(seed) != PLAYED:
            raise _endless_chance(self.game)
        self._ticks = 0
        self._rewards = None

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
        world = self._world
        self._write_joint(actions)
        fault = world.play()
        if fault != PLAYED:
            self._refuse(fault, actions)
        self._ticks += 1
        if self.reward is not None:
            self._rewards = world.rewards.tolist()
        words = world.words
        if words[EVENTFUL] == 0 and words[TURN] != TERMINAL:
            return []
        payload = self.game.event_payload
        found = ((agent, payload(agent, amounts, world.live)) for agent, amounts in enumerate(world.events))
        return [(agent, event) for agent, event in found if event is not None]

    def _write_joint(self, actions: Mapping[int, int]) -> None:
        if type(actions) is not dict and not isinstance(actions, Mapping):
            raise TypeError(f"actions must be a dict from agent to action, got {type(actions).__name__}")
        world = self._world
        world.clear_joint()
        for agent, action in actions.items():
            if type(action) is not int or not 0 <= action < self._n_actions:
                action = integer(f"the action of agent {agent}", action, 0)
            agent = self._checked(agent)
            world.joint[agent] = min(action, self._n_actions)  # what is too large is illegal anyway
            world.acts[agent] = 1

    def _refuse(self, fault: int, actions: Mapping[int, int]) -> NoReturn:
        if fault == IS_OVER:
            raise ValueError("the episode is over; call reset()")
        agent = self._world.words[REFUSED]
        if fault == NOT_ACTIVE:
            raise ValueError(f"agent {agent} is not active this tick; active agents: {self.active_agents()}")
        if fault == MISSING:
            raise ValueError(
                f"missing action for active agent {agent}; active agents: {self.active_agents()}"
            )
        if fault > IS_OVER:
            raise _endless_chance(self.game)
        action = next(value for key, value in actions.items() if int(key) == agent)
        legal = _listed(self.legal_actions(agent))
        raise ValueError(f"action {action} is illegal for agent {agent}; legal actions: {legal}")

    @property
    def ticks(self) -> int:
        """The ticks since the last reset."""
        return self._ticks

    @property
    def rewards(self) -> list[float] | None:
        """One reward per agent for the last tick; None without a reward, and before a tick.

        A reset, a restore and a fork have no last tick.
        """
        return None if self._rewards is None else list(self._rewards)

    # ------------------------------------------------------------------------------- looking

    def done(self) -> bool:
        """Return whether the game is over."""
        return self._world.words[TURN] == TERMINAL

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
        turn = self._world.words[TURN]
        if turn == SIMULTANEOUS:
            return [agent for agent in range(self._n_agents) if self._world.count_legal(agent)]
        return [] if turn == TERMINAL else [turn]

    def legal_actions(self, agent: int) -> list[int]:
        """Return an agent's legal actions in ascending order; [] when it does not act.

        Raises:
            TypeError: If the agent is no integer.
            ValueError: If there is no such agent.
            OverflowError: If the agent is negative.
        """
        return self._world.legal_actions(self._checked(agent))

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
            own_key = int(derive_key(key, counter, np.uint64(self._ticks)))
        return Position(
            rules=None if self.reward is None else self.rules,
            fingerprint=self.config_fingerprint(),
            state=self.state_bytes,
            key=own_key,
            ticks=self._ticks,
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
        other._attach(self._world.twin(), self.game, self.reward)
        other._ticks = self._ticks
        if seed is not None:
            seed_stream(other._world.stream, seed)
        return other

    def snapshot(self) -> EnvSnapshot:
        """Return this moment as a value: state, chance to come, ticks."""
        return EnvSnapshot(
            fingerprint=self.config_fingerprint(),
            layout=layout_digest(self.game.state_dtype),
            ticks=self._ticks,
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
        self._check_composition(snapshot)
        world = self._world
        state = canonical_state(snapshot.state, self.game.state_dtype)
        world.trial_state[:] = np.frombuffer(state, np.uint8)
        world.trial_stream["key"], world.trial_stream["counter"] = snapshot.stream
        turn = world.inspect_trial()
        self._check_turn(turn, snapshot.done)
        world.adopt_trial(turn)
        self._ticks = snapshot.ticks
        self._rewards = None

    def _check_composition(self, snapshot: EnvSnapshot) -> None:
        own = self.config_fingerprint()
        if snapshot.fingerprint != own:
            raise ValueError(
                "snapshot is from a different composition: its fingerprint is "
                f"{snapshot.fingerprint}, this environment's is {own}; game, encoder and reward "
                "must be equal"
            )
        if snapshot.layout != layout_digest(self.game.state_dtype):
            raise ValueError(
                f"snapshot is from a different composition: the states of {self.game.name!r} had "
                "another layout when it was made"
            )

    def _check_turn(self, turn: int, done: bool) -> None:
        problem = None
        if turn == INVALID:
            problem = f"its state is not one of the game {self.game.name!r}"
        elif turn != TERMINAL and turn != SIMULTANEOUS and not 0 <= turn < self._n_agents:
            problem = "nobody acts in its state, and the game is not over"
        elif done != (turn == TERMINAL):
            problem = f"done is {done}, but its state says {turn == TERMINAL}"
        if problem is not None:
            raise ValueError(f"invalid EnvSnapshot: {problem}")

    # ------------------------------------------------------------------------------- describing

    def resolved_config(self) -> dict[str, Any]:
        """Return schema_version, game and reward (every weight, or None) as values for JSON."""
        reward = None if self.reward is None else self.reward.resolve(self.game)
        return {
            "schema_version": CONFIG_SCHEMA,
            "game": component_block(self.game),
            "reward": reward,
        }

    def config_fingerprint(self) -> str:
        """Return 64 hex digits that are equal for equal configurations, whatever the seed."""
        return fingerprint(self.resolved_config())

    def __repr__(self) -> str:
        return f"<Env {self.game!r}, {self._ticks} ticks{', done' if self.done() else ''}>"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(
            "an Env holds memory that compiled code points to, and cannot be copied or pickled; "
            "use fork() for a copy and snapshot().to_bytes() to keep it"
        )


def _listed(actions: list[int]) -> str:
    shown = ", ".join(map(str, actions[:LISTED_ACTIONS]))
    return f"{shown}, ... ({len(actions)} in all)" if len(actions) > LISTED_ACTIONS else shown


def _endless_chance(game: Game) -> RuntimeError:
    return RuntimeError(
        f"a chain of more than {LONGEST_CHANCE_CHAIN:,} chance nodes in {game.name!r}: they form a cycle"
    )
