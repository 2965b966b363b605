"""Medians, spreads, ratios and tables."""

import json

import pytest

from benchmarks.comparison import Comparison, in_turn, per_second
from benchmarks.report import Report, percent, spread, table, three_digits, verdict


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.12345, "0.123"), (12.345, "12.3"), (999.6, "1000"), (1234.0, "1230"), (2.0, "2")],
)
def test_three_digits(value, text):
    assert three_digits(value) == text


def test_spread_is_the_median_with_least_and_most():
    assert spread([3.0, 1.0, 2.0]) == "2 (1–3)"
    assert spread([2.0]) == "2"


def test_spread_scales_all_three_alike():
    assert spread([1.5e6, 0.9e6, 2e6], scaled=True) == "1.5 M (0.9–2)"
    assert spread([1500.0, 900.0, 2000.0], scaled=True) == "1.5 k (0.9–2)"
    assert spread([0.5, 0.25, 0.75], scaled=True) == "0.5 (0.25–0.75)"


def test_percent():
    assert percent([0.5, 0.0123, 0.001]) == "1.2 %"


def test_verdict_knows_both_directions():
    assert verdict(4.0, 4.0, at_least=True) == "≥ 4, met"
    assert verdict(3.9, 4.0, at_least=True) == "≥ 4, MISSED"
    assert verdict(0.5, 0.5, at_least=False) == "≤ 0.5, met"
    assert verdict(0.6, 0.5, at_least=False) == "≤ 0.5, MISSED"


def test_table_is_aligned():
    assert table(["a", "long"], [["wide", "x"]]).splitlines() == [
        "| a    | long |",
        "| ---- | ---- |",
        "| wide | x    |",
    ]


def line(rows, seconds=1.0, cpu_seconds=1.0):
    return {"rows": rows, "seconds": seconds, "cpu_seconds": cpu_seconds}


def test_per_second():
    assert per_second([line(6, 2.0), line(1, 4.0)], "rows") == [3.0, 0.25]


def test_sides_take_turns():
    order = []
    sides = in_turn(
        lambda: order.append("A") or line(2), lambda: order.append("B") or line(1), "rows", repeats=3
    )
    assert order == ["A", "B"] * 3
    assert len(sides.first) == len(sides.second) == 3
    assert {side["rows"] for side in sides.first} == {2}


def test_the_two_ratios_differ_when_the_machine_drifts():
    first, second = [line(8), line(4), line(2)], [line(1), line(2), line(1)]
    sides = Comparison(first, second, "rows")
    assert sides.ratios == [8.0, 2.0, 2.0]
    assert sides.ratio_of_medians == 4.0


def test_a_side_on_two_cores_gains_nothing_per_processor_second():
    sides = Comparison([line(8, cpu_seconds=2.0)], [line(4, cpu_seconds=1.0)], "rows")
    assert sides.ratios == [2.0]
    assert sides.processor_ratios == [1.0]


def test_the_report_keeps_what_it_printed(tmp_path, capsys):
    report = Report({"cores": 2})
    report.add("Speeds", ["game", "rows/s"], [["hex", "1–2"]], {"hex": [1, 2]}, "A note.")
    report.save(tmp_path / "report.json")
    printed = capsys.readouterr().out
    assert "cores 2" in printed
    assert "## Speeds" in printed
    assert "| hex  | 1–2    |" in printed
    assert printed.endswith("A note.\n")
    saved = json.loads((tmp_path / "report.json").read_text())
    assert saved == {
        "machine": {"cores": 2},
        "sections": {
            "Speeds": {
                "table": [{"game": "hex", "rows/s": "1–2"}],
                "notes": "A note.",
                "runs": {"hex": [1, 2]},
            }
        },
    }
