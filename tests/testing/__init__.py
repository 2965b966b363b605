"""The conformance checks: what they accept, and a broken component for each thing that they refuse."""
