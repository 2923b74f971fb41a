"""The examples in docstrings and in the documentation give what they show."""

import doctest
import importlib
import json
import os
import pkgutil
import runpy
from pathlib import Path

import pytest

import notebook
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


def test_the_notebook():
    with open(Path(os.environ["POLYAK_SOURCE"]) / "docs" / "tutorial.ipynb") as file:
        stored = json.load(file)
    cells = [cell for cell in stored["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 8
    for cell, outputs in zip(cells, notebook.run(stored)):
        assert notebook.texts(outputs) == notebook.texts(cell["outputs"]), "".join(cell["source"])
        assert len(outputs) == len(cell["outputs"])


def test_the_reference_is_that_of_the_docstrings():
    """If not: PYTHONPATH=build/release/python build/venv/bin/python tools/python_reference.py docs/python-reference.md"""
    source = Path(os.environ["POLYAK_SOURCE"])
    names = runpy.run_path(str(source / "tools" / "python_reference.py"))
    assert names["reference"]() == (source / "docs" / "python-reference.md").read_text()


def test_there_are_examples():
    assert sum(len(doctest.DocTestFinder().find(importlib.import_module(n))) for n in MODULES) > 5
