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

_AROUND = "circle around a polygon"


def _map(ax: Any, latitude: float) -> Any:
    from matplotlib.ticker import Formatter

    def written(x: float, _: object) -> str:
        """Give a longitude between -180 and 180, also beyond the antimeridian."""
        return str(Formatter.fix_minus(f"{round(math.remainder(x, 360), 9) + 0.0:.12g}"))

    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(7, 7))
    ax.set_aspect(1 / max(0.01, math.cos(math.radians(latitude))))
    ax.xaxis.set_major_formatter(written)
    ax.set_xlabel("longitude")
    ax.set_ylabel("latitude")
    return ax


def _limit(ax: Any, longitude: float) -> None:
    """Cut a map off at the poles, and half a turn away from its middle."""
    south, north = ax.get_ylim()
    ax.set_ylim(max(south, -90), min(north, 90), auto=None)
    west, east = ax.get_xlim()
    ax.set_xlim(max(west, longitude - 180), min(east, longitude + 180), auto=None)


def _near(middle: float, longitude: float) -> float:
    """Give a longitude plus or minus whole turns: the value at most 180 from the middle."""
    return middle + math.remainder(longitude - middle, 360)


def _outline(latitude: float, longitude: float, radius: float) -> list[tuple[float, float]]:
    """Points of a circle on a sphere, as longitude and latitude; longitudes go on beyond 180."""
    lat1, angle = math.radians(latitude), math.radians(min(radius / _DEGREE, 180))
    points = []
    for i in range(180):
        # From behind the nearer pole: there the longitude jumps, if the circle contains the pole.
        azimuth = math.radians(2 * i + 1 + (180 if latitude < 0 else 0))
        sine = math.sin(lat1) * math.cos(angle) + math.cos(lat1) * math.sin(angle) * math.cos(azimuth)
        turn = math.atan2(math.sin(azimuth) * math.sin(angle) * math.cos(lat1), math.cos(angle) - math.sin(lat1) * sine)
        points.append((longitude + math.degrees(turn), math.degrees(math.asin(max(-1, min(1, sine))))))
    if abs(latitude) + radius / _DEGREE > 90:
        pole, half, behind = math.copysign(90, latitude), math.copysign(180, latitude), points[0][1]
        first, last = longitude + half, longitude - half
        points = [(first, pole), (first, behind), *points, (last, behind), (last, pole)]
    return points


def _disc(ax: Any, middle: float, latitude: float, longitude: float, radius: float, **style: Any) -> None:
    """Draw a disc within 180 degrees of the map's middle; one that reaches farther is drawn on both sides."""
    from matplotlib.patches import Polygon

    points = _outline(latitude, _near(middle, longitude), radius)
    longitudes = [x for x, _ in points]
    for turn in (0, -360, 360):
        if turn == 0 or (min(longitudes) + turn < middle + 180 and max(longitudes) + turn > middle - 180):
            ax.add_patch(Polygon([(x + turn, y) for x, y in points], **style))
            style.pop("label", None)


def _draw_regions(ax: Any, middle: float, index: RegionIndex, labels: dict[str, str]) -> None:
    """Draw regions, with a text for each: circles filled; of a polygon the circle around it, dotted."""
    columns = index.regions().to_pydict()
    names = ("latitude", "longitude", "radius", "is_polygon")
    places = dict(zip(columns["id"], zip(*(columns[name] for name in names), strict=True), strict=True))
    for region, label in labels.items():
        latitude, longitude, radius, is_polygon = places[region]
        style: dict[str, Any] = {"fill": False, "linestyle": ":"} if is_polygon else {"fill": True, "alpha": 0.3}
        if is_polygon and _AROUND not in ax.get_legend_handles_labels()[1]:
            style["label"] = _AROUND
        _disc(ax, middle, latitude, longitude, radius, **style)
        ax.annotate(label, (_near(middle, longitude), latitude), ha="center", va="center", fontsize=8)
    if _AROUND in ax.get_legend_handles_labels()[1]:
        ax.legend()


def plot_nearest(index: RegionIndex, latitude: float, longitude: float, k: int = 20, ax: Any = None) -> Any:
    """Draw a place, the ``k`` regions nearest to it, and their ranks.

    Circles are filled. An index does not give a polygon's outline, so a dotted circle around the polygon stands for it: the
    place may be in this circle and not in the polygon. If there are such circles, a legend says what they are.

    A map may cross the antimeridian. Near a pole it is stretched: there all longitudes lie side by side.

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
    _draw_regions(ax, longitude, index, {name: f"{rank} {name}" for rank, name in ranked})
    ax.plot(longitude, latitude, "k+", markersize=12)
    _limit(ax, longitude)
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
    middle = plan["longitude"]
    _draw_regions(ax, middle, index, {name: name for name in plan["regions"]})
    if plan["vicinity_radius"] is not None:
        disc = (plan["vicinity_latitude"], plan["vicinity_longitude"], plan["vicinity_radius"])
        _disc(ax, middle, *disc, fill=False, linestyle="--")
    ax.plot(middle, plan["latitude"], "k+", markersize=12)
    _limit(ax, middle)
    ax.set_title(f"{plan['device']}, {plan['time']:%Y-%m-%d %H:%M:%S}")
    return ax
