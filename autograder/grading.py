"""Grading one submission for marks: the one function behind `nbgrader autograde` and `course grade`.

A `Paper` is what of a submission is graded, a `Marking` what came of it; both travel as JSON bytes. The same
paper, seed and course give the same marking, byte for byte.
"""

import functools
import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from autograder import bank, page, runner
from autograder.confined import Children
from autograder.loading import Work, open_confined
from autograder.notebook import Cell
from autograder.seeds import fingerprint
from autograder.submission import Submission, error_text
from autograder.wall import bubblewrap, level

_HIDDEN = "BEGIN HIDDEN TESTS"  # as nbgrader marks them


@dataclass(frozen=True)
class GradeCell:
    """A cell that carries points: a group of checks, or asserts that the instructor wrote by hand."""

    grade_id: str
    points: float
    source: str


@dataclass(frozen=True)
class Paper:
    """What of a submission is graded. `problem` says why it cannot be read; it has no cells then."""

    exercise: str
    cells: list[Cell]
    graded: list[GradeCell]
    problem: str = ""

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self), sort_keys=True).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Paper":
        fields = json.loads(data)
        cells, graded = fields.pop("cells"), fields.pop("graded")
        return cls(
            cells=[Cell(**cell) for cell in cells], graded=[GradeCell(**cell) for cell in graded], **fields
        )


@dataclass(frozen=True)
class Verdict:
    """What stands under a grade cell.

    suggestion: whether it is only that, because asserts ran beside the student's code.
    causes: what went wrong, in a few words each: the titles of mistakes, or the kind of failure.
    page: the text as HTML of the grader's own; empty where the text says it all.
    """

    text: str
    points: float
    suggestion: bool = False
    causes: list[str] = field(default_factory=list)
    page: str = ""


@dataclass(frozen=True)
class Marking:
    """What came of a paper: a verdict for each grade cell, and the error of each cell that stopped with one.

    stamp: level, versions and the fingerprint of the seed. key: see `key`.
    """

    verdicts: dict[str, Verdict]
    problems: dict[str, str]
    stamp: str
    key: str

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self), sort_keys=True).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Marking":
        fields = json.loads(data)
        verdicts = {name: Verdict(**fields_) for name, fields_ in fields.pop("verdicts").items()}
        return cls(verdicts=verdicts, **fields)


def stamp(walled: bool, seed: str) -> str:
    """What every result carries: the level, the versions that took part, and the seed's fingerprint."""
    return f"{level(walled)}, seed {fingerprint(seed)}"


def key(paper: Paper, stamp: str) -> str:
    """Equal for two gradings that must come out the same: of one paper, by one course, with one seed."""
    return hashlib.sha256(
        b"\0".join([paper.to_bytes(), stamp.encode(), course_digest().encode()])
    ).hexdigest()


@functools.cache
def course_digest() -> str:
    """Changes with every line of the checks, of what runs them, and of the given helpers."""
    own = [path for path in bank.ROOT.rglob("*.py") if "given" not in path.relative_to(bank.ROOT).parts]
    files = [*sorted(own), *_given_files()]
    digest = hashlib.sha256()
    for path in files:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _given_files() -> list[Path]:
    assignments = sorted({bank.module_of(exercise).ASSIGNMENT for exercise in bank.exercises()})
    return [path for name in assignments for path in sorted(bank.given_folder(name).glob("*/*.py"))]


def grade_submission(paper: Paper, children: Children, seed: str) -> Marking:
    """Run the submission in a process of its own and ask it every check of its exercise, once.

    Raises NoWall where `children` should stand behind a wall and there is none; whatever the submission
    does is a verdict.
    """
    if children.walled:
        bubblewrap()  # without a wall nothing is graded, not even what cannot be read
    stamped = stamp(children.walled, seed)
    if paper.problem or not paper.graded:
        verdicts = {
            cell.grade_id: Verdict(paper.problem, 0.0, causes=["not a readable notebook"])
            for cell in paper.graded
        }
        return Marking(verdicts, {}, stamped, key(paper, stamped))
    submission = open_confined(Work(paper.exercise, f"{paper.exercise}.ipynb", paper.cells), children)
    try:
        return Marking(
            _verdicts(paper, submission, seed),
            _problems(submission.problems),
            stamped,
            key(paper, stamped),
        )
    finally:
        children.stop()


def _verdicts(paper: Paper, submission: Submission, seed: str) -> dict[str, Verdict]:
    """The checks first, then the asserts of hand-written cells, which may change what is there."""
    asked = {cell.grade_id: bank.split_grade_id(cell.grade_id) for cell in paper.graded}
    results: dict[tuple[str, str], list[runner.Result]] = {}
    for exercise in dict.fromkeys(name[0] for name in asked.values() if name):
        groups = {name[1] for name in asked.values() if name and name[0] == exercise}
        checks = [check for check in bank.checks(exercise) if check.group in groups]
        for result in runner.run_for_marks(checks, submission, submission.with_seed(seed)):
            results.setdefault((exercise, result.check.group), []).append(result)
    return {
        cell.grade_id: _checked(cell, results[asked[cell.grade_id]])
        if asked[cell.grade_id]
        else _hand_written(cell, submission)
        for cell in paper.graded
    }


def _checked(cell: GradeCell, results: list[runner.Result]) -> Verdict:
    points = runner.clamped(sum(result.points for result in results), cell.points)
    causes = list(dict.fromkeys(_causes(results)))
    return Verdict(page.text(results), points, causes=causes, page=page.page(results))


def _causes(results: list[runner.Result]) -> list[str]:
    """What a class is told about itself: the most likely mistake of each failure, or what failed."""
    words = {"not_attempted": "not started yet"}
    return [
        result.mistakes[0].title if result.mistakes else words.get(result.status, result.check.title)
        for result in results
        if result.status != "passed"
    ]


def _hand_written(cell: GradeCell, submission: Submission) -> Verdict:
    """A grade cell with the instructor's own asserts: all its points, or none and the reason.

    Of a cell with hidden tests no text is shown that comes from the student's process: it may quote them.
    """
    most = cell.points
    answer = submission._ask("run_cell", {"label": cell.grade_id, "source": cell.source})
    if "error" not in answer:
        return Verdict(f"{most:g} of {most:g} points", most, suggestion=True)
    error = answer["error"]
    stub = next((problem for problem in submission.problems if problem.get("stub")), None)
    if error.get("stub"):
        text, cause = f"Not started yet ({most:g} points).", "not started yet"
    elif error.get("type") == "NameError" and stub:
        text = f"Not started yet ({most:g} points): {stub.get('cell')} is still to be written."
        cause = "not started yet"
    else:
        text, cause = f"0 of {most:g} points\n✗ {_reason(cell, error)}", f"an assert of {cell.grade_id}"
    return Verdict(text, 0.0, suggestion=True, causes=[cause])


def _reason(cell: GradeCell, error: dict[str, Any]) -> str:
    if _HIDDEN in cell.source:
        return "A test of this cell failed. Some of its tests are hidden, so it is not said which."
    if error.get("type") == "AssertionError" and error.get("text"):
        return str(error["text"])
    return error_text(error)


def _problems(problems: list[dict[str, Any]]) -> dict[str, str]:
    """The errors of cells, by the cell's label; a place that is still to be written is none."""
    return {str(p["cell"]): error_text(p) for p in problems if p.get("cell") and not p.get("stub")}
