"""A submission in a process of its own, at the other end of a pipe.

A warm process is started once and imports torch; where the system can fork, each submission then gets a
fresh copy of it, else a new process. On the level called `walled` it stands behind `wall`; on the one
called `unwalled` nothing is between it and this machine.
"""

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from autograder.child import wire
from autograder.child.host import CELL_SECONDS, PROBE_SECONDS
from autograder.wall import ChildDied, TimeUsedUp, Walled

_PACKAGE = Path(__file__).parent
_BOOT = "import sys; sys.path.insert(0, sys.argv.pop(1)); import child.serve; child.serve.main()"
_GRACE = 15.0  # beyond the limit that the child keeps itself
_START_SECONDS = 120.0


__all__ = ["ChildDied", "Children", "TimeUsedUp"]


class Children:
    """Gives every submission a process of its own, one at a time.

    walled: behind the wall, or raise NoWall; else unwalled.
    """

    def __init__(self, walled: bool = True) -> None:
        self.walled = walled
        self._behind: Walled | _Unwalled = Walled() if walled else _Unwalled()

    @property
    def pid(self) -> int:
        """The number of the first process behind this, 0 when there is none."""
        return self._behind.pid

    def start(self, given: str) -> None:
        """A fresh process for a submission; `given` holds its helpers. Raises NoWall, ChildDied."""
        self._behind.start(given)

    def ask(self, op: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The answer of the submission's process. Raises ChildDied."""
        answer = self._behind.ask(op, arguments)
        return {"error": _plain_error(answer["error"])} if "error" in answer else answer

    def stop(self) -> None:
        """End the submission's process; the warm one behind it stays."""
        self._behind.stop()

    def close(self) -> None:
        """End the warm process too."""
        self._behind.close()


class _Unwalled:
    def __init__(self) -> None:
        self._process: subprocess.Popen | None = None

    @property
    def pid(self) -> int:
        return self._process.pid if self._process is not None else 0

    def start(self, given: str) -> None:
        if self._process is None or self._process.poll() is not None or not hasattr(os, "fork"):
            self.close()
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", _BOOT, str(_PACKAGE)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=given,
                env={"PATH": os.defpath, "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg", **_windows_needs()},
            )
        self._say({"start": given}, _START_SECONDS)

    def ask(self, op: str, arguments: dict[str, Any]) -> dict[str, Any]:
        limit = CELL_SECONDS if op == "run_cell" else PROBE_SECONDS
        return self._say({"op": op, "arguments": arguments}, limit + _GRACE)

    def stop(self) -> None:
        if self._process is None:
            return
        try:
            self._say({"stop": True}, _GRACE)
        except ChildDied:
            self.close()

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process.stdin.close()
            self._process.stdout.close()
            self._process = None

    def _say(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        process = self._process
        if process is None:
            raise ChildDied("its process is gone")
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        try:
            wire.write_frame(process.stdin, message)
            answer = wire.read_frame(process.stdout)
        except (EOFError, OSError, wire.WireError) as error:
            self.close()
            raise ChildDied("its process ended before it answered") from error
        finally:
            timer.cancel()
        if not isinstance(answer, dict) or "ended" in answer:
            raise ChildDied("its process ended before it answered")
        return answer


def _plain_error(error: Any) -> dict[str, Any]:
    """An error with the keys and kinds that `host.describe` gives it, whatever the submission's process sent."""
    if not isinstance(error, dict):
        return {"type": "ProcessEnded", "text": "what its process sent is no answer", "stub": False}
    texts = {key: error[key] for key in ("cell", "source") if isinstance(error.get(key), str)}
    lines = {"line": error["line"]} if type(error.get("line")) is int else {}
    return {
        "type": str(error.get("type")),
        "text": str(error.get("text")),
        "stub": error.get("stub") is True,
        **texts,
        **lines,
    }


def _windows_needs() -> dict[str, str]:
    return {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP") if name in os.environ}
