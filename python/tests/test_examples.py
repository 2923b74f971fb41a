"""The examples in docstrings and in the documentation give what they show."""

import doctest
import importlib
import os
import pkgutil
from pathlib import Path

import pytest

import polyak

MODULES = ["polyak", *(f"polyak.{m.name}" for m in pkgutil.iter_modules(polyak.__path__) if m.name != "_core")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of(name):
    failed, tried = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


def test_the_documentation():
    page = Path(os.environ["POLYAK_SOURCE"]) / "docs" / "python.md"
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0 and tried > 30


def test_there_are_examples():
    assert sum(len(doctest.DocTestFinder().find(importlib.import_module(n))) for n in MODULES) > 5
