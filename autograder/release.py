"""The student version of an assignment: generated apart, and put in place only when no answers are lost."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from autograder.notebook import Unreadable, grade_id, joined, nbgrader_of, read_notebook, role

CONFIG = "nbgrader_config.py"
IGNORED = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", "*.pyc", ".ruff_cache", ".pytest_cache")


class Refused(Exception):
    """Something that would lose work or cannot be done; the text is a sentence with the way out."""


def environment() -> dict[str, str]:
    """This process's, with the scripts beside its Python on the path: nbgrader calls alembic by name."""
    return os.environ | {"PATH": str(Path(sys.executable).parent) + os.pathsep + os.environ.get("PATH", "")}


def nbgrader(course: Path, *arguments: str) -> str:
    """Run an nbgrader command in a course folder; its log. Raises Refused when it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=course,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Refused(f"nbgrader {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def new_course(root: Path, assignment: str, course: Path) -> None:
    """A course folder of its own with the assignment's source and a fresh gradebook, the release generated."""
    shutil.copytree(root / "source" / assignment, course / "source" / assignment, ignore=IGNORED)
    shutil.copy(root / CONFIG, course / CONFIG)
    nbgrader(course, "generate_assignment", assignment)


def regenerate(root: Path, assignment: str) -> list[str]:
    """Bring `release/<assignment>` in step with `source/`; the names of the files that changed.

    Raises Refused when a notebook there holds answers.
    """
    if not (root / "source" / assignment).is_dir():
        raise Refused(f"There is no source/{assignment} in {root}. Run this in the course's folder.")
    target = root / "release" / assignment
    answered = [path.name for path in sorted(target.glob("*.ipynb")) if holds_answers(path)]
    if answered:
        raise Refused(
            f"{' and '.join(answered)} in {target} hold{'s' if len(answered) == 1 else ''} answers, which "
            "regenerating would overwrite. Move them elsewhere, or undo them with git, and run this again."
        )
    with tempfile.TemporaryDirectory() as folder:
        course = Path(folder)
        new_course(root, assignment, course)
        made = course / "release" / assignment
        changed = [
            name for name in _files(made) | _files(target) if _bytes(made / name) != _bytes(target / name)
        ]
        for name in changed:
            if (made / name).is_file():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(made / name, target / name)
            else:
                (target / name).unlink()
    return sorted(changed)


def holds_answers(path: Path) -> bool:
    """Whether somebody has worked in this release notebook: a written answer, or a code cell of their own."""
    from nbformat import from_dict
    from nbgrader.utils import compute_checksum

    try:
        cells = read_notebook(path)["cells"]
    except Unreadable:
        return True  # better to ask than to throw away what may be somebody's work
    for cell in cells:
        source = joined(cell.get("source", ""))
        facts = nbgrader_of(cell)
        if cell.get("cell_type") == "code" and role(cell) == "own" and source.strip():
            return True
        if facts.get("solution") and facts.get("checksum") != compute_checksum(
            from_dict({**cell, "source": source})
        ):
            return True
        written_answer = not grade_id(cell) and str(cell.get("id", "")).startswith("answer-")
        if written_answer and source.strip() != "*Write your answer here.*":
            return True
    return False


def assignments(root: Path) -> list[str]:
    return sorted(path.name for path in (root / "source").iterdir() if path.is_dir())


def points(path: Path) -> dict[str, float]:
    """The points of each grade and task cell of a notebook, by id."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return {grade_id(cell): nbgrader_of(cell)["points"] for cell in cells if "points" in nbgrader_of(cell)}


def _files(folder: Path) -> set[str]:
    found = (path for path in folder.rglob("*") if path.is_file())
    kept = (path for path in found if not {"__pycache__", ".ipynb_checkpoints"} & set(path.parts))
    return {path.relative_to(folder).as_posix() for path in kept}


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
