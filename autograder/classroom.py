"""Grading a whole class at once: markings are made by many workers, and written to the gradebook by one.

Submissions travel to the workers as bytes; a student's code runs only in a process of its own behind the
wall of the worker's machine. What a worker found is kept in `.course_marks/`, one file for each submission
and state of the course, so that a run that was cut off goes on where it stopped. nbgrader's own converter
then writes the gradebook and the graded notebooks, exactly as `nbgrader autograde` would.
"""

import atexit
import contextlib
import functools
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.apps import AutogradeApp
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException

from autograder.confined import Children
from autograder.grading import Marking, Paper, grade_submission, key, stamp
from autograder.release import Refused
from autograder.seeds import secret
from autograder.trusted import TrustedGrader, paper_of, submitted, templates

STORE = Path(".course_marks")
MOST_IN_A_TASK = 64
_LOOPBACK = ("tcp://127.0.0.1:", "tcp://localhost:", "tcp://[::1]:", "127.0.0.1:", "localhost:")


@dataclass
class Outcome:
    """What became of a class: the marks by student and exercise, how often each cause occurred, who is left."""

    marks: dict[str, dict[str, float]] = field(default_factory=dict)
    causes: dict[str, Counter[str]] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)

    def note(self, student: str, paper: Paper, marking: Marking) -> None:
        verdicts = marking.verdicts.values()
        self.marks.setdefault(student, {})[paper.exercise] = sum(verdict.points for verdict in verdicts)
        seen = {cause for verdict in verdicts for cause in verdict.causes}
        self.causes.setdefault(paper.exercise, Counter()).update(seen)


class Store:
    """The markings that have been made, by their key, and which of them the gradebook holds.

    Every file is written whole under another name first: after any `kill -9` it is there or it is not.
    """

    def __init__(self, folder: Path = STORE) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, exist_ok=True)

    def marking(self, key: str) -> Marking | None:
        try:
            return Marking.from_bytes((self.folder / f"{key}.json").read_bytes())
        except (OSError, ValueError, TypeError, KeyError):
            return None  # not there, or of an earlier version of the course

    def keep(self, marking: Marking) -> None:
        self._write(f"{marking.key}.json", marking.to_bytes())

    def written(self, assignment: str, student: str) -> list[str]:
        """The keys of the markings that the gradebook holds for a student."""
        try:
            return json.loads((self.folder / f"written-{assignment}-{student}.json").read_bytes())
        except (OSError, ValueError):
            return []

    def note_written(self, assignment: str, student: str, keys: list[str]) -> None:
        self._write(f"written-{assignment}-{student}.json", json.dumps(keys).encode())

    def _write(self, name: str, data: bytes) -> None:
        handle, draft = tempfile.mkstemp(dir=self.folder)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(draft, self.folder / name)


def grade_class(
    assignment: str,
    students: list[str] | None = None,
    exercises: list[str] | None = None,
    scheduler: str = "",
    workers: int = 0,
    progress: Callable[[str], None] = lambda line: None,
) -> Outcome:
    """Grade what is in `submitted/` and write it to the gradebook of the course in the current folder.

    students, exercises: only these, graded anew even when the gradebook holds them already.
    scheduler: a dask scheduler to use instead of workers of this machine.
    Raises Refused with a sentence when nothing can be graded.
    """
    app = _nbgrader(assignment)
    grader = TrustedGrader(parent=app)
    walled, seed, store, outcome = not grader.unwalled, secret(Path.cwd()), Store(), Outcome()
    papers = _papers(app, assignment, students, exercises)
    stamped = stamp(walled, seed)
    keys = {student: [key(paper, stamped) for paper in own] for student, own in papers.items()}
    anew = bool(students or exercises)
    found = {name: store.marking(name) for own in keys.values() for name in own}
    markings = {name: marking for name, marking in found.items() if marking is not None}

    def write(student: str) -> None:
        folder = Path(app.coursedir.format_path(app.coursedir.autograded_directory, student, assignment))
        if anew or not folder.is_dir() or store.written(assignment, student) != keys[student]:
            _write_to_gradebook(app, student, exercises, markings, stamped)
            if not exercises:
                store.note_written(assignment, student, keys[student])

    todo = {
        student: [paper for paper, name in zip(own, keys[student], strict=True) if name not in markings]
        for student, own in papers.items()
    }
    waiting, started, done = dict.fromkeys(papers), time.monotonic(), 0
    batches = _batches({student: own for student, own in todo.items() if own}, workers or os.cpu_count() or 1)
    for graded, problem in _graded(batches, seed, walled, scheduler, workers):
        for marking in graded:
            store.keep(marking)
            markings[marking.key] = marking
        outcome.left.update(problem)
        for student in [s for s in waiting if s in problem or markings.keys() >= set(keys[s])]:
            del waiting[student]
            if student not in problem:
                outcome.left.update(_tried(write, student))
            done += 1
            progress(_progress(done, len(papers), time.monotonic() - started))
    outcome.left.update(dict.fromkeys(waiting, "no worker has answered"))
    for student, own in papers.items():
        for paper, name in zip(own, keys[student], strict=True):
            if name in markings:
                outcome.note(student, paper, markings[name])
    return outcome


def _tried(write: Callable[[str], None], student: str) -> dict[str, str]:
    try:
        write(student)
    except NbGraderException as error:
        return {student: f"nbgrader could not write the marks: {error}"}
    return {}


def _nbgrader(assignment: str) -> AutogradeApp:
    app = AutogradeApp()
    app.initialize([])
    app.log_level = "ERROR"
    app.coursedir.assignment_id = assignment
    return app


def _papers(
    app: AutogradeApp, assignment: str, students: list[str] | None, exercises: list[str] | None
) -> dict[str, list[Paper]]:
    """What was handed in, by student; every notebook that the gradebook knows and the student has."""
    with Gradebook(app.coursedir.db_url) as gradebook:
        try:
            source = {
                notebook.name: templates(notebook)
                for notebook in gradebook.find_assignment(assignment).notebooks
            }
        except MissingEntry as error:
            raise Refused(
                f"The gradebook has no assignment {assignment}. "
                f"Run `nbgrader generate_assignment {assignment}` first."
            ) from error
    unknown = sorted(set(exercises or []) - set(source))
    if unknown:
        raise Refused(f"{assignment} has no exercise {unknown[0]}. It has {', '.join(sorted(source))}.")
    pattern = app.coursedir.format_path(app.coursedir.submitted_directory, "*", assignment)
    place = Path(pattern).parts.index("*")
    folders = {
        path.parts[place]: path for path in sorted(Path("/").glob(pattern.lstrip("/"))) if path.is_dir()
    }
    missing = sorted(set(students or []) - set(folders))
    if missing:
        raise Refused(
            f"Nothing was handed in by {missing[0]}: there is no {pattern.replace('*', missing[0])}."
        )
    if not folders:
        raise Refused(f"Nothing was handed in: there is no {pattern}.")
    return {
        student: [
            paper_of(submitted(path, source[path.stem]), path.stem)
            for path in sorted(folder.glob("*.ipynb"))
            if path.stem in (exercises or source)
        ]
        for student, folder in folders.items()
        if student in (students or folders)
    }


def _batches(todo: dict[str, list[Paper]], workers: int) -> Iterator[dict[str, list[Paper]]]:
    """Students in portions of about 64 submissions; smaller where that would be under four for each worker."""
    papers = sum(map(len, todo.values()))
    size = min(MOST_IN_A_TASK, papers // (4 * workers))
    batch: dict[str, list[Paper]] = {}
    for student, own in todo.items():
        batch[student] = own
        if sum(map(len, batch.values())) >= size:
            yield batch
            batch = {}
    if batch:
        yield batch


@functools.cache
def _children(walled: bool) -> Children:
    """The worker's own warm process."""
    warm = Children(walled=walled)
    atexit.register(warm.close)
    return warm


def grade_batch(papers: list[bytes], seed: str, walled: bool) -> list[bytes]:
    """What a worker does: a marking for each paper."""
    return [grade_submission(Paper.from_bytes(paper), _children(walled), seed).to_bytes() for paper in papers]


def _graded(
    batches: Iterator[dict[str, list[Paper]]], seed: str, walled: bool, scheduler: str, workers: int
) -> Iterator[tuple[list[Marking], dict[str, str]]]:
    """The markings of each batch as it is done, or why its students have none; first an empty one.

    A task whose worker has died goes to another one. A task that kills workers again and again is given up.
    """
    from dask.distributed import as_completed

    yield [], {}
    batches = list(batches)
    if not batches:
        return
    with _client(scheduler, workers) as client:
        futures = {
            client.submit(
                grade_batch,
                [paper.to_bytes() for own in batch.values() for paper in own],
                seed,
                walled,
                pure=False,
            ): batch
            for batch in batches
        }
        for future in as_completed(futures):
            error = future.exception()
            if error is None:
                yield [Marking.from_bytes(data) for data in future.result()], {}
            else:
                yield [], dict.fromkeys(futures[future], str(error))
            future.release()


@contextlib.contextmanager
def _client(scheduler: str, workers: int) -> Iterator[Any]:
    """A client of the scheduler at this address, or of a cluster of this machine."""
    from dask.distributed import Client, LocalCluster

    if scheduler:
        if not scheduler.startswith(("tls://", *_LOOPBACK)):
            raise Refused(
                f"{scheduler} is neither tls:// nor on this machine. Submissions and the secret seed would "
                "travel readable for everybody on the network."
            )
        with Client(scheduler) as client:
            yield client
        return
    cluster = LocalCluster(
        n_workers=workers or os.cpu_count(),
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs="CRITICAL",
        memory_limit=0,
    )
    with cluster, Client(cluster) as client:
        yield client


def _write_to_gradebook(
    app: AutogradeApp, student: str, exercises: list[str] | None, known: dict[str, Marking], stamped: str
) -> None:
    """One student through nbgrader's own converter, with the markings that are known already."""

    def markings(paper: Paper) -> Marking:
        name = key(paper, stamped)
        if name not in known:
            raise NbGraderException(f"{paper.exercise} of {student} was changed while it was graded")
        return known[name]

    for exercise in exercises or ["*"]:
        app.coursedir.student_id, app.coursedir.notebook_id = student, exercise
        converter = Autograde(coursedir=app.coursedir, parent=app)
        converter.force, converter.markings = True, markings
        converter.start()


def _progress(done: int, of: int, seconds: float) -> str:
    left = seconds / done * (of - done)
    return (
        f"{done} of {of} students graded, about {left:.0f} s left" if done < of else f"{of} students graded"
    )


def summary(outcome: Outcome) -> str:
    """The class in a few lines: marks by exercise, the most frequent causes, and who is left."""
    exercises = sorted({name for marks in outcome.marks.values() for name in marks})
    lines = [f"{'exercise':<26}{'students':>9}{'mean':>8}{'least':>8}{'most':>8}"]
    for exercise in exercises:
        marks = [own[exercise] for own in outcome.marks.values() if exercise in own]
        mean = sum(marks) / len(marks)
        lines.append(f"{exercise:<26}{len(marks):>9}{mean:>8.1f}{min(marks):>8.1f}{max(marks):>8.1f}")
    for exercise in exercises:
        frequent = outcome.causes.get(exercise, Counter()).most_common(5)
        lines += [f"\n{exercise}: what went wrong most"] if frequent else []
        lines += [f"  {count:>4} × {cause}" for cause, count in frequent]
    lines += [f"\n{student} is not graded: {why}" for student, why in sorted(outcome.left.items())]
    return "\n".join(lines)


def progress_line(line: str) -> None:
    """On a terminal one line that changes; elsewhere nothing until the end."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
