"""The built-in encoders beside the naive twins' observations, and the two action frames."""
