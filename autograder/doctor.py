"""What this machine has of what grading for marks needs."""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograder.wall import ChildDied, NoWall, Walled, level

_SWITCHES = (  # what distributions and containers use to keep user namespaces from ordinary processes
    ("/proc/sys/user/max_user_namespaces", "0"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0"),
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"),
)


def examine() -> tuple[list[str], str]:
    """Lines for people, and the sentence why nothing can be graded for marks; empty when it can."""
    lines = [
        f"system      {platform.platform()}",
        f"python      {platform.python_version()} at {sys.executable}",
        f"bubblewrap  {_bubblewrap()}",
    ]
    for path, closed in _SWITCHES:
        if Path(path).is_file() and Path(path).read_text().strip() == closed:
            lines.append(
                f"kernel      {path} is {closed}: it may forbid the namespaces that the wall is made of"
            )
    refusal, facts = _try_the_wall()
    lines += facts
    lines.append(
        f"level       {level(not refusal) if not refusal else 'no wall: self-check works, marks are refused'}"
    )
    return lines, refusal


def _bubblewrap() -> str:
    path = shutil.which("bwrap")
    if path is None:
        return "missing"
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout.split()
    return f"{said[-1] if said else 'of unknown version'} at {path}"


def _try_the_wall() -> tuple[str, list[str]]:
    """Start a submission behind the wall that does nothing."""
    walled = Walled()
    with tempfile.TemporaryDirectory() as given:
        try:
            begun = time.monotonic()
            walled.start(given)
            warm = time.monotonic()
            walled.start(given)
            walled.ask("run_cell", {"label": "nothing", "source": ""})
            again = time.monotonic() - warm
            facts = [
                f"wall        stands after {warm - begun:.1f} s, then {1000 * again:.0f} ms a submission",
                f"user        {_user(walled)} (this process: {os.getuid()})",
            ]
            return "", facts
        except (NoWall, ChildDied) as error:
            return str(error), []
        finally:
            walled.close()


def _user(walled: Walled) -> str:
    """The real user of the processes behind the wall, as the kernel tells it from outside."""
    users = set()
    for process in behind(walled.pid):
        rows = Path(f"/proc/{process}/status").read_text().splitlines()
        users |= {row.split()[1] for row in rows if row.startswith("Uid:")}
    return " and ".join(sorted(users)) or "unknown"


def behind(pid: int) -> list[int]:
    """The processes that descend from a process, by their numbers outside; parents come before children."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        for child in children.get(waiting.pop(), []):
            found.append(child)
            waiting.append(child)
    return found
