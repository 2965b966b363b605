"""The program that solves Leduc poker: its table, its picture, what it keeps."""

import re
import runpy
import sys

import pytest

import rinforza as rf
from rinforza.solvers.cfr import VARIANTS

from .programs import EXAMPLES, run_example

NAME = "solve_leduc.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("solvers")


@pytest.fixture(scope="module")
def output(folder):
    return run_example(NAME, "--seconds", "0.3", "--save", str(folder), seconds=120)


def table_of(output):
    """The table as {variant: {iterations: exploitability}}; the columns are 17 characters wide."""
    lines = output.splitlines()
    (header,) = [line for line in lines if line.startswith("iterations ")]
    rows = [line for line in lines if re.match(r" *[\d,]+ ", line)]
    assert header.split() == ["iterations", *VARIANTS]
    table = {variant: {} for variant in VARIANTS}
    for row in rows:
        for index, variant in enumerate(VARIANTS):
            cell = row[10 + 17 * index : 27 + 17 * index].strip()
            if cell:
                table[variant][int(row[:10].replace(",", ""))] = float(cell)
    return table


def test_every_variant_is_in_the_table_and_comes_nearer(output):
    for variant, curve in table_of(output).items():
        assert curve[1] == pytest.approx(2.373611)
        assert list(curve) == [4**power for power in range(len(curve))]
        assert curve[max(curve)] < (2.2 if variant.endswith("mccfr") else 0.5)


def test_saved_solvers_go_on(output, folder):
    solver = rf.solvers.Cfr(rf.games.LeducPoker(), "plus")
    solver.load((folder / "plus.cfr").read_bytes())
    assert f"plus: {solver.iterations:,} iterations" in output
    assert f"exploitability {solver.exploitability():.6f}" in output
    assert {path.stem for path in folder.iterdir()} == set(VARIANTS)


def test_without_matplotlib_the_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(sys, "argv", [NAME, "--picture", "curves.png"])
    program = runpy.run_path(str(EXAMPLES / NAME))
    with pytest.raises(SystemExit, match=r'matplotlib: pip install "\.\[plot\]"'):
        program["main"]()
    assert capsys.readouterr().out == ""


def test_the_picture(tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra `plot`")
    path = tmp_path / "curves.png"
    arguments = ["--variants", "plus", "dcfr", "--seconds", "0.05", "--picture", str(path)]
    assert f"picture saved to {path}" in run_example(NAME, *arguments, seconds=120)
    assert path.read_bytes().startswith(b"\x89PNG")
