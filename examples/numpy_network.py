"""A policy-value network in pure NumPy: all that the library asks of a network, without a framework.

Two hidden layers of rectified units on the flattened planes; a policy head of logits, and a value head
through tanh. Trained with Adam on the masked softmax cross-entropy plus the squared error of the value.
"""

import numpy as np


class NumpyNetwork:
    """A small policy-value network.

    Args:
        observation_size: Numbers in one flattened observation.
        n_actions: Actions of the game.
        width: Units of each hidden layer.
        seed: Seeds the first weights.
    """

    def __init__(self, observation_size, n_actions, width=256, seed=0):
        rng = np.random.default_rng(seed)

        def layer(inputs, outputs, scale):
            return rng.normal(0.0, scale / np.sqrt(inputs), (inputs, outputs)).astype(np.float32)

        # the head starts near zero: an even prior and a value of 0 for every position
        self.weights = [
            layer(observation_size, width, np.sqrt(2.0)),
            layer(width, width, np.sqrt(2.0)),
            layer(width, n_actions + 1, 0.01),
        ]
        self.biases = [np.zeros(weight.shape[1], np.float32) for weight in self.weights]
        self.adam = Adam(self.weights + self.biases)

    def infer(self, obs):
        """Answer one batch of the engine: float32 (rows, observation_size) -> (logits, values)."""
        return self._forward(obs)[:2]

    def train(self, obs, legal, policy_targets, value_targets, learning_rate):
        """Take one step of Adam.

        Args:
            obs: float32 (rows, observation_size).
            legal: bool (rows, n_actions), as `batch.legal_mask(rows)` gives it.
            policy_targets: (rows, n_actions), each row a distribution over the legal actions.
            value_targets: (rows,), -1 to 1.
            learning_rate: Adam's step size.

        Returns:
            The mean policy loss and the mean value loss before the step.
        """
        logits, values, hidden = self._forward(obs)
        log_prior = masked_log_softmax(logits, legal)
        policy_loss = -(policy_targets * log_prior).sum(1).mean()
        errors = values - value_targets
        # the gradients of both losses by the numbers that enter the softmax and the tanh
        by_logits = np.exp(log_prior) - policy_targets
        by_value = 2.0 * errors * (1.0 - values**2)
        gradient = np.column_stack([by_logits, by_value]).astype(np.float32) / np.float32(len(obs))
        self.adam.step(self._backward(gradient, [obs, *hidden]), learning_rate)
        return policy_loss, (errors**2).mean()

    def _forward(self, obs):
        hidden = []
        activation = obs
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            activation = np.maximum(activation @ weight + bias, 0.0)
            hidden.append(activation)
        out = activation @ self.weights[-1] + self.biases[-1]
        return out[:, :-1], np.tanh(out[:, -1]), hidden

    def _backward(self, gradient, inputs):
        """Return the gradients of the weights, then of the biases, from the gradient at the head."""
        by_weights, by_biases = [], []
        for weight, entering in zip(self.weights[::-1], inputs[::-1], strict=True):
            by_weights.insert(0, entering.T @ gradient)
            by_biases.insert(0, gradient.sum(0))
            gradient = (gradient @ weight.T) * (entering > 0.0)
        return by_weights + by_biases


class Adam:
    """Adam (Kingma and Ba 2015), in place on a list of arrays."""

    def __init__(self, parameters, mean_decay=0.9, square_decay=0.999):
        self.parameters = parameters
        self.means = [np.zeros_like(parameter) for parameter in parameters]
        self.squares = [np.zeros_like(parameter) for parameter in parameters]
        self.mean_decay, self.square_decay = mean_decay, square_decay
        self.steps = 0

    def step(self, gradients, learning_rate):
        """Move every parameter against its gradient."""
        self.steps += 1
        mean_scale = 1.0 - self.mean_decay**self.steps
        square_scale = 1.0 - self.square_decay**self.steps
        groups = zip(self.parameters, gradients, self.means, self.squares, strict=True)
        for parameter, gradient, mean, square in groups:
            mean += (1.0 - self.mean_decay) * (gradient - mean)
            square += (1.0 - self.square_decay) * (gradient**2 - square)
            parameter -= learning_rate * (mean / mean_scale) / (np.sqrt(square / square_scale) + 1e-8)


def masked_log_softmax(logits, legal):
    """Return log-probabilities over the legal actions, and a large negative number elsewhere."""
    logits = np.where(legal, logits, np.finfo(np.float32).min)
    shifted = logits - logits.max(1, keepdims=True)
    return np.where(legal, shifted - np.log(np.exp(shifted).sum(1, keepdims=True)), np.finfo(np.float32).min)
