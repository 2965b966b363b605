"""An engine from plain values, as JSON and YAML hold them."""

from collections.abc import Mapping
from typing import Any

from . import encoders, games, learners, policies
from .contracts import chance_modes, noise
from .contracts.configuration import BEHAVIOUR
from .contracts.registry import Registry
from .contracts.reward import Reward
from .engine import Engine
from .engine.configuration import CONFIG_SCHEMA

BLOCKS = ("game", "policy", "learner", "engine")
OPTIONAL = ("schema_version", "rinforza_version", "behaviour", "reward")
REGISTRIES = {"game": games.REGISTRY, "policy": policies.REGISTRY, "learner": learners.REGISTRY}
NESTED = {"encoder": encoders.REGISTRY, "chance": chance_modes.REGISTRY, "noise": noise.REGISTRY}
START_BUFFER = {"capacity": "start_buffer_capacity", "p_fresh": "p_fresh"}
REMOVED = {
    "n_groups": "slots wait in one queue for all rows",
    "pad_rows_to": "pad=True pads every call to batch_size rows",
}


def engine_from_config(config: Mapping[str, Any]) -> Engine:
    """Make an engine from a configuration: a resolved one, or one written by hand.

    Args:
        config: The blocks `game`, `policy` and `learner`, each with the `name` that its class is registered
            under and the keywords of its constructor (a name alone stands for its defaults), the block
            `engine` with the keywords of `Engine`, and, if wanted, `reward` with weights by event, here or in
            the game's block. An `encoder`, `chance` or `noise` in a block is such a block too. `max_ticks`
            may stand in the engine's block, and `start_buffer` there may be a dict of `capacity` and `p_fresh`.
            `schema_version`, `behaviour` and `revision` are checked where they are present.

    Raises:
        KeyError: For a block that is missing or a name that is not registered.
        TypeError: For a keyword that does not exist, or a value of another type.
        ValueError: For a value out of range, another `schema_version`, `behaviour` or `revision`, a nested
            block without a name, or parts that do not fit together.
        OverflowError: For a negative count, or an integer too wide.

    Example:
        >>> import rinforza as rf
        >>> config = {
        ...     "game": {"name": "gridworld", "size": 6},
        ...     "policy": "epsilon_greedy_q",
        ...     "learner": {"name": "dqn", "n_step": 3},
        ...     "engine": {"n_games": 4},
        ... }
        >>> engine = rf.engine_from_config(config)
        >>> again = rf.engine_from_config(engine.resolved_config())
        >>> again.config_fingerprint() == engine.config_fingerprint()
        True
    """
    return Engine(**engine_keywords(config))


def engine_keywords(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords of `Engine` that a configuration stands for; raises as `engine_from_config`."""
    config = _mapping("a config", config)
    for key in config:
        if key not in (*BLOCKS, *OPTIONAL):
            raise TypeError(f"unexpected keyword {key!r} in a config; it has {', '.join(BLOCKS + OPTIONAL)}")
    for block in BLOCKS:
        if block not in config:
            raise KeyError(
                f"a config needs a block {block!r}; it has {', '.join(map(str, config)) or 'none'}"
            )
    _check_number("config schema_version", config.get("schema_version", CONFIG_SCHEMA), CONFIG_SCHEMA)
    _check_number("config behaviour", config.get("behaviour", BEHAVIOUR), BEHAVIOUR)
    engine = _mapping("the block 'engine'", config["engine"])
    game = _named_block("game", config["game"])
    reward = _sole(config, game, "reward", "at the top and in the block 'game'")
    max_ticks = _sole(engine, game, "max_ticks", "in the blocks 'engine' and 'game'")
    if max_ticks is not None:
        game["max_ticks"] = max_ticks
    for key in ("game", "reward", "policy", "learner"):
        if key in engine:
            raise TypeError(f"unexpected keyword {key!r} in the block 'engine'; it is a block of its own")
    for key, advice in REMOVED.items():
        if key in engine:
            raise ValueError(f"{key} was removed; leave it out ({advice})")
    _spread_start_buffer(engine)
    blocks = {"game": game, **{part: _named_block(part, config[part]) for part in ("policy", "learner")}}
    return {
        "reward": None if reward is None else Reward(**_mapping("the block 'reward'", reward)),
        **{part: _made(REGISTRIES[part], part, block) for part, block in blocks.items()},
        **engine,
    }


def _spread_start_buffer(engine: dict[str, Any]) -> None:
    """Put the engine's own keywords in the place of a start buffer that is given as one dict, or as None."""
    given = engine.get("start_buffer", False)
    if given is None:
        engine["start_buffer"] = False
    if not isinstance(given, Mapping):
        return
    block = _mapping("'start_buffer'", given)
    engine["start_buffer"] = True
    for key, keyword in START_BUFFER.items():
        value = _sole(
            engine, {keyword: block.pop(key, None)}, keyword, "in the block 'engine' and in its dict"
        )
        if value is not None:
            engine[keyword] = value
    if block:
        raise TypeError(
            f"unexpected keyword {min(block)!r} in 'start_buffer'; it has {', '.join(START_BUFFER)}"
        )


def _mapping(what: str, value: Any) -> dict[str, Any]:
    """Return a copy of a dict with string keys."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{what} must be a dict, got {type(value).__name__}")
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"{what} must have strings as keys, got {key!r}")
    return dict(value)


def _named_block(what: str, value: Any) -> dict[str, Any]:
    """Return a component's block; a string is the block of that name alone."""
    return {"name": value} if isinstance(value, str) else _mapping(f"the block {what!r}", value)


def _sole(first: dict[str, Any], second: dict[str, Any], key: str, where: str) -> Any:
    """Take a value out of the one of two blocks that has it."""
    if first.get(key) is not None and second.get(key) is not None and first[key] != second[key]:
        raise ValueError(f"{key} stands {where}, with different values: {first[key]!r} and {second[key]!r}")
    values = [block.pop(key, None) for block in (first, second)]
    return values[0] if values[0] is not None else values[1]


def _check_number(what: str, value: Any, known: int) -> None:
    if type(value) is not int or value != known:
        raise ValueError(
            f"unsupported {what} {value!r}: this version reads {known}; leave it out to try anyway"
        )


def _made(registry: Registry[Any], what: str, block: dict[str, Any]) -> Any:
    """Make the component of a block."""
    if "name" not in block:
        if what in NESTED:
            raise ValueError(f"the block {what!r} has no name; known are {', '.join(registry.registered())}")
        raise KeyError(f"the block {what!r} has no name; known are {', '.join(registry.registered())}")
    name = block.pop("name")
    _check_revision(registry, what, name, block)
    for key, nested in NESTED.items():
        if isinstance(block.get(key), str | Mapping):
            block[key] = _made(nested, key, _named_block(key, block[key]))
    return registry.make(name, **block)


def _check_revision(registry: Registry[Any], what: str, name: Any, block: dict[str, Any]) -> None:
    if "revision" not in block:
        return
    revision = block.pop("revision")
    own = getattr(registry.find(name), "revision", None)
    if type(revision) is not type(own) or revision != own:
        raise ValueError(
            f"the {what} {name!r} has content revision {own!r}, and the config asks for {revision!r}; "
            "leave it out to take this one"
        )
