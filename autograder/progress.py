"""What a learner has earned so far, remembered between runs and away from the notebooks.

A small file for each exercise in each folder of notebooks, in the place that the system keeps for such things
(`~/.local/state` on Linux). Losing them loses nothing but the memory.
"""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from platformdirs import user_state_path

from autograder.runner import Result


@dataclass(frozen=True)
class Standing:
    """What the last runs found of one exercise.

    folder: where its notebook lies. checks: the points of each check, by its name.
    most: what all checks of the exercise give. when: seconds since 1970.
    """

    folder: str
    exercise: str
    checks: dict[str, float]
    most: float
    when: float

    @property
    def earned(self) -> float:
        return sum(self.checks.values())


def remember(folder: Path, results: list[Result]) -> Standing | None:
    """Note results of one exercise; what was known before. Where nothing can be written, nothing is kept."""
    from autograder import bank

    exercise = results[0].check.exercise
    known, now = recall(folder, exercise), {result.check.name: result.points for result in results}
    checks = bank.checks(exercise)
    before = known.checks if known else {}
    points = {check.name: now.get(check.name, before.get(check.name, 0.0)) for check in checks}
    most = sum(check.points for check in checks)
    standing = Standing(str(folder.resolve()), exercise, points, most, time.time())
    with contextlib.suppress(OSError):
        path = _file(folder, exercise)
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(asdict(standing)), "utf-8")
        draft.replace(path)
    return known


def recall(folder: Path, exercise: str) -> Standing | None:
    """What is remembered of an exercise in a folder."""
    return _read(_file(folder, exercise))


def recall_beside(folders: Iterable[Path]) -> Iterator[Standing]:
    """What is remembered of these folders and of those beside them: the other assignments of a course."""
    courses = {str(folder.resolve().parent) for folder in folders}
    return (standing for standing in recall_all() if str(Path(standing.folder).parent) in courses)


def recall_all() -> list[Standing]:
    """Everything that is remembered, the latest first."""
    found = (_read(path) for path in _home().glob("*.json"))
    return sorted((standing for standing in found if standing), key=lambda s: s.when, reverse=True)


def told(standing: Standing) -> str:
    """When it was, as people say it."""
    return time.strftime("%d %B, %H:%M", time.localtime(standing.when))


def _home() -> Path:
    return user_state_path("transformer-block-course", appauthor=False)


def _file(folder: Path, exercise: str) -> Path:
    place = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
    return _home() / f"{place}-{exercise}.json"


def _read(path: Path) -> Standing | None:
    try:
        standing = Standing(**json.loads(path.read_text("utf-8")))
        return standing if standing.earned <= standing.most else None
    except (OSError, ValueError, TypeError, AttributeError):
        return None  # not there, or of another version
