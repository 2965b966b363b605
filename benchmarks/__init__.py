"""The benchmarks; `python -m benchmarks --help` says what there is. They need Linux or macOS.

`workloads` is the table of what is measured, and `measure` runs one entry on this library or on its
peer; `rules_cost` times the rules alone, `start_up` times fresh processes. `process` runs any of these
in a process of its own, `cases` gives the workloads their sizes and targets, `comparison` and `peer`
measure two sides in turn, `sections` and `report` make the tables.
"""
