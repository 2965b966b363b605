"""The progress bar, in a terminal and in a file."""

import sys

import pytest

from examples.progress import Progress

pytestmark = pytest.mark.lanes


def test_a_file_gets_a_line_at_every_tenth(capsys):
    progress = Progress(40)
    for done in range(1, 41):
        progress.update(done, f"loss {done}")
        progress.clear()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 10
    assert lines[0] == "  10% done, loss 4"
    assert lines[-1] == "  100% done, loss 40"


def test_a_terminal_gets_a_bar(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    progress = Progress(4.0)
    progress.update(2.0, "half way")
    progress.update(9.0, "late")
    progress.clear()
    drawn = capsys.readouterr().out.split("\r")
    assert drawn[1] == f"  [{'#' * 15}{'.' * 15}]  50%  half way\033[K"
    assert drawn[2] == f"  [{'#' * 30}] 100%  late\033[K"
    assert drawn[3] == "\033[K"
