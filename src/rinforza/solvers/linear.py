"""Linear CFR: iteration t counts t times, in the regrets and in the average strategy.

    R_t(I, a) = R_{t-1}(I, a) + t r_t(I, a)
    sigma_{t+1}(I, a) in proportion to max(R_t(I, a), 0), uniform where none is positive

Brown and Sandholm 2019, "Solving imperfect-information games via discounted regret minimization", section 3.
"""

import numpy as np

from .matching import match_regrets

AVERAGE_POWER = 1.0


def renew(solver, rows, first, regrets, changes, strategy):
    """Renew the regrets and the strategy in some rows, from the changes."""
    weight = np.float64(solver.iteration)
    for row in rows:
        begin, end = first[row], first[row + 1]
        for place in range(begin, end):
            regrets[place] += weight * changes[place]
        match_regrets(regrets, begin, end, strategy, begin)
