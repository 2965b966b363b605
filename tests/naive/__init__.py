"""Twins of the games in objects and lists: slow, obvious, and written from the rules alone."""
