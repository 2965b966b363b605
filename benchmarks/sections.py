"""The sections of the report: each measures, repeats, and makes one table."""

import statistics
import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .cases import (
    LARGE_SEARCH,
    PEAK_MEMORY_TARGET,
    START_UP_TARGETS,
    TWO_THREADS_TARGET,
    Case,
)
from .comparison import Comparison, Line, in_turn, per_second
from .peer import Peer
from .process import run_module
from .report import Report, percent, spread, three_digits, verdict

Costs = dict[str, dict[str, list[float]]]
NANOSECONDS = 1e9


class Effort(NamedTuple):
    """How long to measure.

    Attributes:
        repeats: Processes for each number.
        seconds: Measured in each of them, at least.
        rules_seconds: Measured for each number of the rules.
        cold_repeats: Times that everything is compiled anew.
    """

    repeats: int
    seconds: float
    rules_seconds: float
    cold_repeats: int


def progress(text: str) -> None:
    """Say what is being measured."""
    print(f"measuring {text} ...", file=sys.stderr, flush=True)


# ------------------------------------------------------------------------------ the rules


def rules_costs(games: Iterable[str], effort: Effort) -> Costs:
    """Measure the rules of some games, or of all if none is named; return nanoseconds, one per repeat."""
    progress("the rules")
    arguments = ["--seconds", str(effort.rules_seconds)]
    for game in games:
        arguments += ["--game", game]
    lines = [run_module("rules_cost", *arguments)["costs"] for _ in range(effort.repeats)]
    return {
        game: {kind: [line[game][kind] for line in lines] for kind in cost} for game, cost in lines[0].items()
    }


def rules_section(report: Report, costs: Costs) -> None:
    """Show what the rules cost without an engine."""
    rows = [[game, spread(cost["step_ns"]), spread(cost["row_ns"])] for game, cost in costs.items()]
    header = ["game", "legal + step, ns a ply", "legal + step + encode, ns a ply"]
    notes = "Random games in one compiled loop that calls the rules by address."
    report.add("The rules alone", header, rows, costs, notes)


# ------------------------------------------------------------------------------ the engine


def engine_section(report: Report, cases: Sequence[Case], costs: Costs, effort: Effort) -> None:
    """Show the speed of the engine under a network that costs nothing."""
    runs: dict[Case, list[Line]] = {case: [] for case in cases}
    for _ in range(effort.repeats):
        for case in cases:
            progress(case.label)
            runs[case].append(case.run(effort.seconds))
    columns = [engine_column(case, lines, costs[case.game]) for case, lines in runs.items()]
    header = ["measure", *(case.label for case in cases)]
    rows = [[name, *(column[name] for column in columns)] for name in columns[0]]
    notes = (
        "One thread; the network is null. The engine's processor time is all there is, the rules and the "
        "callback included. Cores well below 1 mean that other programs had the processor."
    )
    if LARGE_SEARCH in runs:
        peak = statistics.median(line["peak_memory_mb"] for line in runs[LARGE_SEARCH])
        target = verdict(peak, PEAK_MEMORY_TARGET, at_least=False)
        notes += f"\nPeak memory of {LARGE_SEARCH.label}: {three_digits(peak)} MB, target {target}."
    report.add("The engine", header, rows, {case.label: runs[case] for case in cases}, notes)


def engine_column(case: Case, lines: list[Line], cost: dict[str, list[float]]) -> dict[str, str]:
    """Return the cells of one workload by the name of what was measured."""

    def each(count: str, divisor: str) -> list[float]:
        return [line[count] / line[divisor] for line in lines]

    per_row = [NANOSECONDS * seconds for seconds in each("cpu_seconds", "infer_rows")]
    simulations = case.workload.simulations
    return {
        "rows/s": spread(per_second(lines, "infer_rows"), scaled=True),
        "simulations/s": spread(per_second(lines, "simulations"), scaled=True) if simulations else "",
        "simulations a decision": str(simulations or ""),
        "decisions/s": spread(per_second(lines, "decisions"), scaled=True),
        "records/s": spread(per_second(lines, "records"), scaled=True),
        "rows a call": spread(each("infer_rows", "infer_calls")),
        "time in the callback": percent(each("infer_seconds", "seconds")),
        "rules, ns a row": spread(cost["row_ns"]),
        "engine, processor ns a row": spread(per_row),
        "cores": spread(each("cpu_seconds", "seconds")),
        "peak memory, MB": spread([line["peak_memory_mb"] for line in lines]),
    }


# ------------------------------------------------------------------------------ without an engine


def env_section(report: Report, cases: Sequence[Case], peer: Peer | None, effort: Effort) -> None:
    """Show the steps per second of a game that is played through `Env`."""
    notes = "One game at a time, at random: done, active_agents, legal_actions, step, reset."
    speeds_section(report, "A game by hand, with Env", cases, peer, effort, notes)


def solvers_section(report: Report, cases: Sequence[Case], peer: Peer | None, effort: Effort) -> None:
    """Show the iterations per second of the tabular solvers."""
    notes = "One thread; iterations from the first one on where the game is too large to enumerate."
    speeds_section(report, "The solvers", cases, peer, effort, notes)


def speeds_section(
    report: Report, title: str, cases: Sequence[Case], peer: Peer | None, effort: Effort, notes: str
) -> None:
    """Show one speed of each case, beside the peer's if there is one."""
    if peer is not None:
        peer.install()
    rows, runs = [], {}
    for case in cases:
        progress(f"{case.label}{f', in turn with {peer.title}' if peer else ''}")
        if peer is None:
            lines = [case.run(effort.seconds) for _ in range(effort.repeats)]
            rows.append([case.label, spread(per_second(lines, case.unit), scaled=True)])
            runs[case.label] = lines
        else:
            sides = against(peer, case, effort)
            rows.append([case.label, *compared_cells(sides, case.target_beside(peer.name))])
            runs[case.label] = sides._asdict()
    header = [f"{cases[0].unit}/s", "rinforza", *([peer.title, *RATIO_HEADER] if peer else [])]
    report.add(title, header, rows, runs, notes)


def equilibria_section(report: Report, cases: Sequence[Case], effort: Effort) -> None:
    """Show the seconds that a solver takes to the end."""
    rows, runs = [], {}
    for case in cases:
        progress(case.label)
        lines = runs[case.label] = [case.run(effort.seconds) for _ in range(effort.repeats)]
        seconds = [line["seconds"] / line["solutions"] for line in lines]
        met = verdict(statistics.median(seconds), case.target, at_least=False)
        rows.append([case.label, case.workload.variant, spread(seconds), met])
    notes = "From the first iteration on, compiled before; what it takes to look how far it is included."
    report.add("A solver's whole way", ["game", "variant", "seconds", "target"], rows, runs, notes)


# ------------------------------------------------------------------------------ start


def start_up_section(report: Report, effort: Effort) -> None:
    """Show how long a fresh process takes."""
    progress("fresh processes (those with an empty cache compile everything)")
    counts = ["--repeats", str(effort.repeats), "--cold-repeats", str(effort.cold_repeats)]
    seconds = run_module("start_up", *counts)["seconds"]
    names = {
        "import": "import rinforza",
        "cached": "first batch, everything cached",
        "cold": "first batch, empty cache",
    }
    rows = []
    for kind, target in START_UP_TARGETS.items():
        met = verdict(statistics.median(seconds[kind]), target, at_least=False)
        rows.append([names[kind], spread(seconds[kind]), met])
    notes = "From the first line of the new process; both batches include the import."
    report.add("Start", ["what", "seconds", "target"], rows, seconds, notes)


# ------------------------------------------------------------------------------ two sides


def compared_cells(sides: Comparison, target: float) -> list[str]:
    """Return both speeds, their ratios, and whether those of wall time meet the target."""
    first, second = sides.speeds
    lower = min(sides.ratio_of_medians, statistics.median(sides.ratios))
    return [
        spread(first, scaled=True),
        spread(second, scaled=True),
        three_digits(sides.ratio_of_medians),
        spread(sides.ratios),
        spread(sides.processor_ratios),
        verdict(lower, target, at_least=True),
    ]


RATIO_HEADER = ["ratio of medians", "ratio pair by pair", "per processor second", "target"]


def threads_section(report: Report, effort: Effort) -> None:
    """Show what a second thread adds."""
    progress(f"two threads against one: {LARGE_SEARCH.label}")
    both = LARGE_SEARCH._replace(threads=2)
    sides = in_turn(
        lambda: both.run(effort.seconds),
        lambda: LARGE_SEARCH.run(effort.seconds),
        LARGE_SEARCH.unit,
        effort.repeats,
    )
    header = ["simulations/s", "2 threads", "1 thread", *RATIO_HEADER]
    row = [LARGE_SEARCH.label, *compared_cells(sides, TWO_THREADS_TARGET)]
    report.add("Two threads against one, in turn", header, [row], sides._asdict())


def against(peer: Peer, case: Case, effort: Effort) -> Comparison:
    """Measure a case on both sides, in turn."""
    return in_turn(
        lambda: case.run(effort.seconds),
        lambda: peer.run(case, effort.seconds),
        case.unit,
        effort.repeats,
    )


def peer_section(report: Report, peer: Peer, cases: Sequence[Case], effort: Effort) -> None:
    """Show our speed beside the peer's, measured in turn."""
    peer.install()
    compared = {}
    for case in cases:
        progress(f"{case.label}, in turn with {peer.title}")
        compared[case] = against(peer, case, effort)
    header = ["workload", "unit", "rinforza", peer.title, *RATIO_HEADER]
    header += ["cores, rinforza", f"cores, {peer.title}"]
    rows = []
    for case, sides in compared.items():
        speeds = compared_cells(sides, case.target_beside(peer.name))
        busy = [spread(cores(sides.first)), spread(cores(sides.second))]
        rows.append([case.label, f"{case.unit}/s", *speeds, *busy])
    runs = {case.label: sides._asdict() for case, sides in compared.items()}
    report.add(f"Beside {peer.title}, in turn", header, rows, runs, cores_note(peer, compared.values()))


def cores(lines: list[Line]) -> list[float]:
    """Return how many cores each process kept busy, its start included."""
    return [line["process_cores"] for line in lines]


def cores_note(peer: Peer, compared: Iterable[Comparison]) -> str:
    """Say what one thread means on either side."""
    compared = list(compared)
    ours = statistics.median(busy for sides in compared for busy in cores(sides.first))
    theirs = statistics.median(busy for sides in compared for busy in cores(sides.second))
    return (
        f"Both sides have n_threads=1. For {peer.title} that means about 1.9 cores on an idle "
        f"machine, since its calling thread works as well; here it kept {three_digits(theirs)} busy, "
        f"and rinforza {three_digits(ours)} (processor seconds per second of the whole process, its "
        "start included; medians)."
    )
