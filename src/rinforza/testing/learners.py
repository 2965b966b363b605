"""The conformance check of learners."""

from typing import Any

import numpy as np

from ..contracts.batch import Batch, Column, TupleBatch
from ..contracts.game import Game
from ..contracts.learner import Learner
from ..contracts.policy import Policy, PolicyValue
from ..engine import Engine, checks
from .agreement import disagreement
from .components import check_component
from .encoders import with_encoder
from .episode_bench import FILLS, Episode, EpisodeBench, Records, play_episode
from .lanes import GameLane, alike
from .mirror import mirrored, mirrored_ids
from .policies import check_policy_claims
from .search_bench import SearchBench
from .verdict import blame, broken

LONGEST = 40  # ticks of an episode
MEND_FRAME = (
    "pass every action id through head_index(rules, action, player), and legal lists through write_legal"
)


def check_learner(
    learner: Learner,
    policy: Policy,
    game: Game,
    *,
    episodes: int = 8,
    plain_episodes: int = 3,
    seed: int = 0,
) -> None:
    """Turn random episodes into records, compiled and in plain Python, and check what comes out.

    The batch arrays are exactly as large as `episode_size` announces and stand between walls; each
    trajectory is written twice over different contents, and again with a game whose network columns
    are renumbered, to see that records are in the head frame. At last an engine collects a batch.

    Args:
        learner: The learner.
        policy: A policy whose evaluations it reads.
        game: A game that the policy plays.
        episodes: Episodes turned into records compiled; every other one is cut short.
        plain_episodes: Of these, those turned into records in plain Python too.
        seed: Chooses the episodes and the network's answers.

    Raises:
        TypeError: If the arguments are no such components.
        ValueError: If the three do not fit together.
        ConformanceError: If the learner breaks its contract; the message says where, how, and how
            to mend it.

    Example:
        >>> import rinforza as rf
        >>> parts = rf.learners.Dqn(), rf.policies.EpsilonGreedyQ(), rf.games.TicTacToe()
        >>> rf.testing.check_learner(*parts, episodes=2, plain_episodes=1)
    """
    check_component(learner, Learner)
    checks.check_pair(policy, learner)
    check_policy_claims(policy, game)
    check_learner_claims(learner, policy, game)
    lane = GameLane(game, plain=False)
    checks.check_game(policy, game, lane.rules.weights)
    checks.check_augmentation(learner, game, lane.rules.symmetries)
    search = SearchBench(lane, policy)
    played = [play_episode(search, seed + number, _length(game, number)) for number in range(episodes)]
    # Plain Python first: an index out of range is an error there, and a crash in compiled code.
    plain = _bench(game, learner, policy, plain=True)
    in_plain = [_all_records(plain, episode, seed) for episode in played[:plain_episodes]]
    compiled = _bench(game, learner, policy, plain=False)
    turned = _bench(with_encoder(game, mirrored(game)), learner, policy, plain=False)
    in_compiled = [_all_records(compiled, episode, seed) for episode in played]
    if not any(records.n_rows for episode in in_compiled for records in episode.values()):
        what = f"made no record of {len(played)} episodes, so an engine would collect for ever"
        raise broken(compiled.where("episode_size"), what, "make records of a player's decisions")
    for episode, straight in zip(played, in_compiled, strict=True):
        for player, records in straight.items():
            _check_frame(compiled, records, turned.records(episode, player, seed), game)
    for one, other in zip(in_plain, in_compiled, strict=False):
        for player, records in one.items():
            _compare(compiled, records, other[player])
    _check_engine(game, policy, learner, seed)


def _length(game: Game, number: int) -> int:
    """Return after how many ticks an episode is cut; every other one is short."""
    longest = LONGEST if number % 2 == 0 else 1 + 2 * number
    return min(longest, game.truncation_horizon() or longest)


def _bench(game: Game, learner: Learner, policy: Policy, plain: bool) -> EpisodeBench:
    lane = GameLane(game, plain)
    return EpisodeBench(lane, learner, SearchBench(lane, policy))


def _all_records(bench: EpisodeBench, episode: Episode, seed: int) -> dict[int, Records]:
    """Return the records of each player's trajectory."""
    players = sorted(set(episode.steps["player"].tolist()))
    return {player: _records(bench, episode, player, seed) for player in players}


def check_learner_claims(learner: Learner, policy: Policy, game: Game) -> None:
    """Check what a learner states."""
    label = type(learner).__name__
    gamma = getattr(learner, "gamma", None)
    if isinstance(gamma, bool) or not isinstance(gamma, int | float) or not 0.0 <= gamma <= 1.0:
        raise broken(
            label,
            f"has gamma = {gamma!r}",
            "hand gamma, 0 to 1, to super().__init__; the search reads it",
        )
    for name in ("stores_evaluations", "uses_episode_tail", "windowed", "records_everyone", "augment"):
        if not isinstance(getattr(learner, name), bool):
            raise broken(label, f"states {name} = {getattr(learner, name)!r}", "state True or False")
    if not isinstance(learner.tail_size, int) or learner.tail_size < 1:
        raise broken(label, f"states tail_size = {learner.tail_size!r}", "state an int >= 1")
    with blame(f"{label}.columns", "return a dict of Column by name"):
        columns = learner.columns(game, policy, int(np.prod(game.encoder.shape(game))))
    names = []
    for name, column in columns.items():
        if (
            not isinstance(column, Column)
            or np.dtype(column.dtype).hasobject
            or (column.ragged and column.shape)
        ):
            raise broken(
                f"{label}.columns",
                f"gives {name} the column {column!r}",
                "use Column(dtype, shape) or, for entries of varying number, Column(np.int64, ragged=True)",
            )
        names += [f"{name}_ids", f"{name}_offsets"] if column.ragged else [name]
    kind = getattr(learner, "batch_type", None)
    if not isinstance(kind, type) or not issubclass(kind, Batch):
        raise broken(label, f"states batch_type = {kind!r}", "state a subclass of Batch")
    if sorted(kind.fields) != sorted(names):
        what = f"lists the fields {sorted(kind.fields)}, and columns gives {sorted(names)}"
        raise broken(
            f"{label}.batch_type",
            what,
            "list every array once, a ragged one as NAME_ids, NAME_offsets",
        )
    for name in getattr(kind, "unpacks", ()):
        if name not in names and name != "telemetry":
            raise broken(f"{label}.batch_type", f"unpacks {name!r}", "name fields, or telemetry")


def _records(bench: EpisodeBench, episode: Episode, player: int, seed: int) -> Records:
    """Write a trajectory's records over two different contents, and check them."""
    first, second = (bench.records(episode, player, seed, fill) for fill in FILLS)
    for name, array in first.arrays.items():
        if first.n_rows != second.n_rows or array.tobytes() != second.arrays[name].tobytes():
            raise broken(
                bench.where("episode_records"),
                f"leaves entries of {name} unwritten, or writes others for the same stream",
                "write every entry of its rows (zeros too: the arrays are not cleared), and draw "
                "from `stream` only",
            )
    for name, column, role in bench.fields:
        if role == "offsets":
            _check_rows(bench, name.removesuffix("_offsets"), first)
        elif (
            role == "rows"
            and np.dtype(column.dtype).kind == "f"
            and not np.isfinite(first.arrays[name]).all()
        ):
            raise broken(
                bench.where("episode_records"),
                f"wrote NaN or an infinity to {name}",
                "guard divisions",
            )
    return first


def _check_rows(bench: EpisodeBench, name: str, records: Records) -> None:
    """Check a ragged column: where rows begin, and the ids of each."""
    ids, offsets = records.arrays[f"{name}_ids"], records.arrays[f"{name}_offsets"]
    if offsets[-1] != len(ids) or (np.diff(offsets) < 0).any():
        raise broken(
            bench.where("episode_records"),
            f"wrote the {name}_offsets {offsets.tolist()} for {len(ids)} entries",
            "write offsets[row + 1] for every row, in row order, as write_legal does",
        )
    for row in range(records.n_rows):
        entries = ids[offsets[row] : offsets[row + 1]]
        inside = ((entries >= 0) & (entries < bench.lane.game.num_actions)).all()
        if not inside or (np.diff(entries) <= 0).any():
            raise broken(
                bench.where("episode_records"),
                f"wrote the {name}_ids {entries.tolist()} in a row",
                "write ascending ids from 0 to num_actions - 1, each once, as write_legal does",
            )


def _compare(bench: EpisodeBench, plain: Records, compiled: Records) -> None:
    label = f"{type(bench.learner).__name__}.episode_records"
    if (plain.n_rows, plain.drawn) != (compiled.n_rows, compiled.drawn):
        raise disagreement(
            f"{label} (rows, random numbers)",
            (plain.n_rows, plain.drawn),
            (compiled.n_rows, compiled.drawn),
        )
    for name, array in plain.arrays.items():
        if not alike(array, compiled.arrays[name]):
            raise disagreement(f"{label}, array {name},", array.tolist(), compiled.arrays[name].tolist())


def _check_frame(bench: EpisodeBench, straight: Records, turned: Records, game: Game) -> None:
    """Check that renumbered network columns show up in the records."""
    for name, column, role in bench.fields:
        one, other = straight.arrays[name], turned.arrays[name]
        if role == "ids":
            expected = mirrored_ids(one, straight.arrays[name.removesuffix("ids") + "offsets"], game)
        elif name == "actions":
            expected = game.num_actions - 1 - one
        elif role == "rows" and column.shape[-1:] == (game.num_actions,) and not _is_by_place(name):
            expected = one[..., ::-1]
        else:
            expected = one
        if not alike(expected, other):
            what = f"does not follow the encoder's numbering of the network columns in {name}"
            raise broken(bench.where("episode_records"), what, MEND_FRAME)


def _is_by_place(name: str) -> bool:
    """Return whether an array is numbered by place or by head, whatever its width."""
    return "obs" in name or name == "masks"


def _check_engine(game: Game, policy: Policy, learner: Learner, seed: int) -> None:
    """Let an engine collect, and look at the batch."""
    generator = np.random.default_rng(seed)
    n_actions, output = game.num_actions, policy.output

    def infer(obs: np.ndarray) -> Any:
        if isinstance(output, PolicyValue):
            return generator.uniform(-1, 1, (len(obs), n_actions)), generator.uniform(-1, 1, len(obs))
        return generator.uniform(-1, 1, (len(obs), output.heads, n_actions))

    label = f"{type(learner).__name__} in an Engine"
    with blame(label, "see the message: the engine composes and fills the batch as it does in use"):
        batch = Engine(game, None, policy, learner, n_games=3, seed=seed, n_threads=1).collect(4, infer)
        if isinstance(batch, TupleBatch):
            list(batch)
    rows = len(batch.obs)
    columns = learner.columns(game, policy, batch.obs.shape[1])
    for name, column in columns.items():
        array = getattr(batch, f"{name}_offsets" if column.ragged else name)
        expected = (rows + 1,) if column.ragged else (rows, *column.shape)
        if array.shape != expected or array.dtype != np.dtype(column.dtype):
            what = (
                f"fills {name} with {array.dtype}{array.shape}; expected {np.dtype(column.dtype)}{expected}"
            )
            raise broken(label, what, "let columns describe the arrays as they are written")
