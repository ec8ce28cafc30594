"""The devices of this machine, and the plan of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, List, NamedTuple, Optional

from . import _core, checks
from .settings import Settings, checked
from .storms import StormLike, gathered

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Device(NamedTuple):
    """The CPU or a GPU: the word for `device`, its name, its memory in bytes (for the CPU, the free memory), its cores or
    multiprocessors, and whether this build can use it."""

    device: str
    name: str
    memory: int
    cores: int
    usable: bool


def devices() -> List[Device]:
    """The CPU, and the GPUs that this process sees."""
    return [Device(*each) for each in _core.devices()]


class Plan(NamedTuple):
    """How a run would be computed, from plan()."""

    engine: str  #: "cpu_direct"
    method: str
    precision: str
    device: str  #: the name of the CPU or of the GPU
    on_gpu: bool
    reason: str  #: why this engine was chosen
    threads: int  #: the number that the engine may use
    seconds: float  #: an estimate, including the start of a GPU
    memory: int  #: bytes of the host's memory


def plan(cells: int, storms: Optional[Iterable[StormLike]] = None, **settings: Unpack[Settings]) -> Plan:
    """How run() would compute these storms; or, without storms, how a Simulation would compute the expected ones. It
    computes nothing. Errors are those of run()."""
    expected: Settings = {}
    if storms is not None:
        all_impacts, _ = gathered(storms)
        expected = {"expected_storms": len(all_impacts), "expected_impacts": sum(map(len, all_impacts))}
    return Plan._make(_core.plan(checks.whole_number(cells, "cells"), checked({**expected, **settings})))
