"""Measure the library and print tables: `python -m benchmarks`, or `make bench`."""

import argparse
import importlib.metadata
import os
import platform
from pathlib import Path

from . import sections
from .cases import (
    ENGINE_CASES,
    ENV_CASES,
    OTHER_ENGINE_CASES,
    REACHING_CASES,
    SELF_PLAY_CASES,
    SOLVER_CASES,
    Case,
)
from .peer import PEERS, Peer
from .report import Report
from .sections import Effort
from .workloads import WORKLOADS

QUICK = Effort(repeats=1, seconds=0.2, rules_seconds=0.02, cold_repeats=1)
RULES_SECONDS = 0.1
MOST_COLD_REPEATS = 3
OTHER_NAMES = ("rules_cost", "env", "solvers", "threads", "start_up", "peer")


def parse_arguments(words: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure rinforza; every number is a median with its least and most.",
    )
    parser.add_argument(
        "--quick", action="store_true", help="one short repeat of each usual or named workload"
    )
    parser.add_argument("--repeats", type=int, default=5, help="processes for each number")
    parser.add_argument("--seconds", type=float, default=2.0, help="measured in each of them")
    parser.add_argument(
        "--only",
        action="append",
        metavar="NAME",
        choices=[*WORKLOADS, *OTHER_NAMES],
        help="a workload or a section; may be repeated. One of: %(choices)s",
    )
    parser.add_argument("--peer", choices=PEERS, help="install this library and measure it too")
    parser.add_argument("--json", type=Path, metavar="PATH", help="also write everything there")
    args = parser.parse_args(words)
    if args.repeats < 1:
        parser.error(f"--repeats must be at least 1, got {args.repeats}")
    if "peer" in (args.only or ()) and args.peer is None:
        parser.error(f"--only peer needs --peer {'|'.join(PEERS)}")
    return args


def effort_of(args: argparse.Namespace) -> Effort:
    """Return how long to measure."""
    if args.quick:
        return QUICK
    cold_repeats = min(args.repeats, MOST_COLD_REPEATS)
    return Effort(args.repeats, args.seconds, RULES_SECONDS, cold_repeats)


def machine() -> dict[str, object]:
    """Describe where this runs; the load says how quiet it is."""
    versions = {name: importlib.metadata.version(name) for name in ("rinforza", "numba", "numpy")}
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "system": platform.system(),
        "python": platform.python_version(),
        **versions,
    }


def processor() -> str:
    """Return the processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def beside(peer: Peer | None, cases: list[Case]) -> list[Case]:
    """Return the cases that the peer has a counterpart of; without a peer, all."""
    return [case for case in cases if peer is None or case.target_beside(peer.name) is not None]


def main(words: list[str] | None = None) -> None:
    """Run what the command line asks for."""
    args = parse_arguments(words)
    effort = effort_of(args)
    report = Report(machine())

    def wanted(*names: str) -> bool:
        return not args.only or any(name in args.only for name in names)

    def asked(cases: tuple[Case, ...], *section: str) -> list[Case]:
        everything = args.only or not args.quick
        return [case for case in cases if (everything or case.workload.usual) and wanted(case.name, *section)]

    # a peer stands beside everything that has a counterpart there, and what has none is left out
    peer = Peer(args.peer) if args.peer else None
    with_peer = ("peer",) if peer else ()

    cases = asked((*ENGINE_CASES, *OTHER_ENGINE_CASES) if args.only else ENGINE_CASES)
    if cases or wanted("rules_cost"):
        games = [] if wanted("rules_cost") else sorted({case.game for case in cases})
        costs = sections.rules_costs(games, effort)
        sections.rules_section(report, costs)
        if cases:
            sections.engine_section(report, cases, costs, effort)
    if by_hand := beside(peer, asked(ENV_CASES, "env", *with_peer)):
        sections.env_section(report, by_hand, peer, effort)
    if solving := beside(peer, asked(SOLVER_CASES, "solvers", *with_peer)):
        sections.solvers_section(report, solving, peer, effort)
    if reaching := asked(REACHING_CASES, "solvers"):
        sections.equilibria_section(report, reaching, effort)
    if wanted("threads"):
        sections.threads_section(report, effort)
    if wanted("start_up"):
        sections.start_up_section(report, effort)
    if peer and (playing := beside(peer, asked(SELF_PLAY_CASES, "peer"))):
        sections.peer_section(report, peer, playing, effort)
    if args.json:
        report.save(args.json)


if __name__ == "__main__":
    main()
