"""How to simulate, in the words of the command line."""

from __future__ import annotations

from typing import Any, Dict, Mapping, TypedDict

from . import _core, checks


class Settings(TypedDict, total=False):
    """The keyword arguments of run(), plan(), Simulation() and ensemble().

    device       "auto", "cpu", "cuda" or "cuda:N"
    method       "auto", "direct", "fast" or "sparse"
    precision    "single" or "double"; "auto": the engine's, or else single
    engine       the name of an engine; "": the one that should be fastest
    threads      threads of an engine on the CPU, or those that send storms to a GPU; 0, the default: all cores
    edition      the edition of the assignment: 1, or 2, the default
    attenuation  "power:0.5"; in double precision also "power:B", "exponential:RANGE" or "damped:B:RANGE"
    threshold    T >= 0, 0.001: shares nearer to 0 than T / cells (edition 1: T) do not count; in double precision
                 every share is added, and there is no other threshold
    wanted       "maxima", or "cells" or "layer", which "auto" then takes an engine for; without it, another engine takes
                 all storms again when cells or a layer are asked for
    expected_storms, expected_impacts
                 the numbers of storms and of impacts to come, from which "auto" chooses; 100 and 100000
    """

    device: str
    method: str
    precision: str
    engine: str
    threads: int
    edition: int
    attenuation: str
    threshold: float
    wanted: str
    expected_storms: int
    expected_impacts: int


_checks = {
    "threads": lambda value, name: checks.whole_number(value, name, 0, _core.most_threads),
    "edition": lambda value, name: checks.whole_number(value, name, 1, 2),
    "threshold": checks.real_number,
    "expected_storms": lambda value, name: checks.whole_number(value, name, 0),
    "expected_impacts": lambda value, name: checks.whole_number(value, name, 0),
}


def checked(given: Mapping[str, Any]) -> Dict[str, Any]:
    """The settings for the compiled part. TypeError for a name that is not a setting, InputError for a value of the wrong
    type."""
    names = Settings.__annotations__
    for name in given:
        if name not in names:
            raise TypeError(f"{name!r} is not a setting; there are {', '.join(names)}")
    return {name: _checks.get(name, checks.word)(value, name) for name, value in given.items()}
