"""Tables of medians and spreads, and the same as JSON."""

import json
import statistics
from pathlib import Path
from typing import Any

SCALES = ((1e9, " G"), (1e6, " M"), (1e3, " k"))


def spread(values: list[float], scaled: bool = False) -> str:
    """Return "median (least–most)", with a common k, M or G if they are to be scaled."""
    middle = statistics.median(values)
    scale, unit = next((entry for entry in SCALES if scaled and middle >= entry[0]), (1.0, ""))
    text = three_digits(middle / scale) + unit
    if len(values) == 1:
        return text
    return f"{text} ({three_digits(min(values) / scale)}–{three_digits(max(values) / scale)})"


def three_digits(value: float) -> str:
    """Return a number rounded to three digits, without an exponent where it is near one."""
    return f"{float(f'{value:.3g}'):g}"


def percent(values: list[float]) -> str:
    """Return the median of shares as a percentage, to two digits."""
    return f"{100.0 * statistics.median(values):.2g} %"


def verdict(value: float, target: float, at_least: bool) -> str:
    """Return a target and whether a median meets it."""
    met = value >= target if at_least else value <= target
    return f"{'≥' if at_least else '≤'} {target:g}, {'met' if met else 'MISSED'}"


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table with its columns aligned."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [header, ["-" * width for width in widths], *rows]
    return "\n".join(
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))} |"
        for line in lines
    )


class Report:
    """Prints each table when it is ready, and keeps what it shows.

    Args:
        machine: What was measured where.
    """

    def __init__(self, machine: dict[str, Any]):
        self._machine = machine
        self._sections: dict[str, dict[str, Any]] = {}
        print(", ".join(f"{name} {value}" for name, value in machine.items()))

    def add(self, title: str, header: list[str], rows: list[list[str]], runs: Any, notes: str = "") -> None:
        """Print a table and keep it with the runs it was made from."""
        print(f"\n## {title}\n\n{table(header, rows)}", flush=True)
        if notes:
            print(f"\n{notes}", flush=True)
        shown = [dict(zip(header, row, strict=True)) for row in rows]
        self._sections[title] = {"table": shown, "notes": notes, "runs": runs}

    def save(self, path: Path) -> None:
        """Write everything as JSON."""
        content = {"machine": self._machine, "sections": self._sections}
        path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
