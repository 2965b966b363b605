"""The program that writes TensorBoard's files, with a stand-in for their writer."""

import runpy
import sys
from types import SimpleNamespace
from typing import ClassVar

import pytest

from .programs import EXAMPLES

NAME = "telemetry_tensorboard.py"


class Writer:
    """A stand-in for `SummaryWriter`, which keeps what it is told."""

    made: ClassVar[list["Writer"]] = []

    def __init__(self, logdir):
        self.logdir, self.scalars, self.closed = logdir, {}, False
        self.made.append(self)

    def add_scalar(self, name, value, step):
        self.scalars.setdefault(name, {})[step] = float(value)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.closed = True


@pytest.fixture
def program(monkeypatch):
    monkeypatch.setattr(sys, "argv", [NAME, "--updates", "2", "--records", "60", "--logdir", "somewhere"])
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.setitem(sys.modules, "torch", None)
    return runpy.run_path(str(EXAMPLES / NAME))["main"]


def test_every_number_is_written(program, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tensorboardX", SimpleNamespace(SummaryWriter=Writer))
    program()
    writer = Writer.made.pop()
    assert writer.logdir == "somewhere"
    assert writer.closed
    assert all(list(curve) == [0, 1] for curve in writer.scalars.values())
    assert writer.scalars["collect/records"][0] >= 60
    assert {"collect/records_per_second", "collect/ticks/mean", "loss/policy", "loss/value"} <= set(
        writer.scalars
    )
    assert "2 of 2: " in capsys.readouterr().out


def test_without_a_writer_what_to_install_is_said(program, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    with pytest.raises(SystemExit, match="pip install tensorboardX"):
        program()
