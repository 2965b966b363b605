"""Chess: leaf counts, recorded games, a naive twin, ends, FEN, UCI, and states from outside."""
