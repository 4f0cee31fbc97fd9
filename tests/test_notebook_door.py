"""`check(...)` in a notebook: the verdict, the points, and nothing else changed."""

import json
import warnings

import pytest
import torch
from sample_class import sample, solutions

from autograder import check
from autograder.runner import clamped

HEAD = "import torch, math\nfrom torch import nn, Tensor\nfrom autograder import check\n"


def notebook(code: str) -> dict:
    """The namespace of a kernel in which a cell with this code has been run."""
    namespace: dict = {"__name__": "__main__"}
    exec(HEAD + code, namespace)
    return namespace


def points(namespace: dict, grade_id: str) -> float:
    return eval(f"check({grade_id!r})", namespace)


def test_a_right_answer_gets_the_groups_points(capsys):
    earned = points(notebook(solutions("rmsnorm")["rmsnorm-class"]), "rmsnorm-eps")
    assert earned == 4.0 and type(earned) is float
    assert capsys.readouterr().out.startswith("4 of 4 points\n✓")


def test_a_wrong_answer_gets_part_of_them_and_a_reason(capsys):
    earned = points(notebook(sample("mara")["rmsnorm-class"]), "rmsnorm-shapes")
    said = capsys.readouterr().out
    assert 0 <= earned < 3
    assert "called    RMSNorm(6, eps=0.5)" in said and "expected" in said


def test_before_the_answer_is_written_it_says_so(capsys):
    assert points(notebook(""), "rmsnorm-eps") == 0.0
    assert "There is no RMSNorm in this notebook" in capsys.readouterr().out


def test_a_warning_in_the_answer_costs_nothing_and_reaches_no_stderr(capsys):
    code = solutions("rmsnorm")["rmsnorm-class"].replace(
        "super().__init__()",
        "super().__init__(); import warnings, sys; warnings.warn('x'); print('y', file=sys.stderr)",
    )
    with warnings.catch_warnings(record=True):
        assert points(notebook(code), "rmsnorm-values") == 4.0
    assert capsys.readouterr().err == ""


def test_the_readers_random_state_and_threads_stay_as_they_were():
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    threads = torch.get_num_threads()
    points(notebook(solutions("rmsnorm")["rmsnorm-class"]), "rmsnorm-values")
    assert torch.equal(torch.rand(1), expected) and torch.get_num_threads() == threads


def test_an_unknown_group_is_our_mistake_and_is_told():
    with pytest.raises(ValueError, match="There are no checks called"):
        check("rmsnorm-nothing")


@pytest.mark.parametrize("raw", [torch.tensor(0.5), True, -1, 2.0000000001, float(0.1 + 0.2)])
def test_only_a_plain_clamped_float_leaves_the_checks(raw):
    mark = clamped(raw, 2.0)
    assert type(mark) is float and 0 <= mark <= 2
    assert json.loads(repr(mark)) == mark
