"""What goes wrong, as exceptions that name row and column."""

from __future__ import annotations


class VicinityError(Exception):
    """Something that the library could not do.

    Attributes:
        row: The row that is to blame, counted from 0 over the whole input; ``None`` where none is.
        column: The name of the column that is to blame; ``None`` where none is.

    """

    def __init__(self, message: str, row: int | None = None, column: str | None = None) -> None:
        """Keep where the error is beside what it is."""
        super().__init__(message)
        self.row = row
        self.column = column

    def __reduce__(self) -> tuple[type, tuple[str, int | None, str | None]]:
        """Let errors travel between processes, as Spark's do."""
        return type(self), (str(self), self.row, self.column)


class ArgumentError(VicinityError, ValueError):
    """An argument is unknown, or out of its range."""


class SchemaError(VicinityError, TypeError):
    """A column is missing or of a type that cannot be read, or coordinates are in another reference system."""


class DataError(VicinityError, ValueError):
    """A value cannot be: a null, a latitude beyond 90, time that runs backwards."""


class FileError(VicinityError, OSError):
    """A file cannot be read or written, or is damaged."""


class CancelledError(VicinityError):
    """A progress callback asked to stop."""


class StreamError(VicinityError):
    """The Arrow stream that was given failed."""


class OutOfMemoryError(VicinityError, MemoryError):
    """No memory."""


class ForkedError(VicinityError, RuntimeError):
    """No call can be made: the process was forked while another thread was in one."""


class VicinityWarning(UserWarning):
    """What may be wrong with an input, or what an answer cannot tell."""


class AnswerCutWarning(VicinityWarning):
    """A number of regions that nobody asked for leaves out some that contain a point."""


class RepairWarning(VicinityWarning):
    """A polygon's rings crossed or collapsed, and were repaired."""


class BadRowsWarning(VicinityWarning):
    """Rows were left out by ``on_bad_rows="skip"``."""


class ColumnWarning(VicinityWarning):
    """A column may not be what it looks like: its name speaks of another unit, it is not read, or another could be read."""


#: The warnings by what a note is about; of all others it is ``VicinityWarning``.
BY_KIND: dict[str, type[VicinityWarning]] = {
    "cut": AnswerCutWarning,
    "repair": RepairWarning,
    "rejects": BadRowsWarning,
    "column": ColumnWarning,
}

BY_CODE: dict[int, type[VicinityError]] = {
    1: ArgumentError,
    2: SchemaError,
    3: DataError,
    4: FileError,
    5: CancelledError,
    6: StreamError,
    7: OutOfMemoryError,
}
