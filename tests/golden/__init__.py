"""Games recorded once, to be played again: those of other software, and our own."""
