"""The long run, cut short: it does all its deeds, and judges growth."""

import sys

import pytest

from benchmarks import soak


def test_a_second_of_it_leaves_no_thread():
    memory, left = soak.soak(minutes=0.05, seed=1)
    assert len(memory) > 1
    assert left == 0


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
