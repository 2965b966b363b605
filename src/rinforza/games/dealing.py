"""Dealing from a small deck of numbered cards, in compiled code."""


def card_left(dealt, count, index):
    """Return the card with `index` lower cards left in the deck; `dealt[:count]` are gone."""
    card = 0
    while True:
        is_left = True
        for place in range(count):
            if dealt[place] == card:
                is_left = False
        if is_left and index == 0:
            return card
        index -= 1 if is_left else 0
        card += 1
