"""The nbgrader door: a notebook is read strictly, its code runs in a process of its own, and the grader
writes the results.

`Intake` takes the place of nbgrader's exporter and turns whatever was handed in into a notebook with
exactly the graded cells of the source; `TrustedGrader` takes the place of `Execute`; `HideFromFeedback`
keeps hidden tests and mark schemes off the feedback page. nbgrader's own steps stand around them.
"""

import atexit
import copy
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import ClearHiddenTests, ClearMarkScheme, NbGraderPreprocessor, SaveAutoGrades
from traitlets import Bool

from autograder import bank, page
from autograder.confined import Children
from autograder.grading import GradeCell, Marking, Paper, Verdict, grade_submission
from autograder.notebook import Unreadable, code_cells, grade_id, joined, read_notebook, to_run
from autograder.outputs import Keeper
from autograder.seeds import secret
from autograder.wall import NoWall, bubblewrap

PROBLEM = "autograder_problem"  # the notebook's metadata key that tells why it could not be read
SUGGESTION = "A suggestion: the asserts of this cell ran beside the student's code, so a human confirms them."
FACTS = "autograder"  # in the metadata of a verdict: the key of its marking, and whether it waits for a human
_ID_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


class Intake(NotebookExporter):
    """Reads a submitted notebook as hostile JSON; every notebook becomes one that nbgrader can grade.

    Raises NbGraderException at once where nothing can be graded, because there is no wall.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._source: dict[tuple[str, str], list[NotebookNode]] = {}
        try:
            TrustedGrader(parent=self).make_ready()
        except NoWall as refusal:
            self.log.error("%s", refusal)
            raise NbGraderException(str(refusal)) from refusal

    def from_filename(self, filename: str, resources: dict | None = None, **kwargs: Any) -> tuple[str, dict]:
        if not getattr(
            self.parent, "_sanitizing", False
        ):  # nbgrader's second pass reads what the first wrote
            return super().from_filename(filename, resources=resources, **kwargs)
        facts = resources["nbgrader"]
        name = (facts["notebook"], facts["assignment"])
        if name not in self._source:
            with Gradebook(facts["db_url"]) as gradebook:
                self._source[name] = templates(gradebook.find_notebook(*name))
        notebook = submitted(Path(filename), self._source[name])
        if PROBLEM in notebook.metadata:
            problem = notebook.metadata[PROBLEM]
            self.log.warning("%s of %s could not be read: %s", Path(filename).name, facts["student"], problem)
        return self.from_notebook_node(notebook, resources, **kwargs)


def submitted(path: Path, source: list[NotebookNode]) -> NotebookNode:
    """What was handed in at this path as a notebook with the graded cells of the source.

    One that cannot be read has only those, and says in its metadata why.
    """
    try:
        if path.is_symlink():
            raise Unreadable(f"{path.name} is a link to another file. Hand in the notebook itself.")
        return mended(read_notebook(path)["cells"], source)
    except Unreadable as error:
        notebook = mended([], source)
        notebook.metadata[PROBLEM] = str(error).replace(str(path), path.name)
        return notebook


def templates(source: Any) -> list[NotebookNode]:
    """The graded cells of the source, as the gradebook keeps them: in order, with their true metadata."""
    grade = {cell.name: cell.max_score for cell in source.grade_cells}
    task = {cell.name: cell.max_score for cell in source.task_cells}
    solution = {cell.name for cell in source.solution_cells}
    found = []
    for cell in source.source_cells:
        facts = {
            "grade": cell.name in grade,
            "grade_id": cell.name,
            "locked": bool(cell.locked),
            "schema_version": 3,
            "solution": cell.name in solution,
            "task": cell.name in task,
            "checksum": cell.checksum,
            "cell_type": cell.cell_type,
        }
        if cell.name in grade or cell.name in task:
            facts["points"] = grade.get(cell.name, task.get(cell.name))
        found.append(_cell(cell.cell_type, cell.source or "", {"nbgrader": facts}))
    return found


def mended(cells: list[dict[str, Any]], source: list[NotebookNode]) -> NotebookNode:
    """The submitted cells with the graded ones as the source has them.

    A locked cell gets its text back, a graded cell its type and metadata, a missing one comes back after
    the one before it. The second of two cells with one id keeps its text as a cell of the student's own.
    Outputs stay for the human reader, made harmless; those of grade cells go, the grader writes them.
    """
    by_id = {template.metadata.nbgrader.grade_id: template for template in source}
    found: list[NotebookNode] = []
    seen: set[str] = set()
    keeper = Keeper()
    for cell in cells:
        name, text = grade_id(cell), joined(cell.get("source", ""))
        text = text.encode("utf-8", "replace").decode("utf-8")
        if name in by_id and name not in seen:
            seen.add(name)
            new = copy.deepcopy(by_id[name])
            if not new.metadata.nbgrader.locked:
                new.source = text
        else:
            kind = cell.get("cell_type") if cell.get("cell_type") in ("code", "markdown", "raw") else "raw"
            new = _cell(kind, text, {})
        if new.cell_type == "code" and not utils.is_grade(new):
            new.outputs = keeper.keep(cell.get("outputs"))
        found.append(new)
    for number, template in enumerate(source):
        if template.metadata.nbgrader.grade_id not in seen:
            before = [t.metadata.nbgrader.grade_id for t in source[:number]]
            places = [i for i, cell in enumerate(found) if grade_id(cell) in before]
            found.insert(places[-1] + 1 if places else 0, copy.deepcopy(template))
    for number, cell in enumerate(found):
        name = grade_id(cell)
        cell.id = name if name and set(name) <= _ID_LETTERS and len(name) <= 64 else f"cell-{number}"
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    metadata = _node({"kernelspec": kernel, "language_info": {"name": "python"}})
    return NotebookNode(nbformat=4, nbformat_minor=5, metadata=metadata, cells=found)


def _cell(kind: str, source: str, metadata: dict[str, Any]) -> NotebookNode:
    """A cell made by hand: nbformat's own maker validates each, which costs more than all the rest."""
    cell = NotebookNode(id="", cell_type=kind, source=source, metadata=_node(metadata))
    if kind == "code":
        cell.update(outputs=[], execution_count=None)
    return cell


def _node(value: dict[str, Any]) -> NotebookNode:
    return NotebookNode({key: _node(v) if isinstance(v, dict) else v for key, v in value.items()})


def paper_of(nb: NotebookNode, exercise: str) -> Paper:
    """What of a notebook that went through `submitted` is graded."""
    problem = nb.metadata.get(PROBLEM, "")
    graded = [
        GradeCell(grade_id(cell), float(cell.metadata.nbgrader.points), cell.source)
        for cell in nb.cells
        if _autograded(cell)
    ]
    return Paper(exercise, [] if problem else to_run(code_cells(nb)), graded, problem)


def _autograded(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and utils.is_grade(cell) and not utils.is_solution(cell)


class TrustedGrader(NbGraderPreprocessor):
    """Runs a submission in its own process, asks it the checks and writes the grade cells' outputs."""

    unwalled = Bool(
        False,
        help="Run submissions in a process of their own with nothing between it and this machine. "
        "Only for work that you trust.",
    ).tag(config=True)

    trust_hand_written = Bool(
        False,
        help="Take the result of grade cells with asserts of your own as a mark. They run beside the "
        "student's code, which can interfere with them; otherwise they wait for a human.",
    ).tag(config=True)

    _walled, _unwalled = Children(walled=True), Children(walled=False)  # warm for all submissions of a run

    @property
    def children(self) -> Children:
        return self._unwalled if self.unwalled else self._walled

    @property
    def _converter(self) -> Any:
        """nbgrader's Autograde, or the one of `course grade`, which knows the markings beforehand."""
        return getattr(self.parent, "parent", None)

    def make_ready(self) -> None:
        """Try the wall before anything is graded. Raises NoWall."""
        if self.unwalled or hasattr(self._converter, "markings"):
            return
        bubblewrap()
        given = bank.given_folder(self._converter.coursedir.assignment_id if self._converter else "")
        try:
            self.children.start(str(given))
        finally:
            self.children.stop()

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        paper = paper_of(nb, resources["nbgrader"]["notebook"])
        nb.metadata.pop(PROBLEM, None)
        marking = self._marking(paper)
        for cell in nb.cells:
            if _autograded(cell):
                self._write(cell, marking, marking.verdicts[grade_id(cell)])
        _show_problems(nb, marking.problems)
        return nb, resources

    def _marking(self, paper: Paper) -> Marking:
        known = getattr(self._converter, "markings", None)
        if known is not None:
            return known(paper)
        return grade_submission(paper, self.children, secret(Path.cwd()))  # nbgrader works in the course

    def _write(self, cell: NotebookNode, marking: Marking, verdict: Verdict) -> None:
        """The grade cell's outputs: the verdict for people, and the points as nbgrader reads them."""
        waits = verdict.suggestion and not self.trust_hand_written
        notes = [*([SUGGESTION] if waits else []), f"({marking.stamp})"]
        text = "\n".join([verdict.text, *notes])
        shown = {
            "text/plain": text,
            "text/html": (verdict.page or page.message(verdict.text)) + page.notes(notes),
        }
        facts = {FACTS: {"key": marking.key, "waits": waits}}
        points = {"text/plain": repr(verdict.points)}
        cell.outputs = [
            _node({"output_type": "display_data", "data": shown, "metadata": facts}),
            _node({"output_type": "execute_result", "data": points, "metadata": {}, "execution_count": None}),
        ]


atexit.register(TrustedGrader._walled.close)
atexit.register(TrustedGrader._unwalled.close)


def _show_problems(nb: NotebookNode, problems: dict[str, str]) -> None:
    """Under a cell that stopped with an error when it was graded, say so."""
    for number, cell in enumerate(nb.cells, start=1):
        problem = problems.get(grade_id(cell) or f"cell {number}")
        if cell.cell_type == "code" and problem and not utils.is_grade(cell):
            told = f"When this was graded, the cell stopped with an error:\n{problem}\n"
            cell.outputs.insert(0, _node({"output_type": "stream", "name": "stdout", "text": told}))


def verdict_facts(cell: dict[str, Any]) -> dict[str, Any]:
    """What the grader noted with its verdict under a cell of an autograded notebook; empty without one."""
    outputs = cell.get("outputs") or [{}]
    return outputs[0].get("metadata", {}).get(FACTS, {})


class SaveGrades(SaveAutoGrades):
    """nbgrader's own, except that the result of a hand-written grade cell is a suggestion."""

    def _add_score(self, cell: NotebookNode, resources: dict) -> None:
        super()._add_score(cell, resources)
        if verdict_facts(cell).get("waits"):
            where = (self.notebook_id, self.assignment_id, self.student_id)
            self.gradebook.find_grade(cell.metadata.nbgrader.grade_id, *where).needs_manual_grade = True
            self.gradebook.db.commit()
            self.log.warning("%s of %s waits for a human: %s", grade_id(cell), self.student_id, SUGGESTION)


class HideFromFeedback(NbGraderPreprocessor):
    """Takes hidden tests and mark schemes out of the instructor's cells before students see the page."""

    def preprocess_cell(self, cell: NotebookNode, resources: dict, index: int) -> tuple[NotebookNode, dict]:
        if utils.is_locked(cell):
            ClearHiddenTests(parent=self)._remove_hidden_test_region(cell)
            ClearMarkScheme(parent=self)._remove_mark_scheme_region(cell)
        return cell, resources
