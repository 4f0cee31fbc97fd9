"""The course's secret seed: marks use inputs that nobody has seen."""

import contextlib
import hashlib
import os
import secrets
from pathlib import Path

FILE = ".course_seed"


def secret(course: Path) -> str:
    """The seed of the course in this folder, made on first use and readable by its owner alone."""
    path = course / FILE
    with contextlib.suppress(FileExistsError):
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(16))
    return path.read_text().strip()


def fingerprint(seed: str) -> str:
    """What results carry, so that two runs can be told to have used the same seed; it does not give it away."""
    return hashlib.sha256(f"fingerprint/{seed}".encode()).hexdigest()[:8]
