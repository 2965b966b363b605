"""Made-up games, encoders, policies and networks that tests play with."""
