"""What can be measured: one table of workloads, as data that this library and its peers read alike.

Nothing here imports a library. Games, policies and learners have the same registered names and the same
parameters on both sides; what an entry does not name keeps each side's default. `targets` are held against
reinfors, which has a counterpart of everything but `Reaching`.
"""

from typing import Any, NamedTuple

SIMULATIONS = 64

Size = tuple[int, int]  # games played at once, and rows of a callback call (0: the library's default)


class Part(NamedTuple):
    """A game, a policy or a learner: its registered name and its parameters."""

    name: str
    options: dict[str, Any]


class SelfPlay(NamedTuple):
    """An engine under a network that costs nothing.

    Attributes:
        game: The rules.
        policy: How it plays.
        learner: What it records.
        records_per_game: Floor of one collect, per game: long enough to hide how a collect starts and ends.
        targets: The least ratio of our speed to the peer's, for each size.
        usual: Whether it is measured even in a quick run of everything.
    """

    game: Part
    policy: Part
    learner: Part
    records_per_game: int
    targets: dict[Size, float]
    usual: bool = False

    @property
    def simulations(self) -> int:
        """Simulations of each decision; 0 where there are none to count."""
        return self.policy.options.get("num_simulations", 0)

    @property
    def unit(self) -> str:
        """The count that says how much was done, the same for both sides of a comparison."""
        return "simulations" if self.simulations else "decisions"


class ByHand(NamedTuple):
    """A game that the caller plays, one at a time and at random, through the public face of `Env`."""

    game: Part
    targets: dict[Size, float]
    usual: bool = True
    unit = "steps"


class Solving(NamedTuple):
    """A tabular solver.

    Attributes:
        game: The rules.
        variant: The algorithm.
        iterations: Iterations of one call.
        targets: The least ratio of our speed to the peer's.
        fresh: Whether each call gets a new solver. Where tables grow without end, as in a sampled large
            game, iterations cost more and more, so both sides have to run as many.
        open_spiel: The least ratio to the speed of OpenSpiel's solver; None if it is not compared.
    """

    game: Part
    variant: str
    iterations: int
    targets: dict[Size, float]
    fresh: bool = False
    open_spiel: float | None = None
    usual: bool = False
    unit = "iterations"


class Reaching(NamedTuple):
    """A tabular solver's whole way from nothing to a strategy that can hardly be exploited.

    Attributes:
        game: The rules.
        variant: The algorithm.
        exploitability: Where the way ends; what it takes to look how far it is belongs to it.
        targets: The most seconds that it may take.
    """

    game: Part
    variant: str
    exploitability: float
    targets: dict[Size, float]
    usual: bool = False
    unit = "solutions"


class Traversing(NamedTuple):
    """The sampling of Deep CFR.

    Attributes:
        game: The rules.
        traversals: Traversals of one collect.
        targets: The least ratio of our speed to the peer's.
    """

    game: Part
    traversals: int
    targets: dict[Size, float]
    usual: bool = False
    unit = "traversals"


Workload = SelfPlay | ByHand | Solving | Reaching | Traversing


def part(name: str, **options: Any) -> Part:
    """Return a part with its parameters."""
    return Part(name, options)


CONNECT4, GRIDWORLD, LEDUC = part("connect4"), part("gridworld"), part("leduc_poker")
HEADS_UP, SIX_HANDED = part("texas_holdem", num_players=2), part("texas_holdem", num_players=6)

# A learner that records whole episodes gets them short, or a collect would play for minutes.
CHESS_OPENINGS = part("chess", max_ticks=20)
BACKGAMMON_OPENINGS = part("backgammon", max_ticks=30)
SHORT_SNAKE = part("snake", grid_size=10, max_ticks=30)

ALPHAZERO, TREESTRAP, PPO, DQN = part("alphazero"), part("treestrap"), part("ppo"), part("dqn")
SEARCH = part("alphazero", num_simulations=SIMULATIONS)
Q_VALUES = part("epsilon_greedy_q", n_heads=1, epsilon=0.1)
PPO_POLICY = part("ppo")

ONE_GAME = (1, 0)

# The default batch, half as many rows as games, is the peer's best or close to it unless a size says otherwise.
WORKLOADS: dict[str, Workload] = {
    "alphazero_connect4": SelfPlay(
        CONNECT4,
        SEARCH,
        ALPHAZERO,
        records_per_game=16,
        # here a batch as large as the games can be better for the peer
        targets={(128, 0): 4.0, (128, 128): 4.0, (1024, 0): 6.0, (1024, 1024): 6.0},
        usual=True,
    ),
    "alphazero_chess": SelfPlay(CHESS_OPENINGS, SEARCH, ALPHAZERO, 10, {(64, 0): 3.0}),
    "alphazero_backgammon": SelfPlay(
        BACKGAMMON_OPENINGS, part("alphazero", num_simulations=32), ALPHAZERO, 15, {(64, 0): 4.0}
    ),
    "alphazero_snake": SelfPlay(SHORT_SNAKE, SEARCH, ALPHAZERO, 15, {(64, 0): 2.0}),
    "mcts_connect4": SelfPlay(
        CONNECT4, part("mcts", num_simulations=SIMULATIONS), TREESTRAP, 8, {(128, 0): 5.0}
    ),
    "expectimax_snake": SelfPlay(SHORT_SNAKE, part("selective_expectimax"), TREESTRAP, 8, {(64, 0): 3.0}),
    "minimax_connect4": SelfPlay(CONNECT4, part("minimax", depth=4), TREESTRAP, 8, {(64, 0): 2.0}),
    "ppo_connect4": SelfPlay(CONNECT4, PPO_POLICY, PPO, 256, {(128, 0): 3.0}),
    "ppo_chess": SelfPlay(part("chess"), PPO_POLICY, PPO, 128, {(128, 0): 2.0}),
    "dqn_connect4": SelfPlay(CONNECT4, Q_VALUES, DQN, 256, {(128, 0): 4.0}, usual=True),
    "dqn_gridworld": SelfPlay(GRIDWORLD, Q_VALUES, DQN, 1024, {(128, 0): 4.0}, usual=True),
    "dqn_holdem_2": SelfPlay(HEADS_UP, Q_VALUES, DQN, 256, {(128, 0): 4.0}),
    "dqn_holdem_6": SelfPlay(SIX_HANDED, Q_VALUES, DQN, 256, {(128, 0): 4.0}),
    "env_connect4": ByHand(CONNECT4, {ONE_GAME: 1.0}),
    "env_gridworld": ByHand(GRIDWORLD, {ONE_GAME: 1.0}),
    "env_snake": ByHand(part("snake"), {ONE_GAME: 1.0}),
    "cfr_vanilla_leduc": Solving(LEDUC, "vanilla", 16, {ONE_GAME: 20.0}, open_spiel=5.0),
    "cfr_plus_leduc": Solving(LEDUC, "plus", 16, {ONE_GAME: 20.0}, open_spiel=5.0),
    "cfr_external_leduc": Solving(LEDUC, "external_mccfr", 1024, {ONE_GAME: 3.0}),
    "cfr_external_holdem_2": Solving(HEADS_UP, "external_mccfr", 4096, {ONE_GAME: 3.0}, fresh=True),
    "solve_leduc": Reaching(LEDUC, "dcfr", 0.001, {ONE_GAME: 10.0}),
    "deep_cfr_leduc": Traversing(LEDUC, 2000, {ONE_GAME: 2.0}),
    "deep_cfr_holdem_2": Traversing(HEADS_UP, 200, {ONE_GAME: 3.0}),
}
