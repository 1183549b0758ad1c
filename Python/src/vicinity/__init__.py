"""Exact nearest regions, containment, crossings, plans and policy studies on the WGS84 ellipsoid, over Arrow.

    >>> from vicinity import RegionIndex
    >>> index = RegionIndex.from_arrow({"id": ["home", "work"], "latitude": [48.2082, 48.1985],
    ...                                 "longitude": [16.3738, 16.37], "radius": [100, 150]})
    >>> index.nearest((48.2, 16.37), k=1).to_pydict()["region"]
    ['work']

The answers are the command line's, byte for byte: ``index.nearest(points).to_csv()``.
"""

from ._errors import (
    AnswerCutWarning,
    ArgumentError,
    BadRowsWarning,
    CancelledError,
    ColumnWarning,
    DataError,
    FileError,
    ForkedError,
    OutOfMemoryError,
    RepairWarning,
    SchemaError,
    StreamError,
    VicinityError,
    VicinityWarning,
)
from ._index import Fleet, RegionIndex, compare
from ._progress import Progress
from ._results import Events, Neighbors, Plans, Stays, Study, Table
from ._version import VERSION as __version__

__all__ = [
    "AnswerCutWarning",
    "ArgumentError",
    "BadRowsWarning",
    "CancelledError",
    "ColumnWarning",
    "DataError",
    "Events",
    "FileError",
    "Fleet",
    "ForkedError",
    "Neighbors",
    "OutOfMemoryError",
    "Plans",
    "Progress",
    "RegionIndex",
    "RepairWarning",
    "SchemaError",
    "Stays",
    "StreamError",
    "Study",
    "Table",
    "VicinityError",
    "VicinityWarning",
    "__version__",
    "compare",
]
