"""A time limit on the student's code."""

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class TimeLimit(BaseException):
    """The code ran too long. Not an Exception, so that `except Exception` does not swallow it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeLimit inside the block once it has run for `seconds`."""
    if hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
        yield from _by_alarm(seconds)
    else:  # Windows, or a thread: reaches Python code between two instructions, not a call that blocks
        yield from _by_thread(seconds)


def _by_alarm(seconds: float) -> Iterator[None]:
    def ring(number: int, frame: object) -> None:
        raise TimeLimit

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # again every second, for code that catches it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _by_thread(seconds: float) -> Iterator[None]:
    ident = ctypes.c_ulong(threading.get_ident())
    timer = threading.Timer(
        seconds, ctypes.pythonapi.PyThreadState_SetAsyncExc, (ident, ctypes.py_object(TimeLimit))
    )
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
