"""The gate: every wrong submission loses points in the group meant for it and is named, every right one keeps all.

A file under `wrong/<exercise>/` says in its first lines what is wrong, which group of checks is meant to
catch it, and which slugs name it: several where they compute the same, `none` where no model has it yet.
"""

from pathlib import Path

import pytest
from catalogue import RIGHT, WRONG, facts, opened

from autograder.loading import checks_for
from autograder.runner import run_all


def name(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


def results_of(path: Path) -> list:
    work, submission = opened(path)
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
