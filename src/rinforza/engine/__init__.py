"""Slots, scheduling and inference."""

from .engine import Engine

__all__ = ["Engine"]
