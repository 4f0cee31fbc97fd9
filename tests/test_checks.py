"""The gate: every solution green, every stub red, every sample mistake caught, through both adapters."""

import pytest
from conftest import work_of
from sample_class import ASSIGNMENT, NOTEBOOKS, ROOT, sample, solutions

from autograder import bank
from autograder.release import points
from autograder.runner import run_all

CAUGHT_IN = {
    "rmsnorm": {"values", "eps", "gradients"},
    "causal_self_attention": {"mask"},
    "transformer_block": {"wiring", "norms"},
}


@pytest.mark.parametrize("exercise", NOTEBOOKS)
def test_the_solution_passes_every_check(open_work, exercise):
    results = run_all(bank.checks(exercise), open_work(work_of(exercise)))
    assert {r.check.name: r.message for r in results if r.status != "passed"} == {}


@pytest.mark.parametrize("exercise", NOTEBOOKS)
def test_the_stub_passes_no_check_and_is_not_called_wrong(open_work, exercise):
    results = run_all(bank.checks(exercise), open_work(work_of(exercise, {})))
    assert {r.status for r in results} == {"not_attempted"}
    assert sum(r.points for r in results) == 0


@pytest.mark.parametrize("exercise", NOTEBOOKS)
def test_a_typical_mistake_is_caught_where_it_belongs(open_work, exercise):
    results = run_all(
        bank.checks(exercise), open_work(work_of(exercise, solutions(exercise) | sample("lin")))
    )
    lost = {r.check.group for r in results if r.status != "passed"}
    assert CAUGHT_IN[exercise] <= lost
    assert "interface" not in lost
    assert all(r.message for r in results if r.status != "passed")


@pytest.mark.parametrize("exercise", NOTEBOOKS)
@pytest.mark.parametrize("student", ["ada", "lin", "mara"])
def test_both_adapters_tell_the_same_story(children, exercise, student):
    from autograder.loading import open_confined, open_here

    work = work_of(exercise, solutions(exercise) | (sample(student) if student != "ada" else {}))
    here = run_all(bank.checks(exercise), open_here(work))
    apart = run_all(bank.checks(exercise), open_confined(work, children))
    children.stop()
    assert [r.as_json() for r in here] == [r.as_json() for r in apart]


@pytest.mark.parametrize("exercise", NOTEBOOKS)
def test_the_notebook_copies_the_points_of_the_checks(exercise):
    in_notebook = points(ROOT / "source" / ASSIGNMENT / f"{exercise}.ipynb")
    for grade_id, copied in in_notebook.items():
        named = bank.split_grade_id(grade_id)
        if named:
            assert copied == sum(check.points for check in bank.checks(*named)), grade_id
    groups = {f"{exercise}-{check.group}" for check in bank.checks(exercise)}
    assert groups <= set(in_notebook), "a group without a grade cell would never count"


def test_every_check_says_what_it_shows():
    for exercise in bank.exercises():
        for check in bank.checks(exercise):
            assert check.points > 0
            assert check.title and check.shows, check.name


def test_the_exercises_come_in_the_order_of_the_course():
    assert tuple(bank.exercises()) == NOTEBOOKS
