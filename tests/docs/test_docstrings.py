"""The examples in docstrings run and print what they say."""

import doctest
import importlib
import pkgutil

import pytest

import rinforza

MODULES = [module.name for module in pkgutil.walk_packages(rinforza.__path__, "rinforza.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = sum(
        bool(test.examples) for name in MODULES for test in finder.find(importlib.import_module(name))
    )
    assert found >= 8
