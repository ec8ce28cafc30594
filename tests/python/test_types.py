"""The types that come with the package are right and complete, and show users their mistakes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bombard

package = Path(bombard.__file__).parent

program = """
import bombard
result = bombard.run(60, [([1], [2]), "file", [(1, 2)]], method="fast", on_storm=lambda storm: storm.maximum > 3)
result[0].maximum.hex()
for storm in result:
    storm.name.upper()
bombard.solve.jacobi([[1.0]], [1.0]).x.sum()
bombard.run(60, [], methd="fast")  # wrong
bombard.run("60", [])  # wrong
bombard.run(60, [], threads="2")  # wrong
bombard.Simulation(3).apply([1], [2]).valu  # wrong
bombard.plan(60).seconds.upper()  # wrong
"""


def test_by_mypy(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(program)
    options = ["--strict", "--allow-untyped-calls", "--ignore-missing-imports", f"--cache-dir={os.devnull}"]
    options += ["--enable-incomplete-feature=Unpack", "--hide-error-context", "--show-absolute-path"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(package), str(tmp_path / "program.py")],
        env=dict(os.environ, MYPYPATH=str(package.parent)), capture_output=True, text=True,
    )
    found = re.findall(r"^(.*):(\d+): error", done.stdout, re.MULTILINE)
    wrong = [number for number, line in enumerate(program.splitlines(), 1) if line.endswith("# wrong")]
    assert found == [(str(tmp_path / "program.py"), str(number)) for number in wrong], done.stdout + done.stderr
