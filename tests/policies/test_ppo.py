"""PPO's policy: a draw from the softmax over the legal actions."""

import numpy as np
import pytest

from rinforza import policies
from tests.policies.selection import Chooser


@pytest.mark.lanes
def test_a_certain_action_is_always_drawn():
    chooser = Chooser(policies.Ppo())
    assert {chooser.select([0.3, -900.0, 900.0, 0.0], 3) for _ in range(50)} == {1}


@pytest.mark.parametrize("logits", [[0.0, 0.0, 0.0], [1.0, -1.0, 0.5, 3.0], [800.0, 801.0]])
def test_actions_are_drawn_by_the_softmax(logits):
    chooser = Chooser(policies.Ppo())
    draws = 20_000
    found = [chooser.select([0.7, *logits], len(logits)) for _ in range(draws)]
    powers = np.exp(np.array(logits) - max(logits))
    expected = powers / powers.sum()
    assert np.abs(np.bincount(found, minlength=len(logits)) / draws - expected).max() < 4 * np.sqrt(
        0.25 / draws
    )
