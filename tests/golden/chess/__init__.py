"""What other programs said of chess, and the scripts that asked them."""
