"""Record how phevaluator ranks random hands of seven cards, as `phevaluator/seven_cards.jsonl`.

    python tests/golden/record_phevaluator.py

It needs phevaluator (`pip install phevaluator`; the file was made with 0.6.0), which is no dependency: the
tests read only the file. Each line is the cards, rank * 4 + suit, and the rank, 1 for the best hand to 7462.
A third of the hands have five cards of one suit, so that there are flushes enough.
"""

import json
import random
from pathlib import Path

from phevaluator import evaluate_cards

PATH = Path(__file__).parent / "phevaluator" / "seven_cards.jsonl"
HANDS = 4000
SUITS, RANKS = "cdhs", "23456789TJQKA"


def random_hand(generator: random.Random) -> list[int]:
    """Draw seven cards."""
    hand = []
    if generator.randrange(3) == 0:
        suit = generator.randrange(4)
        hand = [4 * rank + suit for rank in generator.sample(range(13), 5)]
    return hand + generator.sample([card for card in range(52) if card not in hand], 7 - len(hand))


def main() -> None:
    """Record the hands."""
    generator = random.Random(7)
    hands = [random_hand(generator) for _ in range(HANDS)]
    names = [[RANKS[card // 4] + SUITS[card % 4] for card in hand] for hand in hands]
    lines = (
        json.dumps([hand, evaluate_cards(*named)], separators=(",", ":"))
        for hand, named in zip(hands, names, strict=True)
    )
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
