"""What a composition resolves to: plain values for JSON, and their fingerprint."""

import hashlib
import json
from typing import Any

import numpy as np

from .component import Component

BEHAVIOUR = 1  # to be raised by a release under which an equal configuration collects other records


def component_block(component: Component) -> dict[str, Any]:
    """Return a component's registry name with its constructor keywords as plain Python values.

    A component whose content can change while its parameters stay (a generated track, say) states
    a class attribute `revision`, which is then part of the block.
    """
    block: dict[str, Any] = {"name": component.name}
    revision = getattr(component, "revision", None)
    if revision is not None:
        block["revision"] = revision
    return {**block, **{name: plain(value) for name, value in component.parameters.items()}}


def plain(value: Any) -> Any:
    """Return a parameter as JSON knows it: components as blocks, arrays and tuples as lists."""
    if isinstance(value, Component):
        return component_block(value)
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def fingerprint(config: dict[str, Any]) -> str:
    """Return 64 hex digits that are equal for equal configurations."""
    canonical = json.dumps(config, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
