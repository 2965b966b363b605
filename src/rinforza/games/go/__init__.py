"""Go: the rules (`game`), the groups of stones (`board`), repetition (`superko`), the score and `valid`."""

from .game import Go

__all__ = ["Go"]
