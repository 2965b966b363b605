"""Which plays the dice allow, found on sets of points.

A set of points is the bits 0 to 23 of an int64; bit 24 is the bar. `own` are the points of the mover,
`single` those with one checker, `open_points` those on which the mover may land, `outside` is how many of its
checkers are not at home (on the bar included). A checker is never blocked by what the first die did, so the
two dice can be looked at one after the other; what the first die changes is where the own checkers stand, and
whether all are at home.

An action names the source of the first checker in its low digit and of the second in its high digit, base
26. Actions are therefore listed second source by second source.
"""

import numpy as np

from ...compiled.bits import count_bits

POINTS = 24
BAR, PASS = 24, 25  # the digits beside the points
BASE = 26
LOWER_FIRST = BASE * BASE  # added to an action that plays the lower die first
NO_MOVE = LOWER_FIRST + BASE * PASS + PASS
HOME = 18  # the first home point of player 0; those of player 1 are 0 to 5
ALL_POINTS = (1 << POINTS) - 1
BAR_BIT = 1 << BAR


def lowest_point(points):
    """Return the lowest point of a set that is not empty."""
    return count_bits(np.uint64((points & -points) - 1))


def entry_point(player, pips):
    """Return where a checker from the bar comes in."""
    return pips - 1 if player == 0 else POINTS - pips


def is_outside(player, point):
    """Return 1 for a point that is not at home, else 0."""
    if player == 0:
        return 1 if point < HOME else 0
    return 1 if point >= POINTS - HOME else 0


def landings(points, player, pips):
    """Return where checkers from these points land; those that leave the board are dropped."""
    return (points << pips) & ALL_POINTS if player == 0 else points >> pips


def sources_to(points, player, pips):
    """Return from where a die leads to these points."""
    return points >> pips if player == 0 else (points << pips) & ALL_POINTS


def bearing_off(own, player, pips):
    """Return the points from which a die bears off, given that all checkers are at home.

    It is the exact point, or, with nobody there or farther back, the point farthest back.
    """
    if player == 0:
        exact = POINTS - pips
        if own & ((2 << exact) - 1) == 0:
            return own & -own
        return own & (1 << exact)
    exact = pips - 1
    if own >> exact == 0:
        smeared = own | (own >> 1)
        smeared |= smeared >> 2
        smeared |= smeared >> 4
        return smeared - (smeared >> 1)
    return own & (1 << exact)


def sources(own, open_points, outside, player, pips):
    """Return from which points one die can be played, with nobody on the bar."""
    found = own & sources_to(open_points, player, pips)
    if outside == 0:
        found |= bearing_off(own, player, pips)
    return found


def sources_or_bar(on_bar, own, open_points, outside, player, pips):
    """Return from where one die can be played; checkers on the bar come first."""
    if on_bar > 0:
        return BAR_BIT if (open_points >> entry_point(player, pips)) & 1 else 0
    return sources(own, open_points, outside, player, pips)


def second_sources(own, single, open_points, outside, player, source, pips, second_pips):
    """Return from which points the second die can be played after the first moved a checker."""
    origin = 1 << source
    landing = landings(origin, player, pips)
    outside -= is_outside(player, source)
    if landing != 0:
        outside += is_outside(player, source + pips if player == 0 else source - pips)
    return sources((own & ~(single & origin)) | landing, open_points, outside, player, second_pips)


def first_sources(firsts, own, single, open_points, outside, player, second, pips, second_pips):
    """Return those of `firsts` after which the second die can be played from the point `second`.

    While two checkers are outside, nobody bears off: then it is enough that a checker stands on
    `second`, before the first die or through it.
    """
    spot = 1 << second
    if outside > 1:
        return firsts & ~(single & spot) if own & spot else firsts & sources_to(spot, player, pips)
    found = 0
    rest = firsts
    while rest != 0:
        source = lowest_point(rest)
        rest &= rest - 1
        seconds = second_sources(own, single, open_points, outside, player, source, pips, second_pips)
        if seconds & spot:
            found |= 1 << source
    return found


def write_pairs(out, count, base, own, single, open_points, outside, player, pips, second_pips):
    """Append the plays of two checkers, nobody on the bar; return how many actions there are now."""
    firsts = sources(own, open_points, outside, player, pips)
    seconds = own | landings(firsts, player, pips)
    if outside > 1:
        seconds &= sources_to(open_points, player, second_pips)
    while seconds != 0 and firsts != 0:
        second = lowest_point(seconds)
        seconds &= seconds - 1
        fitting = first_sources(firsts, own, single, open_points, outside, player, second, pips, second_pips)
        while fitting != 0:
            out[count] = base + BASE * second + lowest_point(fitting)
            fitting &= fitting - 1
            count += 1
    return count


def write_pairs_from_bar(out, count, base, on_bar, own, open_points, player, pips, second_pips):
    """Append the plays whose first checker enters; return how many actions there are now."""
    entry = entry_point(player, pips)
    if (open_points >> entry) & 1 == 0:
        return count
    if on_bar > 1:
        seconds = BAR_BIT if (open_points >> entry_point(player, second_pips)) & 1 else 0
    else:  # the checker that enters is outside, so nobody bears off
        seconds = (own | (1 << entry)) & sources_to(open_points, player, second_pips)
    while seconds != 0:
        out[count] = base + BASE * lowest_point(seconds) + BAR
        seconds &= seconds - 1
        count += 1
    return count


def write_singles(out, base, firsts):
    """Write the plays of one checker; return how many there are."""
    count = 0
    while firsts != 0:
        out[count] = base + BASE * PASS + lowest_point(firsts)
        firsts &= firsts - 1
        count += 1
    return count


def write_plays(out, on_bar, own, single, open_points, outside, player, low, high):
    """Write every play that the rules allow, ascending; return how many there are.

    As many dice as possible must be played; if it is one and either could be, the higher.
    """
    count = 0
    for order in range(1 if low == high else 2):
        pips, second_pips = (high, low) if order == 0 else (low, high)
        base = order * LOWER_FIRST
        if on_bar > 0:
            count = write_pairs_from_bar(
                out, count, base, on_bar, own, open_points, player, pips, second_pips
            )
        else:
            count = write_pairs(
                out, count, base, own, single, open_points, outside, player, pips, second_pips
            )
    if count > 0:
        return count
    firsts = sources_or_bar(on_bar, own, open_points, outside, player, high)
    if firsts != 0:
        return write_singles(out, 0, firsts)
    firsts = sources_or_bar(on_bar, own, open_points, outside, player, low)
    if firsts != 0:
        return write_singles(out, LOWER_FIRST, firsts)
    out[0] = NO_MOVE
    return 1
