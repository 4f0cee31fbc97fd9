"""The gate: every wrong submission loses points in the group meant for it and is named, every right one keeps all.

A file under `wrong/<exercise>/` says in its first lines what is wrong, which group of checks is meant to
catch it, and which slugs name it: several where they compute the same, `none` where no model has it yet.
"""

from pathlib import Path

import pytest

from autograder.loading import checks_for, find_work, open_here
from autograder.runner import run_all

HERE = Path(__file__).parent
WRONG = sorted((HERE / "wrong").glob("*/*.py"))
RIGHT = sorted((HERE / "right").glob("*/*.py"))


def name(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


def facts(path: Path) -> dict[str, str]:
    """The `# key: value` lines at the head of a file."""
    lines = path.read_text("utf-8").splitlines()
    head = [line[2:] for line in lines[: lines.index("")] if line.startswith("# ")] if "" in lines else []
    return dict(line.split(": ", 1) for line in head if line.split(": ", 1)[0] in ("group", "slugs"))


def results_of(path: Path) -> list:
    (work,) = [work for work in find_work(path) if work.exercise == path.parent.name]
    submission = open_here(work)
    return run_all(checks_for(work, submission), submission)


def row(path: Path) -> object:
    """The catalogue's rows run with every test; kinds of our own (X) and doubles (D) with the longer run."""
    return pytest.param(path, id=name(path), marks=[pytest.mark.slow] if path.stem[0] in "XD" else [])


@pytest.mark.parametrize("path", [row(path) for path in WRONG])
def test_a_wrong_answer_is_caught_and_named(path):
    meant = facts(path)
    failed = [result for result in results_of(path) if result.status != "passed"]
    assert meant["group"] in {result.check.group for result in failed}, (
        "the group meant for it does not notice"
    )
    allowed = set(meant["slugs"].split())
    named = {mistake.slug for result in failed for mistake in result.mistakes}
    if allowed == {"none"}:
        assert not named
        return
    assert named <= allowed, "a wrong name"
    in_group = {m.slug for result in failed if result.check.group == meant["group"] for m in result.mistakes}
    assert in_group, "caught, but not named by the group meant for it"


@pytest.mark.parametrize("path", RIGHT, ids=name)
def test_a_right_answer_loses_nothing(path):
    assert {r.check.name: r.message for r in results_of(path) if r.status != "passed"} == {}
