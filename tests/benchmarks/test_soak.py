"""The long run, cut short: its deeds can be done, no thread stays, and growth is judged."""

import random
import sys

import pytest

from benchmarks import soak


@pytest.mark.parametrize("number", range(3))
def test_every_deed_can_be_done(number):
    make, answer = soak.compositions()[number]
    subject = soak.Subject(make, soak.Network(answer, random.Random(2)), random.Random(1))
    for deed in subject.deeds:
        deed()
    subject.collect()


def test_some_steps_leave_no_thread():
    memory, left = soak.soak(minutes=0.02, seed=1)
    assert memory
    assert left <= 0


def test_growth_is_judged_after_the_warm_up():
    assert soak.growth([1, 50, 90, 100, 100, 100, 100, 100, 100, 100]) == 0.0
    assert soak.growth(list(range(100, 200))) > soak.ALLOWED_GROWTH


def test_growth_fails_the_run(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["soak", "--minutes", "1"])
    monkeypatch.setattr(soak, "soak", lambda minutes, seed: (list(range(100, 200)), 0))
    with pytest.raises(SystemExit):
        soak.main()
    monkeypatch.setattr(soak, "soak", lambda minutes, seed: ([100] * 9, 1))
    with pytest.raises(SystemExit):
        soak.main()
