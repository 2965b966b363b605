"""What an engine is made of, as plain values for JSON and YAML."""

from typing import Any

from .._version import __version__
from ..contracts.composition import Rules
from ..contracts.configuration import BEHAVIOUR, component_block, fingerprint
from ..contracts.learner import Learner
from ..contracts.policy import Policy
from ..contracts.reward import Reward

CONFIG_SCHEMA = 1
# What the records do not depend on; in an engine's block, then at the top.
ONLY_HERE = ("n_threads",)
INFORMATIVE = ("rinforza_version",)
# What games go on without: it decides how rows are grouped, and with that the order of records.
GROUPING = ("pad", "batch_size", "infer_cache")
# What is left out of a fingerprint while it is off, so that those from before it came hold good.
OFF = {"start_buffer": None, "infer_cache": 0}


def resolved_config(
    rules: Rules, reward: Reward | None, policy: Policy, learner: Learner, engine: dict[str, Any]
) -> dict[str, Any]:
    """Return the whole configuration.

    Args:
        rules: The game.
        reward: The reward that was given.
        policy: The policy, as the engine was made with.
        learner: The learner.
        engine: The engine's own keywords, resolved.
    """
    return {
        "schema_version": CONFIG_SCHEMA,
        "rinforza_version": __version__,
        "behaviour": BEHAVIOUR,
        "game": component_block(rules.game),
        "reward": (reward or Reward()).resolve(rules.game),
        "policy": component_block(policy),
        "learner": component_block(learner),
        "engine": engine,
    }


def config_fingerprint(config: dict[str, Any]) -> str:
    """Return 64 hex digits for a resolved configuration, equal where equal answers give equal batches."""
    return fingerprint(_without(config, ONLY_HERE))


def composition(config: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a resolved configuration on which the games depend: what a snapshot goes with."""
    return _without(config, ONLY_HERE + GROUPING)


def _without(config: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    kept = {key: value for key, value in config.items() if key not in INFORMATIVE}
    engine = {
        key: value
        for key, value in config["engine"].items()
        if key not in names and not (key in OFF and value == OFF[key])
    }
    return {**kept, "engine": engine}
