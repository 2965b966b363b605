"""CFR+: regrets never fall below zero, later iterations count more.

    R_t(I, a) = max(R_{t-1}(I, a) + r_t(I, a), 0)
    sigma_{t+1}(I, a) in proportion to R_t(I, a), uniform where all are zero

Tammelin 2014, "Solving large imperfect information games using CFR+", section 3; Tammelin et al. 2015, "Solving
heads-up limit Texas hold'em", section 4. Iteration t counts t times in the average strategy.
"""

from .matching import match_regrets

AVERAGE_POWER = 1.0


def renew(solver, rows, first, regrets, changes, strategy):
    """Renew the regrets and the strategy in some rows, from the changes."""
    for row in rows:
        begin, end = first[row], first[row + 1]
        for place in range(begin, end):
            regrets[place] = max(regrets[place] + changes[place], 0.0)
        match_regrets(regrets, begin, end, strategy, begin)
