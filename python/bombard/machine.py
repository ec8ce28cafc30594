"""What this machine has, and what it would do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

from . import _core, checks
from .settings import Settings, checked
from .storms import StormLike, gathered

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Device(NamedTuple):
    """The CPU or a GPU: the word for `device`, its name, memory in bytes (of the CPU what is free), its cores
    or multiprocessors, and whether this build can use it."""

    device: str
    name: str
    memory: int
    cores: int
    usable: bool


def devices() -> List[Device]:
    """The CPU, and the GPUs that this process sees."""
    return [Device(*each) for each in _core.devices()]


class Plan(NamedTuple):
    """What a run is going to be, by plan()."""

    engine: str  #: "cpu_direct"
    method: str
    precision: str
    device: str  #: the name of the CPU or of the GPU
    on_gpu: bool
    reason: str  #: why this engine was chosen
    threads: int  #: that the engine may use
    seconds: float  #: about, the start of a GPU included
    memory: int  #: bytes of the host's memory for the layer
    quicker: List[Tuple[Dict[str, Any], float]]  #: settings that would take less than a tenth of the time, and theirs


def plan(cells: int, storms: Optional[Iterable[StormLike]] = None, **settings: Unpack[Settings]) -> Plan:
    """How run() would compute these storms, or, without storms, a Simulation the storms that it expects. Nothing is
    computed. Errors are those of run()."""
    expected: Settings = {}
    if storms is not None:
        all_impacts, _ = gathered(storms)
        expected = {"expected_storms": len(all_impacts), "expected_impacts": sum(each.size for each in all_impacts)}
    *values, quicker = _core.plan(checks.whole_number(cells, "cells"), checked({**expected, **settings}))
    ways = [({setting: value}, seconds) for setting, value, seconds in quicker]
    return Plan._make([*values, ways])
