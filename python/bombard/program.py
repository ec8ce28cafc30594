"""The program `bombard`, which comes with the package."""

import os
import sys
from pathlib import Path
from typing import NoReturn

from ._core import CannotRun


def program() -> str:
    """Its path. CannotRun if the package was built without it."""
    path = Path(__file__).parent / "bin" / "bombard"
    if not path.exists():
        raise CannotRun(f"{path} is missing: this package was built without the program; build with -DBOMBARD_TOOLS=ON")
    return str(path)


def main() -> NoReturn:
    """Replaces this process with the program; the arguments stay the same."""
    try:
        path = program()
    except CannotRun as error:
        print(f"bombard: {error}", file=sys.stderr)
        sys.exit(3)
    os.execv(path, ["bombard", *sys.argv[1:]])
