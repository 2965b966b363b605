"""Broken components beside the words with which the check refuses them."""

import re
from contextlib import contextmanager

import pytest

from rinforza.testing import ConformanceError


class Refusals:
    """Collects classes: `@refusals("words")` above a class says what the check must answer.

    In the words, `...` stands for anything.
    """

    def __init__(self):
        self.cases = []

    def __call__(self, words):
        def note(broken):
            self.cases.append(pytest.param(broken, words, id=broken.__name__))
            return broken

        return note


@contextmanager
def expected(broken, words):
    """Expect a `ConformanceError` that names the class, says the words and tells how to mend it."""
    pattern = ".*".join(map(re.escape, words.split("...")))
    with pytest.raises(ConformanceError, match=f"(?s){pattern}") as caught:
        yield
    assert broken.__name__ in str(caught.value)
    assert "To mend it: " in str(caught.value)
