"""Texas hold'em: hands, dealing, betting, pots, and the game as a whole."""
