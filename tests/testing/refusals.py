"""Broken components beside the words with which the check refuses them."""


class Refusals:
    """Collects classes: `@refusals("words")` above a class says what the check must answer.

    In the words, `...` stands for anything.
    """

    def __init__(self):
        self.cases = []

    def __call__(self, words):
        def note(broken):
            self.cases.append((broken, words))
            return broken

        return note

    def params(self):
        """Return the cases as arguments for a parametrized test, with their ids."""
        return {"argvalues": self.cases, "ids": [broken.__name__ for broken, _ in self.cases]}
