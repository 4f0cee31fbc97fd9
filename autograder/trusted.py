"""The nbgrader door: a notebook is read strictly, its code runs in a process of its own, and the grader
writes the results.

`Intake` takes the place of nbgrader's exporter and turns whatever was handed in into a notebook with
exactly the graded cells of the source; `TrustedGrader` takes the place of `Execute`; `HideFromFeedback`
keeps hidden tests and mark schemes off the feedback page. nbgrader's own steps stand around them.
"""

import atexit
import html
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import v4
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.preprocessors import ClearHiddenTests, ClearMarkScheme, NbGraderPreprocessor, SaveAutoGrades
from traitlets import Bool

from autograder import bank, runner
from autograder.confined import Children
from autograder.door import verdict
from autograder.loading import Work, open_confined
from autograder.notebook import Unreadable, code_cells, grade_id, joined, read_notebook, to_run
from autograder.seeds import fingerprint, secret
from autograder.submission import Submission, error_text
from autograder.wall import bubblewrap, level

PROBLEM = "autograder_problem"  # the notebook's metadata key that tells why it could not be read
SUGGESTION = "A suggestion: the asserts of this cell ran beside the student's code, so a human confirms them."
_ID_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


class Intake(NotebookExporter):
    """Reads a submitted notebook as hostile JSON; every notebook becomes one that nbgrader can grade."""

    def from_filename(self, filename: str, resources: dict | None = None, **kwargs: Any) -> tuple[str, dict]:
        if not getattr(
            self.parent, "_sanitizing", False
        ):  # nbgrader's second pass reads what the first wrote
            return super().from_filename(filename, resources=resources, **kwargs)
        facts = resources["nbgrader"]
        with Gradebook(facts["db_url"]) as gradebook:
            templates = _templates(gradebook.find_notebook(facts["notebook"], facts["assignment"]))
        try:
            if Path(filename).is_symlink():
                raise Unreadable(
                    f"{Path(filename).name} is a link to another file. Hand in the notebook itself."
                )
            cells, problem = read_notebook(Path(filename))["cells"], ""
        except Unreadable as error:
            name = Path(filename).name
            cells, problem = [], str(error).replace(filename, name)
            self.log.warning("%s of %s could not be read: %s", name, facts["student"], problem)
        notebook = mended(cells, templates)
        if problem:
            notebook.metadata[PROBLEM] = problem
        return self.from_notebook_node(notebook, resources, **kwargs)


def _templates(source: Any) -> list[NotebookNode]:
    """The graded cells of the source, as the gradebook keeps them: in order, with their true metadata."""
    grade = {cell.name: cell.max_score for cell in source.grade_cells}
    task = {cell.name: cell.max_score for cell in source.task_cells}
    solution = {cell.name for cell in source.solution_cells}
    templates = []
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
        templates.append(_cell(cell.cell_type, cell.source or "", {"nbgrader": facts}))
    return templates


def mended(cells: list[dict[str, Any]], templates: list[NotebookNode]) -> NotebookNode:
    """The submitted cells with the graded ones as the source has them.

    A locked cell gets its text back, a graded cell its type and metadata, a missing one comes back after
    the one before it. The second of two cells with one id keeps its text as a cell of the student's own.
    """
    by_id = {template.metadata.nbgrader.grade_id: template for template in templates}
    found: list[NotebookNode] = []
    seen: set[str] = set()
    for cell in cells:
        name, source = grade_id(cell), joined(cell.get("source", ""))
        source = source.encode("utf-8", "replace").decode("utf-8")
        if name in by_id and name not in seen:
            seen.add(name)
            template = by_id[name].copy()
            if not template.metadata.nbgrader.locked:
                template.source = source
            found.append(template)
        else:
            kind = cell.get("cell_type") if cell.get("cell_type") in ("code", "markdown", "raw") else "raw"
            found.append(_cell(kind, source, {}))
    for number, template in enumerate(templates):
        if template.metadata.nbgrader.grade_id not in seen:
            before = [t.metadata.nbgrader.grade_id for t in templates[:number]]
            places = [i for i, cell in enumerate(found) if grade_id(cell) in before]
            found.insert(places[-1] + 1 if places else 0, template)
    for number, cell in enumerate(found):
        name = grade_id(cell)
        cell.id = name if name and set(name) <= _ID_LETTERS and len(name) <= 64 else f"cell-{number}"
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    return v4.new_notebook(cells=found, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})


def _cell(kind: str, source: str, metadata: dict[str, Any]) -> NotebookNode:
    new = {"code": v4.new_code_cell, "markdown": v4.new_markdown_cell}.get(kind, v4.new_raw_cell)
    return new(source, metadata=metadata)


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
    def _children(self) -> Children:
        return self._unwalled if self.unwalled else self._walled

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        if not self.unwalled:
            bubblewrap()  # without a wall nothing is graded, not even what cannot be read
        exercise = resources["nbgrader"]["notebook"]
        problem = nb.metadata.pop(PROBLEM, "")
        graded = [cell for cell in nb.cells if utils.is_grade(cell) and not utils.is_solution(cell)]
        if problem:
            for cell in graded:
                _write(cell, self._stamped(problem), 0.0)
            return nb, resources
        work = Work(exercise, f"{exercise}.ipynb", to_run(code_cells(nb)))
        submission = open_confined(work, self._children)
        try:
            for cell in graded:
                self._grade(cell, submission)
            _show_problems(nb, submission.problems)
        finally:
            self._children.stop()
        return nb, resources

    def _grade(self, cell: NotebookNode, submission: Submission) -> None:
        most = float(cell.metadata.nbgrader.points)
        name = bank.split_grade_id(grade_id(cell))
        if name is None:
            text, points = _hand_written(cell, submission, most)
            text += "" if self.trust_hand_written else f"\n{SUGGESTION}"
        else:
            hidden = submission.with_seed(self._seed)
            results = runner.run_for_marks(bank.checks(*name), submission, hidden)
            text, points = verdict(results), sum(result.points for result in results)
        _write(cell, self._stamped(text), runner.clamped(points, most))

    @property
    def _seed(self) -> str:
        return secret(Path.cwd())  # nbgrader works in the course's folder

    def _stamped(self, text: str) -> str:
        return f"{text}\n({level(self._children.walled)}, seed {fingerprint(self._seed)})"


atexit.register(TrustedGrader._walled.close)
atexit.register(TrustedGrader._unwalled.close)


def _hand_written(cell: NotebookNode, submission: Submission, most: float) -> tuple[str, float]:
    """A grade cell with the instructor's own asserts: all its points, or none and the reason."""
    answer = submission._ask("run_cell", {"label": grade_id(cell), "source": cell.source})
    if "error" not in answer:
        return f"{most:g} of {most:g} points", most
    error = answer["error"]
    if error.get("stub"):
        return f"Not started yet ({most:g} points).", 0.0
    stub = next((problem for problem in submission.problems if problem.get("stub")), None)
    if error.get("type") == "NameError" and stub:
        return f"Not started yet ({most:g} points): {stub.get('cell')} is still to be written.", 0.0
    reason = str(error.get("text")) if error.get("type") == "AssertionError" else error_text(error)
    return f"0 of {most:g} points\n✗ {reason}", 0.0


def _write(cell: NotebookNode, text: str, points: float) -> None:
    page = f'<pre style="white-space: pre-wrap; word-break: normal">{html.escape(text)}</pre>'
    cell.outputs = [
        v4.new_output("display_data", {"text/plain": text, "text/html": page}),
        v4.new_output("execute_result", {"text/plain": repr(points)}, execution_count=None),
    ]


def _show_problems(nb: NotebookNode, problems: list[dict[str, Any]]) -> None:
    """Under a cell that stopped with an error, say so."""
    by_cell = {problem.get("cell"): problem for problem in problems if not problem.get("stub")}
    for number, cell in enumerate(nb.cells, start=1):
        problem = by_cell.get(grade_id(cell) or f"cell {number}")
        if cell.cell_type == "code" and problem and not utils.is_grade(cell):
            cell.outputs = [v4.new_output("stream", name="stdout", text=error_text(problem))]


class SaveGrades(SaveAutoGrades):
    """nbgrader's own, except that the result of a hand-written grade cell is a suggestion."""

    def _add_score(self, cell: NotebookNode, resources: dict) -> None:
        super()._add_score(cell, resources)
        if any(
            SUGGESTION in output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", [])
        ):
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
