"""What several tests share: a warm process for submissions, and one graded class."""

import json
import os
from pathlib import Path

import pytest
from sample_class import ASSIGNMENT, ROOT, filled, solutions, write_class

from autograder.confined import Children
from autograder.loading import Work, open_confined, open_here
from autograder.notebook import code_cells, to_run
from autograder.release import CONFIG, nbgrader, new_course
from autograder.wall import refusal

pytest_plugins = ["pytester"]

NO_WALL = refusal()  # why this machine has no wall; empty where it has one


@pytest.fixture(scope="session", autouse=True)
def memory(tmp_path_factory):
    """Progress is remembered apart from the tester's own, here and in every process that is started."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))


@pytest.fixture(scope="session")
def children():
    """Gives submissions a process of their own, behind the wall where there is one."""
    warm = Children(walled=not NO_WALL)
    yield warm
    warm.close()


@pytest.fixture(params=["here", "confined"])
def open_work(request, children):
    """Both adapters, one after the other: opens a submission in this process, or in one of its own."""
    if request.param == "here":
        yield open_here
    else:
        yield lambda work: open_confined(work, children)
        children.stop()


def work_of(exercise: str, answers: dict[str, str] | None = None) -> Work:
    """The work of somebody who filled the release notebook with these answers; with the solution if None."""
    release = ROOT / "release" / ASSIGNMENT / f"{exercise}.ipynb"
    notebook = filled(release, solutions(exercise) if answers is None else answers)
    return Work(exercise, f"{exercise}.ipynb", to_run(code_cells(notebook)))


@pytest.fixture(scope="session")
def graded_course(tmp_path_factory) -> Path:
    """A course in which the sample class has been graded and has got its feedback, all through nbgrader."""
    course = tmp_path_factory.mktemp("course")
    new_course(ROOT, ASSIGNMENT, course)
    if NO_WALL:
        with (course / CONFIG).open("a") as config:
            config.write("c.TrustedGrader.unwalled = True\n")
    write_class(course)
    nbgrader(course, "autograde", ASSIGNMENT)
    nbgrader(course, "generate_feedback", ASSIGNMENT)
    return course


def read(path: Path) -> dict:
    return json.loads(path.read_text("utf-8"))


def pytest_collection_modifyitems(items):
    """All of the wall's tests belong to the longer run."""
    for item in items:
        if item.path.name == "test_wall.py":
            item.add_marker(pytest.mark.slow)
