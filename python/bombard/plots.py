"""Pictures, drawn by matplotlib, which is imported only when one is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Tuple

if TYPE_CHECKING:
    import numpy.typing as npt


def drawn(layer: npt.NDArray[Any], maxima: Iterable[Tuple[int, float, str]], axes: Any) -> Any:
    """Draws a layer and maxima (position, value, label) on these axes, or on new ones; returns the axes."""
    if axes is None:
        from matplotlib import pyplot

        axes = pyplot.subplots()[1]
    axes.plot(layer, linewidth=1)
    for position, value, text in maxima:
        axes.plot(position, value, "v", color="tab:red")
        axes.annotate(text, (position, value), textcoords="offset points", xytext=(0, 6), ha="center")
    axes.margins(y=0.12)
    axes.set_xlabel("cell")
    axes.set_ylabel("energy")
    return axes
