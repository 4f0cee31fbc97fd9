"""From a path to submissions: which file holds which exercise, and a host that has run its cells."""

import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder import bank
from autograder.child.host import Host
from autograder.confined import ChildDied, Children, TimeUsedUp
from autograder.notebook import Cell, Unreadable, code_cells, grade_id, read_notebook, to_run
from autograder.submission import PUBLIC_SEED, Submission

MOST_STARTS = 40  # of one submission's process: once for every check that ends it, and some


@dataclass(frozen=True)
class Work:
    """The code of one exercise's submission. `problem` says why there is none."""

    exercise: str
    where: str
    cells: list[Cell] = field(default_factory=list)
    problem: str = ""
    whole: bool = True  # False for a .py file, which may hold only some of the names


def default_path() -> Path:
    """What is graded when nobody says: `release/` where there is one, else the current folder."""
    return Path("release") if Path("release").is_dir() else Path(".")


def find_work(path: Path) -> list[Work]:
    """The exercises in a notebook, a folder of notebooks or a .py file. Raises Unreadable."""
    if not path.exists():
        raise Unreadable(
            f"There is no {path}. --submission takes a notebook, a folder of notebooks or a .py file."
        )
    if path.is_dir():
        return _in_folder(path)
    if path.suffix == ".ipynb":
        return [_in_notebook(path)]
    if path.suffix == ".py":
        return _in_python_file(path)
    raise Unreadable(f"{path} is neither a notebook (.ipynb), a .py file nor a folder of notebooks.")


def _in_folder(folder: Path) -> list[Work]:
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.ipynb"), key=lambda p: (len(p.parts), p)):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if not hidden:
            found.setdefault(path.stem, path)
    exercises = bank.exercises()
    if not any(exercise in found for exercise in exercises):
        names = ", ".join(f"{exercise}.ipynb" for exercise in exercises)
        raise Unreadable(f"There is no notebook of the course in {folder.resolve()}. Looked for: {names}.")
    return [
        _in_notebook(found[exercise])
        if exercise in found
        else Work(exercise, f"{exercise}.ipynb", problem=f"There is no {exercise}.ipynb in {folder}.")
        for exercise in exercises
    ]


def _in_notebook(path: Path) -> Work:
    exercise = path.stem if path.stem in bank.exercises() else ""
    try:
        notebook = read_notebook(path)
    except Unreadable as error:
        if not exercise:
            raise
        return Work(exercise, str(path), problem=str(error))
    return Work(exercise or _exercise_of(notebook, path), str(path), to_run(code_cells(notebook)))


def _exercise_of(notebook: dict[str, Any], path: Path) -> str:
    """A renamed notebook still tells by its check cells what it is."""
    for cell in notebook["cells"]:
        exercise = grade_id(cell).partition("-")[0]
        if exercise in bank.exercises():
            return exercise
    raise Unreadable(f"{path} has no check cells of this course, so it cannot be told which exercise it is.")


def _in_python_file(path: Path) -> list[Work]:
    try:
        cells = [Cell(path.name, path.read_text(encoding="utf-8-sig"), "own")]
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path} could not be read as UTF-8 text: {error}.") from error
    works = [Work(exercise, str(path), cells, whole=False) for exercise in bank.exercises()]
    opened = open_here(works[0])
    defining = [work for work in works if opened.defines(bank.module_of(work.exercise).CLASS)]
    if defining:
        return defining
    if opened.problems:
        from autograder.submission import error_text

        raise Unreadable(
            f"{path} stopped with an error before it defined a class:\n{error_text(opened.problems[0])}"
        )
    names = ", ".join(bank.module_of(work.exercise).CLASS for work in works)
    raise Unreadable(f"{path} defines none of {names}.")


def checks_for(work: Work, submission: Submission) -> list[bank.Check]:
    """The checks that apply: of a .py file only those about names that it defines."""
    checks = bank.checks(work.exercise)
    return checks if work.whole else [check for check in checks if submission.defines(check.about)]


def open_here(work: Work, seed: str = PUBLIC_SEED) -> Submission:
    """Run the cells in this process."""
    os.environ.setdefault("MPLBACKEND", "Agg")  # a plot in somebody's own cell opens no window
    host = Host(given=_given(work.exercise))
    return Submission(host.answer, work.where, _run_cells(work, host.answer), seed)


def open_confined(work: Work, children: Children, seed: str = PUBLIC_SEED) -> Submission:
    """Run the cells in a process of their own.

    When that process dies, a new one takes the place and runs the cells again, without a cell that
    killed it, so that one bad answer does not cost the others. When the submission has used up its time,
    everything else is answered with that. Raises NoWall.
    """
    deadly: dict[str, str] = {}
    used_up: list[ChildDied] = []
    starts = itertools.count(1)

    def load() -> list[dict[str, Any]]:
        while True:
            try:
                if next(starts) > MOST_STARTS:
                    raise TimeUsedUp(f"its process ended {MOST_STARTS} times before it answered")
                children.start(_given(work.exercise))
                return _run_cells(work, children.ask, deadly)
            except TimeUsedUp as death:
                used_up.append(death)
                return [_ended(death)]
            except ChildDied:
                continue

    def answer(op: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if used_up:
            return {"error": _ended(used_up[0])}
        try:
            return children.ask(op, arguments)
        except TimeUsedUp as death:
            used_up.append(death)
            return {"error": _ended(death)}
        except ChildDied as death:
            load()
            return {"error": _ended(death)}

    return Submission(answer, work.where, load(), seed)


def _ended(death: ChildDied) -> dict[str, Any]:
    return {"type": "ProcessEnded", "text": str(death), "stub": False}


def _run_cells(work: Work, answer: Callable, deadly: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """Run the cells one by one; the errors of those that failed. Notes the cell that ends the process."""
    problems = []
    for cell in work.cells:
        if deadly is not None and cell.label in deadly:
            problems.append({"type": "ProcessEnded", "text": deadly[cell.label], "cell": cell.label})
            continue
        try:
            result = answer("run_cell", {"label": cell.label, "source": cell.source})
        except ChildDied as death:
            if deadly is not None:
                deadly[cell.label] = str(death)
            raise
        if "error" in result:
            problems.append({"cell": cell.label, **result["error"]})
    return problems


def _given(exercise: str) -> str:
    return str(bank.given_folder(bank.module_of(exercise).ASSIGNMENT))
