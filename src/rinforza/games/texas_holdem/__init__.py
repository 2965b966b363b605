"""Texas hold'em: the game, how strong hands are, betting, dealing, pots."""

from .game import TexasHoldem

__all__ = ["TexasHoldem"]
