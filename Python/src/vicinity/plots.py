"""Maps of answers, by matplotlib: flat, true to scale at the middle."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ._errors import ArgumentError

if TYPE_CHECKING:
    from ._index import RegionIndex
    from ._results import Plans

#: Metres of a degree of latitude, for pictures.
_DEGREE = 111_195.0


def _map(ax: Any, latitude: float) -> Any:
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(7, 7))
    ax.set_aspect(1 / max(0.01, math.cos(math.radians(latitude))))
    ax.set_xlabel("longitude")
    ax.set_ylabel("latitude")
    return ax


def _disc(ax: Any, latitude: float, longitude: float, radius: float, **style: Any) -> None:
    from matplotlib.patches import Ellipse

    height = 2 * radius / _DEGREE
    width = height / max(0.01, math.cos(math.radians(latitude)))
    ax.add_patch(Ellipse((longitude, latitude), width, height, **style))
    # Patches alone do not widen the view.
    ax.plot([longitude - width / 2, longitude + width / 2], [latitude, latitude], alpha=0)
    ax.plot([longitude, longitude], [latitude - height / 2, latitude + height / 2], alpha=0)


def _draw_regions(ax: Any, index: RegionIndex, labels: dict[str, str]) -> None:
    """Draw regions, with a text for each: circles filled; of a polygon the circle around it, dotted."""
    columns = index.regions().to_pydict()
    names = ("latitude", "longitude", "radius", "is_polygon")
    places = dict(zip(columns["id"], zip(*(columns[name] for name in names), strict=True), strict=True))
    for region, label in labels.items():
        latitude, longitude, radius, is_polygon = places[region]
        style: dict[str, Any] = {"fill": False, "linestyle": ":"} if is_polygon else {"fill": True, "alpha": 0.3}
        _disc(ax, latitude, longitude, radius, **style)
        ax.annotate(label, (longitude, latitude), ha="center", va="center", fontsize=8)


def plot_nearest(index: RegionIndex, latitude: float, longitude: float, k: int = 20, ax: Any = None) -> Any:
    """Draw a place, the ``k`` regions nearest to it, and their ranks.

    Circles are filled. An index does not give a polygon's outline, so a dotted circle around the polygon stands for it: the
    place may be in this circle and not in the polygon.

    Args:
        index: The regions.
        latitude: Degrees.
        longitude: Degrees.
        k: How many.
        ax: matplotlib's axes to draw on; new ones without it.

    """
    found = index.nearest((latitude, longitude), k).to_pydict()
    ax = _map(ax, latitude)
    ranked = zip(found["rank"], found["region"], strict=True)
    _draw_regions(ax, index, {name: f"{rank} {name}" for rank, name in ranked})
    ax.plot(longitude, latitude, "k+", markersize=12)
    return ax


def plot_plan(plans: Plans, index: RegionIndex, row: int = -1, ax: Any = None) -> Any:
    """Draw one plan: the device, its registered regions as ``plot_nearest`` draws them, and the safe disc, dashed.

    Args:
        plans: What ``RegionIndex.plan`` gave.
        index: The regions.
        row: Which plan; the last by default.
        ax: matplotlib's axes to draw on; new ones without it.

    """
    columns = plans.to_pydict()
    count = len(columns["device"])
    if not -count <= row < count:
        raise ArgumentError(f"row {row} of {count} plans")
    plan = {name: values[row] for name, values in columns.items()}
    ax = _map(ax, plan["latitude"])
    _draw_regions(ax, index, {name: name for name in plan["regions"]})
    if plan["vicinity_radius"] is not None:
        disc = (plan["vicinity_latitude"], plan["vicinity_longitude"], plan["vicinity_radius"])
        _disc(ax, *disc, fill=False, linestyle="--")
    ax.plot(plan["longitude"], plan["latitude"], "k+", markersize=12)
    ax.set_title(f"{plan['device']}, {plan['time']:%Y-%m-%d %H:%M:%S}")
    return ax
