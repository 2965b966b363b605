"""Discounted CFR: what earlier iterations added to the regrets fades, in another way above zero than below.

    R_t(I, a) = d (R_{t-1}(I, a) + r_t(I, a)),  d = t^alpha / (t^alpha + 1) if the sum is positive,
                                                d = t^beta / (t^beta + 1) if not
    sigma_{t+1}(I, a) in proportion to max(R_t(I, a), 0), uniform where none is positive

Brown and Sandholm 2019, "Solving imperfect-information games via discounted regret minimization", section 4;
they recommend alpha 3/2, beta 0, gamma 2. Their discount of the average strategy by (t / (t + 1))^gamma after
each iteration is, up to a common factor, a weight of t^gamma for iteration t.
"""

import math

import numpy as np

from .matching import match_regrets

ALPHA, BETA, GAMMA = 1.5, 0.0, 2.0


def renew(solver, rows, first, regrets, changes, strategy):
    """Renew the regrets and the strategy in some rows, from the changes."""
    gains = 1.0 / (1.0 + math.pow(np.float64(solver.iteration), -solver.alpha))
    losses = 1.0 / (1.0 + math.pow(np.float64(solver.iteration), -solver.beta))
    for row in rows:
        begin, end = first[row], first[row + 1]
        for place in range(begin, end):
            regret = regrets[place] + changes[place]
            regrets[place] = regret * gains if regret > 0.0 else regret * losses
        match_regrets(regrets, begin, end, strategy, begin)
