"""Giving up games that are as good as lost.

The mover resigns when both the value of the root, which is the mean return of the search's simulations (the sum
of W over the root's edges / the sum of n), and that of its best child (W / n of the most visited edge) are
below a threshold. The decision is a record like any other, both players are paid what the game's `resignation`
says, and the game ends without another tick. A share of the games, drawn as each begins, is played out in any
case, so that the network also learns how such games end. A fast search never gives up.

Source: Silver et al. 2017, "Mastering the game of Go without human knowledge", Methods, "Self-play". Where we
differ: the threshold is the caller's, who may watch how the games that are played out end; it is not adjusted
meanwhile.
"""

from ..compiled.random import uniform
from .tree_policy import PLAYED_OUT


def best_hope(edges, first, count):
    """Return the larger of two values for the mover: of all simulations, and of the most visited edge."""
    best = first
    total = 0.0
    visits = 0
    for place in range(first, first + count):
        total += edges[place].total
        visits += edges[place].visits
        if edges[place].visits > edges[best].visits:
            best = place
    return max(total / visits, edges[best].mean)


def gives_up(policy, evaluation, progress):
    """Return whether the mover resigns after a search."""
    is_full, hope = evaluation[0], evaluation[1]
    return is_full != 0.0 and hope < policy.resignation_value and progress[0] < PLAYED_OUT


def is_played_out(policy, stream):
    """Draw whether an episode is played to its end in any case.

    Where that is certain nothing is drawn, so the records are those of a policy that never resigns.
    """
    return policy.play_out_share >= 1.0 or uniform(stream) < policy.play_out_share
