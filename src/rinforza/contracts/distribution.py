"""Distributions over legal actions: what a network's logits mean, the same for policies and learners."""

import math


def softmax(logits, out, count):
    """Write the softmax of `logits[:count]` to `out[:count]`, the largest logit subtracted first."""
    largest = logits[0]
    for index in range(1, count):
        largest = max(largest, logits[index])
    total = 0.0
    for index in range(count):
        out[index] = math.exp(logits[index] - largest)
        total += out[index]
    for index in range(count):
        out[index] /= total


def log_probability(logits, index, count):
    """Return the logarithm of entry `index` of the softmax of `logits[:count]`."""
    largest = logits[0]
    for other in range(1, count):
        largest = max(largest, logits[other])
    total = 0.0
    for other in range(count):
        total += math.exp(logits[other] - largest)
    return logits[index] - largest - math.log(total)
