"""The benchmarks; `python -m benchmarks --help` says what there is. They need Linux or macOS.

`own` and `peer_reinfors` run the same workloads on this library and on its peer, `rules_cost` times
the rules alone, `start_up` times fresh processes. `process` runs any of these in a process of its
own, `cases` lists the workloads and the targets, `comparison` and `peer` measure two sides in turn,
`sections` and `report` make the tables.
"""
