"""Record random hands of fixed-limit hold'em that PokerKit plays, as `pokerkit/texas_holdem.jsonl`.

    python tests/golden/record_pokerkit.py

It needs PokerKit (`pip install pokerkit`; the file was made with 0.7.7), which is no dependency: the tests
read only the file. Each line is one hand: stacks and blinds, the seat of the button, the cards of each seat,
the board as far as it was dealt, the actions with what was legal before each of them, and what each seat has
won. Cards are rank * 4 + suit; actions are 0 fold, 1 check or call, 2 bet or raise.

PokerKit counts seats from the first after the button; heads-up the button is its seat 1. Three of its rules
are not ours, and are kept out: it allows four raises before the flop, where we count the big blind as the
first bet; it joins pots that have the same winners before it splits them, so that chips come in numbers that
split evenly where stacks differ; and it lets those that have acted not raise again after a raise that was cut
short, so that none is played where stacks differ.
"""

import json
import random
from pathlib import Path
from typing import Any

from pokerkit import Automation, FixedLimitTexasHoldem, State

PATH = Path(__file__).parent / "pokerkit" / "texas_holdem.jsonl"
HANDS = 1000
EVEN = 2520  # chips that split evenly among up to ten
SUITS, RANKS = "cdhs", "23456789TJQKA"


def card_number(card: Any) -> int:
    """Return our number of a card."""
    return 4 * RANKS.index(card.rank) + SUITS.index(card.suit)


def new_hand(generator: random.Random) -> tuple[State, dict[str, Any]]:
    """Deal a hand with random seats, stacks and blinds."""
    seats = generator.randint(2, 9)
    small, big = generator.choice([(5, 10), (1, 2), (3, 7), (1, 3)])
    most = generator.choice([3, 8, 30]) * big
    stacks = [generator.randint(big, most) for _ in range(seats)]
    if generator.random() < 0.3:
        stacks = stacks[:1] * seats
    else:
        small, big = small * EVEN, big * EVEN
        stacks = [chips * EVEN for chips in stacks]
    button = generator.randrange(seats)
    order = [(button + 1 + place) % seats for place in range(seats)]
    dealt = FixedLimitTexasHoldem.create_state(
        tuple(Automation), True, 0, (small, big), big, 2 * big, [stacks[seat] for seat in order], seats
    )
    hole: list[list[int]] = [[]] * seats
    for place, seat in enumerate(order):
        hole[seat] = sorted(card_number(card) for card in dealt.hole_cards[place])
    about = {"stacks": stacks, "blinds": [small, big], "button": button, "hole": hole, "order": order}
    return dealt, about


def legal_actions(hand: State, raises_before_the_flop: int) -> list[int]:
    """Return our numbers of what PokerKit lets the next seat do, without a fourth raise before the flop."""
    faces_a_bet = max(hand.bets) > hand.bets[hand.actor_index]
    may_raise = hand.can_complete_bet_or_raise_to() and (hand.street_index > 0 or raises_before_the_flop < 3)
    return [*([0] if faces_a_bet else []), 1, *([2] if may_raise else [])]


def is_idle(hand: State) -> bool:
    """Return whether the next seat is asked although there is nothing to pay and nobody to bet against."""
    others = [chips for place, chips in enumerate(hand.stacks) if hand.statuses[place]]
    return max(hand.bets) == hand.bets[hand.actor_index] and sum(chips > 0 for chips in others) < 2


def has_a_full_raise(hand: State) -> bool:
    """Return whether a raise would not be cut short, or would be for all seats alike."""
    bet = hand.streets[hand.street_index].min_completion_betting_or_raising_amount
    missing = max(hand.bets) - hand.bets[hand.actor_index]
    return len(set(hand.starting_stacks)) == 1 or hand.stacks[hand.actor_index] >= missing + bet


def recorded(seed: int) -> dict[str, Any]:
    """Play one random hand."""
    random.seed(seed)  # PokerKit shuffles with it
    generator = random.Random(seed)
    hand, about = new_hand(generator)
    order = about.pop("order")
    boldness, caution = generator.random(), 0.2 * generator.random()
    actions, legal, raises = [], [], 0
    while hand.actor_index is not None:
        if is_idle(hand):
            hand.check_or_call()
            continue
        legal.append(legal_actions(hand, raises))
        draw = generator.random()
        bold = 2 in legal[-1] and has_a_full_raise(hand) and generator.random() < boldness
        action = 0 if 0 in legal[-1] and draw < caution else 2 if bold else 1
        actions.append(action)
        raises += action == 2
        (hand.fold, hand.check_or_call, hand.complete_bet_or_raise_to)[action]()
    board = [card_number(card) for cards in hand.board_cards for card in cards]
    won = [0] * len(order)
    for place, seat in enumerate(order):
        won[seat] = hand.payoffs[place]
    return {**about, "board": board, "actions": actions, "legal": legal, "won": won}


def main() -> None:
    """Record the hands."""
    lines = (json.dumps(recorded(seed), separators=(",", ":")) for seed in range(HANDS))
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
