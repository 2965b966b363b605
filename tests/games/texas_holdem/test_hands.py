"""How strong hands are: counted over all of them, and beside two other judges."""

import json
import random
from itertools import combinations, pairwise

import pytest

from tests.games.recorded import GOLDEN
from tests.naive.texas_holdem import best_hand, hand_rank

from .counting import category_counts, strength_of

FIVE_CARDS = [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40]
SEVEN_CARDS = [
    23_294_460,
    58_627_800,
    31_433_400,
    6_461_620,
    6_180_020,
    4_047_644,
    3_473_184,
    224_848,
    41_584,
]
CLASSES = 7462  # that five cards can be told apart into


def test_all_hands_of_five_cards():
    assert category_counts(5) == FIVE_CARDS


@pytest.mark.slow
def test_all_hands_of_seven_cards():
    assert category_counts(7) == SEVEN_CARDS


def test_the_classes_of_five_cards():
    """Hands of all ranks there can be, in four suits and where possible in one."""
    of_ranks = combinations(sorted(list(range(13)) * 4), 5)
    hands = {tuple(4 * rank + place % 4 for place, rank in enumerate(ranks)) for ranks in of_ranks}
    hands |= {tuple(4 * rank for rank in ranks) for ranks in combinations(range(13), 5)}
    by_strength = {strength_of(hand): hand_rank(hand) for hand in hands}
    assert len(by_strength) == CLASSES
    ordered = [by_strength[strength] for strength in sorted(by_strength)]
    assert all(one < other for one, other in pairwise(ordered))


@pytest.mark.lanes
def test_hands_that_phevaluator_ranked():
    lines = (GOLDEN / "phevaluator" / "seven_cards.jsonl").read_text().splitlines()
    ranked = sorted((-rank, strength_of(hand)) for hand, rank in map(json.loads, lines))
    assert len(ranked) == 4000
    assert len({rank for rank, _ in ranked}) > 1000
    for (rank, strength), (next_rank, next_strength) in pairwise(ranked):
        assert (rank < next_rank) == (strength < next_strength)


@pytest.mark.lanes
@pytest.mark.parametrize("size", [5, 6, 7])
def test_pairs_of_hands_compare_as_the_twin_says(size):
    generator = random.Random(size)
    for _ in range(150):
        deck = (
            generator.sample(range(24), 12) if generator.random() < 0.5 else generator.sample(range(52), 12)
        )
        one, other = deck[:size], deck[-size:]
        strength, other_strength = strength_of(one), strength_of(other)
        rank, other_rank = best_hand(one), best_hand(other)
        assert (strength > other_strength) == (rank > other_rank)
        assert (strength == other_strength) == (rank == other_rank)


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("As Ks Qs Js Ts 2c 2d", "9h Kh Qh Jh Th 2c 2d"),
        ("6s 5s 4s 3s 2s Kc Kd", "5s 4s 3s 2s As Kc Kd"),
        ("5s 4s 3s 2s As 9c 9d", "9c 9d 9h 9s Ac Kc Kd"),
        ("9c 9d 9h 9s Ac 2c 2d", "9c 9d 9h 9s Kc Kh Kd"),
        ("2c 2d 2h 2s 3c 3d 3h", "Ac Ad Ah Kc Kd Kh Qs"),
        ("Ac Ad Ah Kc Kd Kh Qs", "Ac Ad Ah Qc Qd 3h 3s"),
        ("2c 2d 2h 3c 3d 7h 9s", "Ac Kc Qc Jc 9c 8d 7d"),
        ("Ac 9c 7c 3c 2c Kd Qd", "Kc Qc Jc 9c 8c Ad Ah"),
        ("7c 6c 5c 4c 2c Ad Ah", "Ac Kd Qc Jd Th 9c 8c"),
        ("6c 5d 4c 3d 2h Ac Ad", "Ac 5d 4c 3d 2h Kc Kd"),
        ("Ac 5d 4c 3d 2h 2c 2d", "Ac Ad Ah Kc Qc 9s 7d"),
        ("2c 2d 2h Ac 9d 7c 5s", "Ac Ad Kh Kc Qd Qs 2d"),
        ("Ac Ad Kh Kc Qd Qs 2d", "Ac Ad Kh Kc Jd Js 2d"),
        ("2c 2d 7h 9c Jd Qs Ks", "Ac Kd Qh Jc 9d 8s 7s"),
    ],
)
def test_what_beats_what(better, worse):
    assert strength_of(cards_of(better)) > strength_of(cards_of(worse))


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ac Kd Qh Js 9c 3d 2h", "Ad Kc Qs Jh 9d 4d 3h"),
        ("Ac Ad Kh Kc Qd Qs 2d", "Ac Ad Kh Kc Qd Js 3d"),
        ("9c 9d 9h 9s Ac 2c 2d", "9c 9d 9h 9s Ad Kc Kd"),
        ("Tc Jd Qh Ks Ac 2c 2d", "Td Jc Qs Kh Ad Ac As"),
        ("Ac Kc Qc Jc 9c 8c 7c", "Ad Kd Qd Jd 9d 3d 2d"),
    ],
)
def test_what_ties(one, other):
    assert strength_of(cards_of(one)) == strength_of(cards_of(other))


def cards_of(text):
    """Return the numbers of named cards."""
    return [4 * "23456789TJQKA".index(rank) + "cdhs".index(suit) for rank, suit in text.split()]
