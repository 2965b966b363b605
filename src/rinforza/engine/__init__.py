"""Slots, scheduling and inference."""

from .choose import Position, choose
from .engine import Engine
from .snapshot import EngineSnapshot
from .stream import CollectStream

__all__ = ["CollectStream", "Engine", "EngineSnapshot", "Position", "choose"]
