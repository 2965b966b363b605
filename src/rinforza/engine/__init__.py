"""Slots, scheduling and inference."""

from .choose import Position, choose
from .engine import Engine

__all__ = ["Engine", "Position", "choose"]
