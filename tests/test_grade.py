"""`course grade`: a class at once, with the marks of `nbgrader autograde`, whatever dies on the way."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest
from nbgrader.api import Gradebook
from sample_class import ASSIGNMENT, ROOT

from autograder import classroom
from autograder.commands import main
from autograder.release import CONFIG, Refused, new_course
from autograder.seeds import FILE

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ungraded(graded_course, tmp_path_factory):
    """The sample class before it was graded, in a course with the same seed."""
    folder = tmp_path_factory.mktemp("ungraded")
    new_course(ROOT, ASSIGNMENT, folder)
    shutil.copytree(graded_course / "submitted", folder / "submitted", symlinks=True)
    for name in (CONFIG, FILE):
        shutil.copy(graded_course / name, folder / name)
    return folder


@pytest.fixture
def course(ungraded, tmp_path, monkeypatch):
    shutil.copytree(ungraded, tmp_path / "course", symlinks=True)
    monkeypatch.chdir(tmp_path / "course")
    return tmp_path / "course"


def rows(folder):
    """Every grade in the gradebook: who, what, and the score; and whether it waits for a human."""
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        return sorted(
            (grade.student.id, grade.notebook.name, grade.name, grade.auto_score, grade.needs_manual_grade)
            for submission in gradebook.assignment_submissions(ASSIGNMENT)
            for notebook in submission.notebooks
            for grade in notebook.grades
        )


def graded(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted((folder / "autograded").rglob("*.ipynb"))
    }


def test_the_marks_and_notebooks_are_those_of_nbgrader_autograde(course, graded_course, capsys):
    assert main(["grade", ASSIGNMENT, "--workers", "2"]) == 0
    assert rows(course) == rows(graded_course)
    assert graded(course) == graded(graded_course)
    said = capsys.readouterr().out
    assert "rmsnorm" in said and "what went wrong most" in said


def test_what_is_graded_is_not_graded_again_unless_it_is_asked_for(course, monkeypatch):
    classroom.grade_class(ASSIGNMENT, students=["ada"], workers=1)
    before = rows(course)
    wrote = []
    real = classroom._write_to_gradebook
    monkeypatch.setattr(classroom, "_write_to_gradebook", lambda *a: (wrote.append(a[1]), real(*a)))
    monkeypatch.setattr(classroom, "_client", None)  # nothing may ask for a worker
    classroom.grade_class(ASSIGNMENT, students=["ada"], exercises=["rmsnorm"])
    assert wrote == ["ada"] and rows(course) == before


def test_a_changed_submission_is_graded_anew(course):
    classroom.grade_class(ASSIGNMENT, students=["noor"], workers=1)
    for name in ("rmsnorm.ipynb", "causal_self_attention.ipynb"):
        shutil.copy(
            course / "submitted" / "ada" / ASSIGNMENT / name, course / "submitted" / "noor" / ASSIGNMENT
        )
    outcome = classroom.grade_class(ASSIGNMENT, students=["noor"], workers=1)
    assert outcome.marks["noor"] == {"rmsnorm": 24, "causal_self_attention": 30, "transformer_block": 0}


def test_a_worker_that_dies_in_the_middle_loses_nothing(course, graded_course):
    from dask.distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster:
        victim = next(iter(cluster.workers.values())).pid
        killer = threading.Thread(target=kill_when_begun, args=(course, victim))
        killer.start()
        outcome = classroom.grade_class(ASSIGNMENT, scheduler=cluster.scheduler_address)
        killer.join()
    assert outcome.left == {}
    assert rows(course) == rows(graded_course)
    assert graded(course) == graded(graded_course)


def made(course):
    """The markings that are kept, and when each was written."""
    return {path.name: path.stat().st_mtime_ns for path in (course / classroom.STORE).glob("[0-9a-f]*.json")}


def kill_when_begun(course, pid):
    until = time.monotonic() + 120
    while time.monotonic() < until and len(made(course)) < 3:
        time.sleep(0.02)
    os.kill(pid, signal.SIGKILL)


def test_a_command_that_is_killed_goes_on_where_it_stopped(course, graded_course):
    command = [sys.executable, "-m", "autograder.commands", "grade", ASSIGNMENT, "--workers", "1"]
    running = subprocess.Popen(command, cwd=course, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    kill_when_begun(course, running.pid)
    assert running.wait() == -signal.SIGKILL
    begun = made(course)
    assert 3 <= len(begun) < 15
    assert subprocess.run(command, cwd=course, capture_output=True).returncode == 0
    assert begun.items() <= made(course).items(), "what was graded before is not graded again"
    assert rows(course) == rows(graded_course)
    assert graded(course) == graded(graded_course)


@pytest.mark.parametrize(
    "address", ["tcp://10.0.0.7:8786", "8.8.8.8:8786", "ucx://127.0.0.1:1", "tcp://127.0.0.1.evil:1"]
)
def test_nothing_travels_readable_over_a_network(address):
    with pytest.raises(Refused, match="readable"), classroom._client(address, 0):
        pass


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["grade", "nothing"], "has no assignment nothing"),
        (["grade", ASSIGNMENT, "--student", "nobody"], "Nothing was handed in by nobody"),
        (["grade", ASSIGNMENT, "--exercise", "other"], "has no exercise other"),
    ],
)
def test_what_is_not_there_is_told(course, capsys, arguments, words):
    assert main(arguments) == 1
    assert words in capsys.readouterr().err
