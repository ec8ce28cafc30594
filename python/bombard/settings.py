"""How to simulate, in the words of the command line."""

from __future__ import annotations

from typing import TypedDict


class Settings(TypedDict, total=False):
    """The keyword arguments of run(), Simulation() and ensemble().

    device       "auto", "cpu", "cuda" or "cuda:N"
    method       "auto", "direct", "fast" or "sparse"
    precision    "single" or "double"; "auto": the engine's, or else single
    engine       one by its name; "": the one that should be quickest
    threads      of an engine on the processor; 0: all cores
    edition      of the assignment: 1 or 2
    attenuation  "power:B" or, in double precision, "exponential:RANGE"
    threshold    T >= 0: shares nearer to 0 than T / cells (edition 1: T) do not count
    exact_layer  "auto" takes an engine whose layer is the rule's, bit for bit
    expected_storms, expected_impacts
                 what is to come, all storms together: "auto" chooses by it
    """

    device: str
    method: str
    precision: str
    engine: str
    threads: int
    edition: int
    attenuation: str
    threshold: float
    exact_layer: bool
    expected_storms: int
    expected_impacts: int


defaults: Settings = {
    "device": "auto",
    "method": "auto",
    "precision": "auto",
    "engine": "",
    "threads": 0,
    "edition": 2,
    "attenuation": "power:0.5",
    "threshold": 0.001,
    "exact_layer": False,
    "expected_storms": 100,
    "expected_impacts": 100_000,
}


def complete(given: Settings) -> Settings:
    """With the defaults of what is not given. TypeError for a name that is none."""
    for name in given:
        if name not in defaults:
            raise TypeError(f"{name!r} is not a setting; there are {', '.join(defaults)}")
    return {**defaults, **given}
