"""The PyTorch examples run, learn, and reach their strength."""

import re

import numpy as np
import pytest

from .programs import percentages, run_example

pytestmark = pytest.mark.train


def test_dqn_walks_the_shortest_way():
    output = run_example("train_dqn_gridworld.py", seconds=180)
    found = re.search(r"goal: ([\d.]+), the shortest way: ([\d.]+)", output)
    assert found is not None, output
    steps, shortest = map(float, found.groups())
    assert shortest > 3.0
    assert shortest <= steps <= 1.05 * shortest


def test_ppo_comes_closer_to_an_equilibrium_as_it_learns():
    output = run_example("measure_exploitability.py", seconds=240)
    found = re.findall(r"after (\d+) rounds, exploitability: ([\d.]+)", output)
    assert [int(rounds) for rounds, _ in found] == list(range(0, 301, 50))
    exploitability = [float(number) for _, number in found]
    assert exploitability[0] > 0.4
    assert exploitability[-1] < 0.1


def test_alphazero_runs_briefly_and_saves(tmp_path):
    path = tmp_path / "weights.npz"
    arguments = [
        "--minutes",
        "0.1",
        "--simulations",
        "8",
        "--games",
        "20",
        "--seed",
        "1",
        "--save",
        str(path),
    ]
    output = run_example("train_alphazero_connect4.py", *arguments, seconds=120)
    assert "with 8 simulations a move, over 20 paired games:" in output
    with np.load(path) as weights:
        assert weights["head.weight"].shape == (8, 256)
        assert all(np.isfinite(weights[name]).all() for name in weights.files)


def test_alphazero_is_strong_well_before_its_five_minutes():
    output = run_example("train_alphazero_connect4.py", "--minutes", "2", seconds=420)
    assert "with 64 simulations a move, over 200 paired games:" in output
    against_random, against_untrained = percentages(output.split("paired games:")[1])
    assert against_random >= 98.0
    assert against_untrained >= 75.0


@pytest.mark.parametrize(("game", "limit"), [("kuhn", 0.05), ("leduc", 0.2)])
def test_deep_cfr_comes_close_to_an_equilibrium(game, limit):
    output = run_example("train_deep_cfr.py", "--game", game, seconds=420)
    found = re.search(r"exploitability of the average policy: ([\d.]+)", output)
    assert found is not None, output
    assert float(found[1]) < limit
