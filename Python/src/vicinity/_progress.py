"""Progress on a terminal or in a notebook, and Ctrl-C and other signals."""

from __future__ import annotations

import ctypes
import numbers
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeAlias

from ._errors import ArgumentError
from ._library import CALLING, PROGRESS, ControlStruct

#: What shows progress: ``True`` for a bar, ``False`` for nothing, ``None`` for a bar where somebody looks, or a
#: function of how much is done and how much there is in all (-1 where that is not known); it may raise to stop the work.
Progress: TypeAlias = "Callable[[int, int], object] | bool | None"

_SIGNALS = [int(number) for number in signal.valid_signals()]
#: Without the enumeration that it makes of each answer: a short call would take longer for it.
_handler_of: Callable[[int], Any] = getattr(signal.getsignal, "__wrapped__", signal.getsignal)


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return running is not None and "IPKernelApp" in getattr(running, "config", {})


def _is_callers(frame: Any) -> bool:
    """Whether a frame is code of the caller's that the library waits for, as that of a stream or of a function of progress."""
    if frame is None or frame.f_globals.get("__package__") == __package__:
        return False
    while frame is not None and frame.f_globals.get("__package__") != __package__:
        frame = frame.f_back
    return frame is not None and frame.f_code in (CALLING, Control._called.__code__)


class _Bar:
    """A bar, shown once the work has taken a second."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._start = time.monotonic()
        self._last = self._start
        self._display: Any = None
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._start < 1 or now - self._last < 0.1:
            return
        self._last = now
        rate = done / (now - self._start)
        if total > 0:
            text = f"{self._title}: {100 * done / total:3.0f} % of {total:,}"
        else:
            text = f"{self._title}: {done:,}, {rate:,.0f} a second"
        if _in_notebook():
            from IPython.display import HTML, display

            value = f' value="{done}" max="{total}"' if total > 0 else ""
            page = HTML(f"<progress{value}></progress> {text}")
            if self._display is None:
                self._display = display(page, display_id=True)
            else:
                self._display.update(page)
        else:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
        self._shown = True

    def finish(self) -> None:
        if self._shown and self._display is None:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class Control:
    """How many threads may work, and whom to tell of progress: what a call is given, within a ``with``."""

    def __init__(self, title: str, threads: int | None, progress: Progress) -> None:
        """Prepare the struct; ``threads`` is ``None`` for one on each core."""
        if threads is not None and (not isinstance(threads, numbers.Integral) or not 0 <= int(threads) < 2**31):
            raise ArgumentError(f"threads: a whole number is expected, not {threads!r}")
        if progress is not None and not isinstance(progress, bool) and not callable(progress):
            raise ArgumentError(f"progress: True, False or a function is expected, not {progress!r}")
        if progress is None:
            progress = sys.stderr.isatty() or _in_notebook()
        self._bar = _Bar(title) if progress is True else None
        self._report: Callable[[int, int], object] | None = self._bar
        if callable(progress):
            self._report = progress
        self._raised: BaseException | None = None
        # What signals were handled by, and what handles them now: kept, as each look at a method makes another object.
        self._handlers: dict[int, Callable[[int, Any], object]] = {}
        self._waiting = self._handle
        self._is_over = True
        # Kept as long as the struct.
        self._callback = PROGRESS(self._called)
        self.struct = ControlStruct(ctypes.sizeof(ControlStruct), int(threads or 0), self._callback, None)

    def _called(self, _context: int | None, done: int, total: int) -> int:
        if self._raised is not None:
            return 1
        try:
            if self._report is not None:
                self._report(done, total)
        except BaseException as error:
            self._keep(error)
        return int(self._raised is not None)

    def _keep(self, error: BaseException) -> None:
        if self._raised is None:
            self._raised = error

    def __enter__(self) -> Any:
        """Give the pointer to pass on.

        What a signal's handler raises, as that of Ctrl-C does, is kept until the library has stopped: an exception in the middle
        of a callback of C's would be lost. It is raised in the caller's code, too, where the library waits for that. A handler
        that raises nothing stops nothing.
        """
        self._is_over = False
        if threading.current_thread() is threading.main_thread():
            try:
                for number in _SIGNALS:
                    handler = _handler_of(number)
                    if callable(handler):
                        self._handlers[number] = handler
                        signal.signal(number, self._waiting)
            except BaseException:
                self._restore()
                raise
        return ctypes.byref(self.struct)

    def _handle(self, number: int, frame: Any) -> None:
        if self._is_over:
            # Somebody has put this back who found it during the call.
            self._handlers[number](number, frame)
            return
        try:
            self._handlers[number](number, frame)
        except BaseException as error:
            self._keep(error)
            # The library waits for that code, and looks only when it is done.
            if _is_callers(frame):
                raise

    def _restore(self) -> None:
        """Give signals their handlers back, but for those that have got another one meanwhile."""
        try:
            for number, handler in self._handlers.items():
                if _handler_of(number) is self._waiting:
                    signal.signal(number, handler)
            self._is_over = True
        except BaseException as error:
            # Of a handler that is back already.
            self._keep(error)
            self._restore()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the bar; raise what the callback or a signal's handler raised."""
        self._restore()
        if self._bar is not None:
            self._bar.finish()
        if self._raised is not None:
            raise self._raised
