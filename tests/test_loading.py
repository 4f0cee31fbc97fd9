"""Loading: own cells count, trouble in one cell stays there, endless loops end with the cell's name."""

import pytest
from conftest import work_of
from sample_class import solutions

from autograder import bank
from autograder.child import host as child_host
from autograder.loading import MOST_STARTS, Work, open_confined
from autograder.notebook import Cell
from autograder.runner import run_all

HEAD = Cell("setup", "import torch\nfrom torch import nn, Tensor", "setup")
NORM = solutions("rmsnorm")["rmsnorm-class"]


def norm(*cells: str) -> Work:
    return Work(
        "rmsnorm",
        "rmsnorm.ipynb",
        [HEAD, *(Cell(f"cell {n}", text, "own") for n, text in enumerate(cells, 1))],
    )


def results(open_work, work, group="values"):
    return run_all(bank.checks("rmsnorm", group), open_work(work))


def test_a_helper_in_another_cell_is_a_right_answer(open_work):
    helper = "def size(x, eps):\n    return (x.square().mean(-1, keepdim=True) + eps).sqrt()"
    answer = (
        "class RMSNorm(nn.Module):\n    def __init__(self, width, eps=1e-5):\n        super().__init__()\n"
        "        self.eps, self.scale = eps, nn.Parameter(torch.ones(width))\n"
        "    def forward(self, x):\n        return x / size(x, self.eps) * self.scale"
    )
    assert {r.status for r in results(open_work, norm(answer, helper))} == {"passed"}


def test_an_error_in_an_own_cell_costs_nothing(open_work):
    assert {r.status for r in results(open_work, norm(NORM, "1 / 0", "import no_such_module"))} == {"passed"}


def test_warnings_and_noise_cost_nothing(open_work):
    noise = "import sys, warnings\nwarnings.warn('harmless')\nprint('hello', file=sys.stderr)\nprint('x' * 100_000)"
    assert {r.status for r in results(open_work, norm(noise, NORM))} == {"passed"}


def test_magics_and_shell_lines_are_left_out(open_work):
    magics = "%matplotlib inline\n!pip list\nRMSNorm?\nfiles = !ls\nx = (7\n     % 4)\nassert x == 3"
    assert {r.status for r in results(open_work, norm(magics, NORM))} == {"passed"}


def test_a_process_that_ends_again_and_again_is_not_started_for_ever(children):
    cells = [f"import os\nos._exit({number})" for number in range(100)]
    submission = open_confined(norm(*cells), children)
    children.stop()
    assert f"ended {MOST_STARTS} times" in submission.problems[0]["text"]


def test_an_endless_loop_in_a_cell_ends_and_is_named(open_work, monkeypatch, children):
    if open_work.__name__ == "<lambda>":
        pytest.skip("the limit of the other process is its own: test_an_endless_loop_apart")
    monkeypatch.setattr(child_host, "CELL_SECONDS", 0.5)
    submission = open_work(norm(NORM, "while True: pass"))
    assert [(p["cell"], p["type"]) for p in submission.problems] == [("cell 2", "TimeLimit")]
    assert {r.status for r in run_all(bank.checks("rmsnorm", "values"), submission)} == {"passed"}


def test_an_endless_loop_in_forward_ends_and_is_named(monkeypatch):
    from autograder.loading import open_here

    monkeypatch.setattr(child_host, "PROBE_SECONDS", 0.5)
    looping = NORM.split("### BEGIN SOLUTION")[0].split("def forward")[0]
    work = norm(NORM, "class RMSNorm(RMSNorm):\n    def forward(self, x):\n        while True: pass")
    first = results(open_here, work)[0]
    assert looping and first.status == "error"
    assert "TimeLimit" in first.message and "while True: pass" in first.message


@pytest.mark.parametrize(
    "deed", ["import os; os._exit(0)", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"]
)
def test_a_cell_that_ends_the_process_costs_only_itself(children, deed):
    from autograder.loading import open_confined

    submission = open_confined(norm(deed, NORM), children)
    assert [problem["type"] for problem in submission.problems] == ["ProcessEnded"]
    assert {r.status for r in run_all(bank.checks("rmsnorm", "values"), submission)} == {"passed"}
    children.stop()


@pytest.mark.parametrize("deed", ["raise SystemExit(0)", "exit()", "quit(1)", "raise KeyboardInterrupt"])
def test_a_cell_that_wants_to_leave_is_an_error_of_that_cell(open_work, deed):
    submission = open_work(norm(NORM, deed))
    assert len(submission.problems) == 1
    assert {r.status for r in run_all(bank.checks("rmsnorm", "values"), submission)} == {"passed"}


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            "class RMSNorm(nn.Module):\n    def __init__(self):\n        super().__init__()",
            ["RMSNorm(5)", "TypeError", "argument"],
        ),
        (
            "class RMSNorm:\n    def __init__(self, width, eps=1e-5):\n        pass",
            ["should be a subclass of nn.Module"],
        ),
        ("RMSNorm = 3", ["TypeError"]),
        ("class Norm(nn.Module): pass", ["There is no RMSNorm in rmsnorm.ipynb"]),
        ("class RMSNorm(nn.Module)\n    pass", ["SyntaxError", "cell 1", "class RMSNorm(nn.Module)"]),
    ],
)
def test_a_class_that_cannot_be_built_is_told_in_the_students_words(open_work, code, words):
    first = results(open_work, norm(code), "interface")[0]
    assert first.status == "error"
    for word in words:
        assert word in first.message


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ("return x @ torch.eye(3)", "error", ["RuntimeError", "x @ torch.eye(3)", "line 4"]),
        ("return None", "failed", ["a NoneType", "one tensor"]),
        ("return x, x", "failed", ["a tuple of 2", "one tensor"]),
        ("return x.int()", "failed", ["floating-point"]),
        ("return x * float('nan')", "failed", ["nan"]),
        ("return x[..., :1]", "failed", ["shape [1]", "shape [2]"]),
        ("return self.missing", "error", ["AttributeError", "missing"]),
    ],
)
def test_a_wrong_return_value_is_told_with_the_call(open_work, body, status, words):
    code = (
        "class RMSNorm(nn.Module):\n    def __init__(self, width, eps=1e-5):\n"
        "        super().__init__(); self.scale = nn.Parameter(torch.ones(width))\n"
        f"    def forward(self, x): {body}"
    )
    first = results(open_work, norm(code))[0]
    assert first.status == status
    assert "RMSNorm(2)([3, 4])" in first.message
    for word in words:
        assert word in first.message


def test_a_message_never_shows_lines_of_the_course(open_work):
    for result in results(
        open_work, norm("class RMSNorm(nn.Module):\n    def __init__(self, width, eps=1e-5): 1 / 0")
    ):
        assert "autograder" not in result.message and "host.py" not in result.message


def test_the_students_own_helpers_folder_is_not_used(tmp_path):
    """A changed tiny_lm beside the notebook does not decide about marks."""
    import json

    from conftest import read
    from sample_class import ASSIGNMENT, ROOT, filled

    from autograder.loading import find_work, open_here

    (tmp_path / "tiny_lm").mkdir()
    (tmp_path / "tiny_lm" / "__init__.py").write_text("raise RuntimeError('the changed helpers')")
    release = ROOT / "release" / ASSIGNMENT / "causal_self_attention.ipynb"
    notebook = filled(release, solutions("causal_self_attention"))
    (tmp_path / release.name).write_text(json.dumps(notebook))
    (work,) = find_work(tmp_path / release.name)
    assert {r.status for r in run_all(bank.checks(work.exercise), open_here(work))} == {"passed"}
    assert read(release)


def test_the_marks_of_a_whole_notebook_survive_a_broken_neighbour(open_work):
    work = work_of("rmsnorm")
    broken = Work(work.exercise, work.where, [*work.cells, Cell("cell 99", "def f(:", "own")])
    assert {r.status for r in run_all(bank.checks("rmsnorm"), open_work(broken))} == {"passed"}
