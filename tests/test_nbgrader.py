"""nbgrader for real, through its commands: marks, reasons, the manual question, feedback, export."""

import csv
import json

import pytest
from conftest import read
from nbgrader.api import Gradebook
from sample_class import ASSIGNMENT, NOTEBOOKS, ROOT, solutions

from autograder import bank
from autograder.release import nbgrader
from autograder.seeds import fingerprint

MANUAL = 4.0  # the question that a human grades
MOST = {"rmsnorm": 24.0, "causal_self_attention": 30.0, "transformer_block": 27.0 + MANUAL}


@pytest.fixture(scope="module")
def marks(graded_course):
    """marks[student][notebook]: the score of what was autograded."""
    with Gradebook(f"sqlite:///{graded_course / 'gradebook.db'}") as gradebook:
        return {
            student.id: {
                notebook.name: notebook.score
                for notebook in gradebook.find_submission(ASSIGNMENT, student.id).notebooks
            }
            for student in gradebook.students
        }


def test_the_maximum_is_the_sum_of_the_checks(graded_course):
    with Gradebook(f"sqlite:///{graded_course / 'gradebook.db'}") as gradebook:
        most = {
            notebook.name: notebook.max_score for notebook in gradebook.find_assignment(ASSIGNMENT).notebooks
        }
    assert most == MOST


def test_everything_right_gets_full_marks(marks):
    assert marks["ada"] == MOST | {"transformer_block": MOST["transformer_block"] - MANUAL}


def test_the_untouched_notebooks_get_nothing(marks):
    assert set(marks["noor"].values()) == {0.0}


def test_a_mistake_costs_points_where_it_is_and_nowhere_else(marks):
    for exercise in NOTEBOOKS:
        assert 0 < marks["lin"][exercise] < marks["ada"][exercise]
    assert 0 < marks["mara"]["rmsnorm"] < MOST["rmsnorm"]
    assert marks["mara"]["causal_self_attention"] == marks["mara"]["transformer_block"] == 0


def test_a_broken_notebook_is_a_row_with_a_reason_and_costs_only_itself(graded_course, marks):
    assert marks["olga"] == marks["ada"] | {"causal_self_attention": 0.0}
    text = outputs(graded_course, "olga", "causal_self_attention")["causal_self_attention-mask"]
    assert "is not a notebook: its JSON breaks off" in text


def test_each_wrong_part_keeps_the_points_of_the_right_ones(graded_course):
    with Gradebook(f"sqlite:///{graded_course / 'gradebook.db'}") as gradebook:
        (notebook,) = [
            n for n in gradebook.find_submission(ASSIGNMENT, "mara").notebooks if n.name == "rmsnorm"
        ]
        grades = {grade.name: grade.auto_score for grade in notebook.grades}
    assert grades["rmsnorm-interface"] == 2.0
    assert grades["rmsnorm-quiz"] == 2.0
    assert grades["rmsnorm-eps"] < 4.0
    assert grades["rmsnorm-values"] == 4.0, (
        "with eps 1e-5 and numbers of ordinary size it makes no difference"
    )


def outputs(course, student, notebook):
    """The verdict under every grade cell of an autograded notebook."""
    cells = read(course / "autograded" / student / ASSIGNMENT / f"{notebook}.ipynb")["cells"]
    return {
        cell["metadata"]["nbgrader"]["grade_id"]: "".join(cell["outputs"][0]["data"]["text/plain"])
        for cell in cells
        if cell["metadata"].get("nbgrader", {}).get("grade") and cell["cell_type"] == "code"
    }


def test_partial_credit_comes_with_a_reason(graded_course):
    verdict = outputs(graded_course, "mara", "rmsnorm")["rmsnorm-eps"]
    assert "called    RMSNorm(3, eps=0.5)" in verdict and "expected" in verdict


def test_the_same_verdict_in_the_notebook_and_for_marks(graded_course):
    from autograder.loading import Work, open_here
    from autograder.notebook import code_cells, read_notebook, to_run
    from autograder.page import text as verdict
    from autograder.runner import run_all

    for exercise in NOTEBOOKS:
        path = graded_course / "submitted" / "lin" / ASSIGNMENT / f"{exercise}.ipynb"
        submission = open_here(Work(exercise, path.name, to_run(code_cells(read_notebook(path)))))
        for grade_id, text in outputs(graded_course, "lin", exercise).items():
            named = bank.split_grade_id(grade_id)
            if named:
                assert verdict(run_all(bank.checks(*named), submission)) in text


@pytest.fixture(scope="module")
def manually_graded(graded_course):
    """A human gives ada three points for the question; feedback and export follow."""
    with Gradebook(f"sqlite:///{graded_course / 'gradebook.db'}") as gradebook:
        grade = gradebook.find_grade("transformer_block-reasoning", "transformer_block", ASSIGNMENT, "ada")
        assert grade.needs_manual_grade
        grade.manual_score, grade.needs_manual_grade = 3.0, False
        gradebook.db.commit()
    nbgrader(graded_course, "generate_feedback", ASSIGNMENT, "--student", "ada", "--force")
    nbgrader(graded_course, "export", "--to", "grades.csv")
    return graded_course


def test_the_question_is_graded_by_hand_and_exported(manually_graded):
    with open(manually_graded / "grades.csv", newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert float(rows["ada"]["score"]) == 84.0 and float(rows["ada"]["max_score"]) == 85.0
    assert set(rows) == {"ada", "lin", "mara", "noor", "olga"}


def test_the_grader_sees_the_mark_scheme_and_the_student_does_not(manually_graded):
    for_the_grader = (
        manually_graded / "autograded" / "ada" / ASSIGNMENT / "transformer_block.ipynb"
    ).read_text("utf-8")
    page = (manually_graded / "feedback" / "ada" / ASSIGNMENT / "transformer_block.html").read_text("utf-8")
    release = (ROOT / "release" / ASSIGNMENT / "transformer_block.ipynb").read_text("utf-8")
    scheme = mark_scheme()
    texts = ["".join(cell["source"]) for cell in json.loads(for_the_grader)["cells"]]
    assert any(scheme in text for text in texts)
    for text in (page, release):
        assert "MARK SCHEME" not in text and "HIDDEN TESTS" not in text
        for line in scheme.split("\n"):
            if len(line) > 30:
                assert line.strip("* `-") not in text


def mark_scheme() -> str:
    for cell in read(ROOT / "source" / ASSIGNMENT / "transformer_block.ipynb")["cells"]:
        text = "".join(cell["source"])
        if "### BEGIN MARK SCHEME" in text:
            return text.split("### BEGIN MARK SCHEME\n")[1].split("\n### END")[0]
    raise AssertionError("no mark scheme in the source")


def test_a_hand_written_cell_waits_for_a_human(graded_course):
    with Gradebook(f"sqlite:///{graded_course / 'gradebook.db'}") as gradebook:
        grade = gradebook.find_grade("transformer_block-count", "transformer_block", ASSIGNMENT, "lin")
        assert grade.auto_score == 1.0 and grade.needs_manual_grade
    assert "A suggestion" in outputs(graded_course, "lin", "transformer_block")["transformer_block-count"]


def test_the_seed_is_secret_and_every_verdict_carries_its_fingerprint(graded_course):
    seed = (graded_course / ".course_seed").read_text()
    assert (graded_course / ".course_seed").stat().st_mode & 0o077 == 0
    for verdict in outputs(graded_course, "mara", "rmsnorm").values():
        assert f"seed {fingerprint(seed)}" in verdict and seed not in verdict


def test_hard_coding_the_visible_answers_earns_nothing_beyond_them(children):
    """An answer that recognises the public inputs by their first number."""
    from conftest import work_of

    from autograder.loading import open_confined
    from autograder.runner import run, run_for_marks
    from autograder.submission import Submission

    seen = Submission(lambda op, arguments: {}, "")
    seen.begin("rmsnorm/test_a_batch")
    seen.draw(7)  # the scale
    first = 0.3 * float(seen.draw(3, 4, 7, size=2.0, mean=1.5)[0, 0, 0])
    code = solutions("rmsnorm")["rmsnorm-class"] + HARD_CODED.replace("FIRST", repr(first))
    submission = open_confined(work_of("rmsnorm", solutions("rmsnorm") | {"rmsnorm-class": code}), children)
    (check,) = [check for check in bank.checks("rmsnorm") if check.name == "test_a_batch"]
    assert run(check, submission).status == "passed"
    (result,) = run_for_marks([check], submission, submission.with_seed("a secret"))
    children.stop()
    assert result.status == "failed" and "Right on the numbers that you can see" in result.message
    assert "called" not in result.message and "instead of" in result.message


HARD_CODED = """

right = RMSNorm.forward
def forward(self, x):
    known = abs(float(x.flatten()[0]) - (FIRST)) < 1e-6
    return right(self, x) if known else x
RMSNorm.forward = forward
"""


def test_feedback_shows_the_verdicts(manually_graded):
    page = (manually_graded / "feedback" / "mara" / ASSIGNMENT / "rmsnorm.html").read_text("utf-8")
    assert "RMSNorm(3, eps=0.5)" in page
    assert page.count('<div class="course-verdict">') > 8 and page.count('<mark class="came">') > 1


def test_regrading_keeps_the_marks(graded_course, marks):
    nbgrader(graded_course, "autograde", ASSIGNMENT, "--student", "mara", "--force")
    with Gradebook(f"sqlite:///{graded_course / 'gradebook.db'}") as gradebook:
        again = {n.name: n.score for n in gradebook.find_submission(ASSIGNMENT, "mara").notebooks}
    assert again == marks["mara"]
