"""Engines in a process that forks, and in processes that are started: equal records or a clear error, no hang."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rinforza

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")

IN_USE = "RuntimeError: this engine was in use when the process forked"


@pytest.fixture(scope="module")
def told():
    """What the process with many children told, by the name of the part."""
    script, root = Path(__file__).with_name("forked_process.py"), Path(__file__).parents[2]
    path = os.pathsep.join([str(root), str(Path(rinforza.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return dict(map(json.loads, done.stdout.splitlines()))


@pytest.fixture(scope="module")
def usual(told):
    """The first and the second batch of an engine in peace."""
    first, second = told["usual"]
    assert first != second
    return first, second


def test_an_engine_at_rest_goes_on_in_parent_and_child(told, usual):
    in_child, in_parent = told["at rest"]
    assert in_child == [usual[1], 1]  # with a helper of its own
    assert in_parent == usual[1]


def test_an_engine_that_never_ran_may_begin_in_the_child(told, usual):
    assert told["never ran"] == usual[0]


@pytest.mark.parametrize("part", ["of the child", "fork", "spawn"])
def test_an_engine_that_is_made_in_another_process(part, told, usual):
    made = [told[part]] if part == "of the child" else told[part]
    assert set(made) == {usual[0]}


def test_a_callback_that_forks_goes_on_twice(told, usual):
    in_parent, in_children = told["callback"]
    assert in_parent == list(usual)
    assert len(in_children) == 20
    assert all(in_child == [*usual, usual[0]] for in_child in in_children)


def test_a_stream_hands_out_what_is_finished_and_then_tells(told, usual):
    waiting, error, stop, engine, new_engine = told["stream"]
    assert waiting is True
    assert error.startswith("RuntimeError: the process forked while this stream collected")
    assert stop is None
    assert engine.startswith(IN_USE)
    assert new_engine == usual[0]


def test_a_stream_ends_in_a_child_that_has_nothing_else(told):
    statuses = told["stream's callback"]
    assert len(statuses) > 5
    assert set(statuses) == {0}


def test_an_engine_in_use_by_another_thread_is_refused(told, usual):
    error, new_engine, forked_again = told["another thread"]
    assert error.startswith(IN_USE)
    assert new_engine == usual[0]
    assert forked_again == "again"
