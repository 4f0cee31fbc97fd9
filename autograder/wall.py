"""The wall around submissions that are graded for marks, and the grader's side of it.

Outer wall: bubblewrap shows a warm process (`child.zygote`) the interpreter, its packages without this one,
`child/` and the given helpers, all read-only, and no network. Inner walls (`child.cage`): every submission
is forked from it into namespaces, a scratch folder and limits of its own, and killed as a whole.
Started as root, the warm process becomes NOBODY by a real setuid before it imports anything else.
"""

import contextlib
import os
import platform
import select
import shutil
import site
import socket
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from autograder.child import wire
from autograder.child.host import CELL_SECONDS, PROBE_SECONDS

NOBODY = 65534
SUBMISSION_SECONDS = 120.0  # for all that is asked of one submission
_GRACE = 5.0  # beyond the limit that the submission's process keeps itself
_START_SECONDS = 120.0
_ORDER_SECONDS = 20.0
_PACKET = 4096
_PACKAGE = Path(__file__).parent
_GIVEN = "/course/given"
_CPUS = "/sys/devices/system/cpu"  # from which torch learns what the processor can do
_BOOT = (
    "import sys; sys.path.insert(0, '/course'); from child import cage; cage.prepare(int(sys.argv[1])); "
    "sys.path += sys.argv[2:]; import child.zygote; child.zygote.main()"
)
_NEEDED = "Grading for marks needs a wall around the students' code"
WAY_OUT = (
    "Install bubblewrap (Debian and Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap) and see "
    "what `course doctor` says. Set c.TrustedGrader.unwalled = True in nbgrader_config.py only for work that "
    "you trust."
)


class NoWall(Exception):
    """This machine has no wall to grade behind; the text is a sentence with what to install."""


class ChildDied(Exception):
    """The process of the submission is gone, or said something that is no answer."""


class TimeUsedUp(ChildDied):
    """The submission has had all the time that it gets; starting it once more is of no use."""


def bubblewrap() -> str:
    """The path of bubblewrap. Raises NoWall."""
    if not sys.platform.startswith("linux"):
        raise NoWall(
            f"{_NEEDED}, which exists on Linux only; this is {sys.platform}. Self-check works here. "
            "Grade on a Linux machine, a virtual one for example."
        )
    found = shutil.which("bwrap")
    if found is None:
        raise NoWall(f"{_NEEDED}, and bubblewrap is missing. {WAY_OUT}")
    return found


def level(walled: bool) -> str:
    """What every result is stamped with: the level, and the versions that took part."""
    try:
        course = version("transformer-block-course")
    except PackageNotFoundError:
        course = "unknown"
    return (
        f"{'walled' if walled else 'unwalled'}, Python {platform.python_version()}, "
        f"torch {torch.__version__}, course {course}"
    )


def refusal() -> str:
    """Why nothing can be graded for marks on this machine; empty when the wall stands. Tries it."""
    with tempfile.TemporaryDirectory() as given:
        walled = Walled()
        try:
            walled.start(given)
            walled.stop()
        except (NoWall, ChildDied) as error:
            return str(error)
        finally:
            walled.close()
    return ""


def command(given: str) -> list[str]:
    """The bubblewrap command that runs the zygote, with the packages in `given` as the given helpers."""
    root = os.getuid() == 0
    words = [bubblewrap(), "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--die-with-parent", "--as-pid-1", "--new-session", "--clearenv"]
    if root:  # `--uid` would only show another number: the zygote itself gives up root for good
        words += ["--cap-drop", "ALL"]
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SYS_ADMIN"):
            words += ["--cap-add", capability]
    else:
        words += ["--unshare-user"]
    for name, value in _environment().items():
        words += ["--setenv", name, value]
    words += ["--dir", "/proc"] if root else ["--proc", "/proc"]
    words += ["--dev", "/dev", "--dir", "/scratch"]
    words += ["--dir", "/etc"]
    for place in (
        "/etc/ld.so.cache",
        "/etc/ld.so.conf",
        "/etc/ld.so.conf.d",
        "/etc/alternatives",
        "/etc/localtime",
    ):
        words += ["--ro-bind-try", place, place]
    words += [*_way_to(Path(_CPUS)), "--ro-bind-try", _CPUS, _CPUS]
    words += _interpreter()
    words += ["--dir", "/course", "--ro-bind", str(_PACKAGE / "child"), "/course/child", "--dir", _GIVEN]
    for helper in sorted(Path(given).glob("*/__init__.py")):
        words += ["--ro-bind", str(helper.parent), f"{_GIVEN}/{helper.parent.name}"]
    words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"]
    words += ["--", sys.executable, "-I", "-c", _BOOT, str(NOBODY if root else -1)]
    return words + [str(place) for place in _package_folders()]


def _environment() -> dict[str, str]:
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": "/scratch",
        "TMPDIR": "/scratch",
        "USER": "student",
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "MPLBACKEND": "Agg",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TORCHDYNAMO_DISABLE": "1",  # torch.compile in a submission just runs: there is no compiler here
    }


def _package_folders() -> list[Path]:
    """Where the interpreter finds packages; the folder that holds torch may be a user's own."""
    return [Path(place) for place in [*site.getsitepackages(), str(Path(torch.__file__).parent.parent)]]


def _interpreter() -> list[str]:
    """Read-only binds of the system's libraries, the interpreter and its packages, without the course."""
    words: list[str] = []
    for name in ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"):
        if Path(name).is_symlink():
            words += ["--symlink", os.readlink(name), name]
        elif Path(name).is_dir():
            words += ["--ro-bind", name, name]
    prefixes = {
        sys.prefix,
        sys.exec_prefix,
        sys.base_prefix,
        sys.base_exec_prefix,
        os.path.realpath(sys.executable),
    }
    shown = {Path("/usr"), Path("/nix/store"), *map(Path, prefixes), *_package_folders()}
    shown = {place for place in shown if place.exists()}
    shown = {
        place
        for place in shown
        if place.is_dir() or not any(place.is_relative_to(p) for p in shown - {place})
    }
    hidden = {place / "autograder" for place in [*_package_folders(), *_elsewhere(shown)]}
    hidden |= {_PACKAGE, Path.cwd().resolve()}
    if (_PACKAGE.parent / "source").is_dir():
        hidden.add(_PACKAGE.parent)
    hidden = {place for place in hidden if place.is_dir() and any(place.is_relative_to(p) for p in shown)}
    for place in sorted(shown | hidden, key=lambda place: (len(place.parts), place)):
        # What is hidden may hold something shown, as a course's folder holds its .venv: deeper comes later.
        words += (
            ["--tmpfs", str(place)]
            if place in hidden
            else [*_way_to(place), "--ro-bind", str(place), str(place)]
        )
    return words


def _way_to(place: Path) -> list[str]:
    """The folders above a place, made so that NOBODY may pass through: bubblewrap would make them 0700."""
    return [word for folder in reversed(place.parents[:-1]) for word in ("--dir", str(folder))]


def _elsewhere(shown: set[Path]) -> list[Path]:
    """Package folders of other interpreters in sight, which might hold a course too."""
    return [folder for place in shown if place.is_dir() for folder in place.glob("lib*/python3*/*-packages")]


class Walled:
    """Gives every submission a process behind the wall, one at a time."""

    def __init__(self) -> None:
        self._zygote: subprocess.Popen | None = None
        self._orders: socket.socket | None = None
        self._given = ""
        self._line: socket.socket | None = None
        self._until: float | None = None

    @property
    def pid(self) -> int:
        """The number of the bubblewrap process, seen from outside; 0 when there is none."""
        return self._zygote.pid if self._zygote is not None else 0

    def start(self, given: str) -> None:
        """A fresh process for a submission, with the packages in the folder `given`. Raises NoWall."""
        self._until = self._until or time.monotonic() + SUBMISSION_SECONDS
        try:
            self._start(given)
        except ChildDied:  # before any code of the submission ran: the warm process is not well
            self.close()
            try:
                self._start(given)
            except ChildDied as death:
                self.close()
                raise NoWall(
                    f"{_NEEDED}, and a submission's process does not start: {death}. {WAY_OUT}"
                ) from death

    def _start(self, given: str) -> None:
        if self._line is not None:
            self._end()
        if self._zygote is None or self._zygote.poll() is not None or self._given != given:
            self._open(given)
        self._line, theirs = socket.socketpair()
        with theirs:
            answer = self._order(b"S" + _GIVEN.encode(), [theirs.fileno()])
        if answer[:1] != b"+":
            self.close()
            reason = answer[1:].decode("utf-8", "replace")
            raise NoWall(
                f"{_NEEDED}, and here a submission gets no namespaces of its own: {reason}. {WAY_OUT}"
            )
        self._heard(_ORDER_SECONDS)

    def ask(self, op: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The answer of the submission's process. Raises ChildDied."""
        if self._line is None:
            raise ChildDied("its process is gone")
        limit = (CELL_SECONDS if op == "run_cell" else PROBE_SECONDS) + _GRACE
        left = (self._until or 0) - time.monotonic()
        if left <= 0:
            self._end()
            raise TimeUsedUp(_used_up())
        if select.select([self._line], [], [], 0)[0] and self._line.recv(1, socket.MSG_PEEK):
            self._end()
            raise ChildDied("its process spoke without being asked")
        seconds = min(limit, left)
        try:
            self._line.settimeout(seconds)
            wire.write_frame(
                _Line(self._line, time.monotonic() + seconds), {"op": op, "arguments": arguments}
            )
        except OSError:
            pass  # how it ended is told below
        answer = self._heard(seconds, used_up=left <= limit)
        if not isinstance(answer, dict):
            self._end()
            raise ChildDied("what its process sent is no answer")
        return answer

    def stop(self) -> None:
        """End the submission's process and all that it started; the warm one behind it stays."""
        self._until = None
        if self._line is not None:
            self._end()

    def close(self) -> None:
        if self._line is not None:
            self._line.close()
        if self._orders is not None:
            self._orders.close()
        if self._zygote is not None:
            self._zygote.kill()
            self._zygote.wait()
        self._zygote = self._orders = self._line = None

    def _open(self, given: str) -> None:
        """Start the zygote behind the outer wall. Raises NoWall."""
        self.close()
        words = command(given)
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, tempfile.TemporaryFile() as complaints:
            self._zygote = subprocess.Popen(
                words, stdin=theirs, stdout=subprocess.DEVNULL, stderr=complaints, cwd="/", env={}
            )
            theirs.close()
            self._orders.settimeout(_START_SECONDS)
            try:
                ready = self._orders.recv(_PACKET)
            except OSError:
                ready = b""
            if ready != b"+ready":
                self.close()
                complaints.seek(0)
                reason = (
                    complaints.read()[-2000:].decode("utf-8", "replace").strip() or "it ended"
                ).splitlines()[-1]
                hint = (
                    f" It runs as user {NOBODY}, who must be able to read {sys.prefix}."
                    if os.getuid() == 0
                    else ""
                )
                raise NoWall(
                    f"{_NEEDED}, and what stands behind it does not start: {reason}.{hint} {WAY_OUT}"
                )
        self._given = given

    def _order(self, order: bytes, lines: list[int] | None = None) -> bytes:
        """The zygote's answer. When it gives none, everything behind the wall is killed."""
        try:
            self._orders.settimeout(_ORDER_SECONDS)
            socket.send_fds(self._orders, [order], lines or [])
            answer = self._orders.recv(_PACKET)
        except OSError:
            answer = b""
        if not answer:
            self.close()
            raise ChildDied("the process behind the wall is gone")
        return answer

    def _heard(self, seconds: float, used_up: bool = False) -> Any:
        """The next value on the submission's line; on anything else the submission's process is ended."""
        until = time.monotonic() + seconds
        try:
            return wire.read_frame(_Line(self._line, until))
        except TimeoutError as error:
            self._end()
            if used_up:
                raise TimeUsedUp(_used_up()) from error
            raise ChildDied(f"it did not answer within {seconds:g} seconds") from error
        except wire.WireError as error:
            self._end()
            raise ChildDied(f"what its process sent is no answer: {error}") from error
        except (EOFError, OSError) as error:
            reason = self._end(wait=1.0)
            raise ChildDied(
                f"its process ended before it answered: {reason or 'it closed its line'}"
            ) from error

    def _end(self, wait: float = 0.0) -> str:
        """Kill the submission's process and all that it started; how it had ended by itself, if it had."""
        self._line.close()
        self._line = None
        with contextlib.suppress(ChildDied):
            until = time.monotonic() + wait
            while time.monotonic() < until and self._order(b"Q") == b"+":
                time.sleep(0.01)
            return self._order(b"K")[1:].decode("utf-8", "replace")
        return ""


def _used_up() -> str:
    return f"all questions together took more than {SUBMISSION_SECONDS:g} seconds"


class _Line:
    """A socket as the file that the wire wants, with one deadline for all of a message."""

    def __init__(self, line: socket.socket, until: float) -> None:
        self.line, self.until = line, until

    def read(self, count: int) -> bytes:
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.line.settimeout(left)
        return self.line.recv(min(count, 2**20))

    def write(self, data: bytes) -> None:
        self.line.settimeout(max(self.until - time.monotonic(), 0.01))
        self.line.sendall(data)

    def flush(self) -> None:
        pass
