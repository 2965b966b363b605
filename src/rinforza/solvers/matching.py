"""Regret matching: play each action in proportion to its positive regret, all alike where there is none.

Hart and Mas-Colell 2000, "A simple adaptive procedure leading to correlated equilibrium".
"""


def match_regrets(regrets, begin, end, strategy, place):
    """Write the strategy for `regrets[begin:end]` to `strategy` from `place` on."""
    total = 0.0
    for index in range(begin, end):
        total += max(regrets[index], 0.0)
    if total > 0.0:
        for index in range(begin, end):
            strategy[place + index - begin] = max(regrets[index], 0.0) / total
    else:
        for index in range(begin, end):
            strategy[place + index - begin] = 1.0 / (end - begin)
