"""Measuring in processes of their own."""

import subprocess
import sys

import pytest

from benchmarks.process import ROOT, run
from benchmarks.start_up import IMPORT, seconds_of


def python(program):
    return [sys.executable, "-c", program]


def test_the_last_line_is_the_result():
    assert run(python("print('noise'); print('{\"rows\": 3}')"))["rows"] == 3


def test_variables_are_added_to_the_environment():
    program = 'import os; print(f\'{{"rows": {os.environ["WANTED"]}}}\')'
    assert run(python(program), {"WANTED": "5"})["rows"] == 5


def test_a_busy_process_keeps_a_core_busy_and_a_sleeping_one_does_not():
    busy = "import time\nwhile time.process_time() < 0.3: pass\nprint('{}')"
    asleep = "import time; time.sleep(0.5); print('{}')"
    assert run(python(busy))["process_cores"] > 2.0 * run(python(asleep))["process_cores"]


def test_a_failure_shows_what_the_process_wrote():
    with pytest.raises(RuntimeError, match=r"(?s)ended with 1.*no such workload"):
        run(python("raise SystemExit('no such workload')"))


def test_the_starting_process_stays_small():
    """A child inherits the peak memory of its parent, so `__main__` may not load NumPy."""
    program = "import sys, benchmarks.__main__; print('numpy' in sys.modules, 'numba' in sys.modules)"
    done = subprocess.run(python(program), cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_the_import_is_timed_in_a_fresh_process(tmp_path):
    assert 0.01 < seconds_of(IMPORT, str(tmp_path)) < 30.0
    assert not list(tmp_path.iterdir())  # nothing is compiled at import
