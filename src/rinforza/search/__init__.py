"""What tree policies share: the node store, the descent, the backup, chance. Knows no game."""
