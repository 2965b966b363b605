"""What a user subclasses, and the tables and records through which the parts meet."""
