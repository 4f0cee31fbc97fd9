"""The course's secret seed: marks use inputs that nobody has seen."""

import contextlib
import hashlib
import os
import secrets
import tempfile
from pathlib import Path

FILE = ".course_seed"
LETTERS = 32


def secret(course: Path) -> str:
    """The seed of the course in this folder, made on first use and readable by its owner alone.

    Raises ValueError for a file that holds no seed: inputs that anybody can guess would be worse than none.
    """
    path = course / FILE
    if not path.exists():
        _make(path)
    seed = path.read_text("utf-8", "replace").strip()
    if len(seed) < LETTERS:
        raise ValueError(
            f"{path} should hold the course's secret seed and has fewer than {LETTERS} letters. "
            "Put it back from your backup, or delete it and a new one is made."
        )
    return seed


def _make(path: Path) -> None:
    """Write the file whole before it gets its name, so that nobody ever reads a half one."""
    handle, draft = tempfile.mkstemp(prefix=FILE, dir=path.parent)
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_hex(LETTERS // 2))
    with contextlib.suppress(FileExistsError):
        os.link(draft, path)
    os.unlink(draft)


def fingerprint(seed: str) -> str:
    """What results carry, so that two runs can be told to have used the same seed; it does not give it away."""
    return hashlib.sha256(f"fingerprint/{seed}".encode()).hexdigest()[:8]
