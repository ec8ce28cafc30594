"""The examples of docs/python.md print what the page says, and draw its picture."""

import doctest

import pytest
from conftest import source


def test_the_examples_of_the_page(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    (tmp_path / "inputs").symlink_to(source / "inputs")
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(source / "docs/python.md"), module_relative=False)
    assert failed == 0
    assert tried >= 40
    width_and_height = slice(16, 24)  # of a PNG
    drawn, shown = (tmp_path / "sweep.png").read_bytes(), (source / "docs/sweep.png").read_bytes()
    assert drawn[width_and_height] == shown[width_and_height]
