"""Whether anybody else still holds an array, so that its memory can be used again."""

import sys
from typing import Any


def references(holder: list[Any], index: int) -> int:
    """Count the references to an element of a list, as `sys.getrefcount` sees them from here."""
    return sys.getrefcount(holder[index])


# What the count is for an object that only the list holds; it differs between versions of Python.
ONLY_THE_LIST = references([object()], 0)


def only_ours(holder: list[Any], index: int) -> bool:
    """Return whether nothing but the list refers to its element; a view of an array refers to it."""
    return references(holder, index) <= ONLY_THE_LIST
