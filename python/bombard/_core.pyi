"""The compiled part: what the package's Python files call, with arguments that they have checked."""

from typing import Any

version: str

class InputError(ValueError):
    """What the caller passed is wrong: the message names it and says what it can be."""

class CannotRun(RuntimeError):
    """This machine cannot do it: the message says what is missing and what to do."""

def __getattr__(name: str) -> Any: ...
