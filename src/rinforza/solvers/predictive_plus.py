"""Predictive CFR+: CFR+ that plays as if the last instantaneous regrets came once more.

    R_t(I, a) = max(R_{t-1}(I, a) + r_t(I, a), 0)
    sigma_{t+1}(I, a) in proportion to max(R_t(I, a) + r_t(I, a), 0), uniform where all are zero

Farina, Kroer and Sandholm 2021, "Faster game solving via predictive Blackwell approachability: connecting
regret matching and mirror descent", algorithm 2 (PRM+) at each information state, with the last regrets as
prediction. As in their experiments, players take turns and iteration t counts t^2 in the average strategy.
"""

from .matching import match_regrets

AVERAGE_POWER = 2.0


def renew(solver, rows, first, regrets, changes, strategy):
    """Renew the regrets and the strategy in some rows, from the changes."""
    for row in rows:
        begin, end = first[row], first[row + 1]
        for place in range(begin, end):
            regrets[place] = max(regrets[place] + changes[place], 0.0)
            changes[place] += regrets[place]  # what the regrets would be after the same once more
        match_regrets(changes, begin, end, strategy, begin)
