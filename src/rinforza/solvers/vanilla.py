"""Counterfactual regret minimisation as it was first described.

    R_t(I, a) = R_{t-1}(I, a) + r_t(I, a)
    sigma_{t+1}(I, a) in proportion to max(R_t(I, a), 0), uniform where none is positive

Zinkevich et al. 2007, "Regret minimization in games with incomplete information", section 3. There all players
are updated at once; here they take turns. All iterations count alike in the average strategy.
"""

from .matching import match_regrets

AVERAGE_POWER = 0.0


def renew(solver, rows, first, regrets, changes, strategy):
    """Renew the regrets and the strategy in some rows, from the changes."""
    for row in rows:
        begin, end = first[row], first[row + 1]
        for place in range(begin, end):
            regrets[place] += changes[place]
        match_regrets(regrets, begin, end, strategy, begin)
