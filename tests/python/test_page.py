import doctest
import os

from conftest import source


def test_the_examples_of_the_page():
    before = os.getcwd()
    os.chdir(source)
    try:
        failed, tried = doctest.testfile(str(source / "docs/python.md"), module_relative=False)
    finally:
        os.chdir(before)
    assert failed == 0
    assert tried >= 20
