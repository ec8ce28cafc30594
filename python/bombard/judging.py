"""Programs of the assignment, judged by the program `bombard` (docs/judging.md)."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Sequence, TypedDict, Union

from ._core import CannotRun, InputError
from .program import program

if TYPE_CHECKING:
    from typing_extensions import Unpack

PathLike = Union[str, "os.PathLike[str]"]


class Judging(TypedDict, total=False):
    """The keyword arguments of judge(): the options of `bombard judge`, with _ instead of - in their names."""

    cases: PathLike
    edition: int
    command: str
    build: str
    threads: Union[int, str, Sequence[int]]
    tolerance: Union[float, str]
    repeat: int
    timeout: float
    memory: float
    points: str
    ranking: PathLike
    names: PathLike


def _words(name: str, value: Any) -> List[str]:
    option = "--" + name.replace("_", "-")
    if isinstance(value, (str, os.PathLike)):
        return [option, os.fspath(value)]
    if isinstance(value, Iterable):
        return [option, ",".join(map(str, value))]
    whole = isinstance(value, float) and value.is_integer()
    return [option, str(int(value) if whole else value)]


def _in_python(message: str) -> str:
    """A message of the program, with the words of judge() instead of options."""
    return re.sub(r"(?<!\S)--(?!help)([a-z][a-z-]*)", lambda option: option[1].replace("-", "_"), message)


@contextlib.contextmanager
def _children_with_exit_codes() -> Iterator[None]:
    """Where SIGCHLD is ignored, the system forgets how a child has ended. Only the main thread may change that."""
    ignored = signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN and threading.current_thread() is threading.main_thread()
    if ignored:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        yield
    finally:
        if ignored:
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def judge(*programs: PathLike, **options: Unpack[Judging]) -> Dict[str, Any]:
    """Runs programs `PROGRAM CELLS STORM...`, in processes of their own, on cases in which such programs often go wrong, and
    returns the object of `bombard judge --format json`: `["programs"][i]` has the verdict (`kind`), the points, and the
    `cases`.

    InputError for a path that is not a program and for a wrong option, CannotRun if the package has no program. A call that
    is interrupted ends the judged programs, too.
    """
    for name in options:
        if name not in Judging.__annotations__:
            raise TypeError(f"{name!r} is not an option of judge(); there are {', '.join(Judging.__annotations__)}")
    words = [word for name, value in options.items() for word in _words(name, value)]
    command = [program(), "judge", *words, "--format", "json", "--", *(os.fspath(path) for path in programs)]
    with _children_with_exit_codes(), subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace"
    ) as process:
        try:
            printed, said = process.communicate()
        except BaseException:
            process.terminate()  # it ends what it runs, too
            raise
    if process.returncode not in (0, 1) or not printed:  # in another thread the exit code may be lost
        message = said.strip().split("bombard: ", 1)[-1]
        raise (InputError if process.returncode == 2 else CannotRun)(_in_python(message))
    result: Dict[str, Any] = json.loads(printed)
    return result
