"""The network of the demo: its gradients, its masks, and that it learns."""

import numpy as np
import pytest

from examples.numpy_network import Adam, NumpyNetwork, masked_log_softmax

pytestmark = pytest.mark.lanes


class Recorder:
    """Stands in for Adam and keeps the gradients."""

    def step(self, gradients, learning_rate):
        self.gradients = gradients


def examples(rng, rows=20, inputs=6, n_actions=4):
    """Return observations, legality, policy targets and value targets."""
    legal = rng.random((rows, n_actions)) < 0.7
    legal[:, 1] = True
    targets = rng.random((rows, n_actions)) * legal
    return (
        rng.normal(size=(rows, inputs)).astype(np.float32),
        legal,
        targets / targets.sum(1, keepdims=True),
        rng.uniform(-1.0, 1.0, rows),
    )


def test_answers_have_the_shapes_of_the_seam():
    logits, values = NumpyNetwork(6, 4, width=8).infer(np.ones((5, 6), np.float32))
    assert logits.shape == (5, 4)
    assert values.shape == (5,)
    assert logits.dtype == values.dtype == np.float32


def test_gradients_are_those_of_the_losses():
    rng = np.random.default_rng(1)
    network = NumpyNetwork(6, 4, width=8, seed=1)
    data = examples(rng)
    network.weights = [rng.normal(size=weight.shape) for weight in network.weights]
    network.biases = [rng.normal(size=bias.shape) for bias in network.biases]
    network.adam = Recorder()
    network.train(*data, learning_rate=0.0)
    parameters, gradients = network.weights + network.biases, network.adam.gradients
    for parameter, gradient in zip(parameters, gradients, strict=True):
        assert gradient.shape == parameter.shape
        for _ in range(5):
            place = tuple(rng.integers(size) for size in parameter.shape)
            losses = []
            for shift in (1e-5, -1e-5):
                parameter[place] += shift
                losses.append(sum(network.train(*data, learning_rate=0.0)))
                parameter[place] -= shift
            assert gradient[place] == pytest.approx((losses[0] - losses[1]) / 2e-5, rel=1e-3, abs=1e-6)


def test_illegal_actions_get_no_probability():
    logits = np.array([[0.0, 50.0, 0.0], [1.0, 2.0, 3.0]], np.float32)
    legal = np.array([[True, False, True], [True, True, True]])
    prior = np.exp(masked_log_softmax(logits, legal))
    np.testing.assert_allclose(prior[0], [0.5, 0.0, 0.5], atol=1e-6)
    np.testing.assert_allclose(prior.sum(1), 1.0, rtol=1e-6)


def test_it_learns_what_it_is_shown():
    data = examples(np.random.default_rng(2))
    network = NumpyNetwork(6, 4, width=64, seed=2)
    before = network.train(*data, learning_rate=0.0)
    for _ in range(400):
        after = network.train(*data, learning_rate=3e-3)
    targets = data[2]
    entropy = -(targets * np.log(np.where(targets > 0.0, targets, 1.0))).sum(1).mean()
    assert after[0] - entropy < 0.2 * (before[0] - entropy)
    assert after[1] < 0.1 * before[1]


def test_adam_moves_by_the_learning_rate_at_first():
    parameter = np.zeros(3, np.float32)
    Adam([parameter]).step([np.array([10.0, -0.1, 0.0], np.float32)], 0.01)
    np.testing.assert_allclose(parameter, [-0.01, 0.01, 0.0], rtol=1e-4)
