"""Exceptions that beginners really get from torch come with their cause and a question."""

import pytest

from autograder import bank
from autograder.causes import cause
from autograder.child.host import Host
from autograder.loading import Work, open_here
from autograder.notebook import Cell
from autograder.runner import run_all

HEAD = "import torch\nfrom torch import nn\n"
RAISED = [
    ("view-of-non-contiguous", "torch.zeros(2, 3, 4).transpose(1, 2).view(2, 12)"),
    ("shapes-do-not-broadcast", "torch.zeros(2, 3, 4) / torch.zeros(2, 3)"),
    ("widths-do-not-fit", "torch.zeros(2, 3) @ torch.zeros(2, 3)"),
    ("widths-do-not-fit", "torch.zeros(2, 3, 4) @ torch.zeros(2, 3, 4)"),
    ("sizes-written-down", "torch.zeros(2, 3).view(2, 5)"),
    ("sizes-written-down", "torch.zeros(2, 3).reshape(4, -1)"),
    ("axis-that-is-not-there", "torch.zeros(3).mean(dim=1)"),
    ("input-changed-in-place", "torch.zeros(3, requires_grad=True).add_(1)"),
    (
        "input-changed-in-place",
        "x = torch.ones(3, requires_grad=True); y = x.exp(); y *= 2; y.sum().backward()",
    ),
    ("dtype-written-down", "torch.zeros(2, 2).double() @ torch.zeros(2, 2)"),
    ("dtype-written-down", "nn.Linear(2, 2)(torch.zeros(2).double())"),
    ("device-written-down", "torch.zeros(2).cuda()"),
    ("super-init-missing", "class A(nn.Module):\n    def __init__(self): self.a = nn.Linear(1, 1)\nA()"),
    ("forward-missing", "class A(nn.Module): pass\nA()(1)"),
    ("two-values-taken-for-one", "(torch.zeros(1), 1).shape"),
    ("two-values-taken-for-one", "nn.Linear(1, 1)((torch.zeros(1), 1))"),
    ("number-of-axes-assumed", "a, b, c = torch.zeros(2, 3).shape"),
    ("attribute-never-set", "nn.Linear(1, 1).scale"),
    ("name-from-elsewhere", "nothing_here + 1"),
    ("signature-differs", "class A(nn.Module):\n    def __init__(self): super().__init__()\nA(3)"),
    ("many-numbers-taken-for-one", "if torch.zeros(2) > 0: pass"),
    ("many-numbers-taken-for-one", "float(torch.zeros(2))"),
    ("gradient-taken-to-numpy", "torch.zeros(2, requires_grad=True).numpy()"),
    ("calls-itself", "def f(): return f()\nf()"),
    ("package-not-there", "import no_such_package"),
    ("syntax", "def f(:"),
    ("syntax", "if True:\nx = 1"),
    ("ends-the-process", "raise SystemExit"),
]


@pytest.mark.parametrize(("slug", "code"), RAISED)
def test_an_exception_is_traced_to_its_cause(slug, code):
    host = Host(namespace={})
    answer = host.answer("run_cell", {"label": "cell 1", "source": HEAD + code})
    (mistake,) = cause(answer["error"])
    assert mistake.slug == slug, answer["error"]
    assert mistake.hint.endswith("?") and "{" not in mistake.hint + mistake.explanation


def test_an_exception_that_nobody_foresaw_gets_no_cause():
    assert cause({"type": "KeyError", "text": "'x'"}) == []


def test_the_cause_stands_in_the_verdict_with_the_students_line():
    cells = [
        Cell("setup", HEAD, "setup"),
        Cell(
            "answer",
            "class RMSNorm(nn.Module):\n    def __init__(self, width, eps=1e-5):\n        super().__init__()\n"
            "        self.scale = nn.Parameter(torch.ones(width))\n    def forward(self, x):\n"
            "        return x.transpose(0, -1).contiguous().T.view(3, 7, 9, 1)",
            "solution",
        ),
    ]
    result = run_all(bank.checks("rmsnorm", "values"), open_here(Work("rmsnorm", "rmsnorm.ipynb", cells)))[0]
    assert [mistake.slug for mistake in result.mistakes] == ["sizes-written-down"]
    assert "in answer, line 6: return x.transpose(0, -1)" in result.message
    assert "instead of being read from x.shape?" in result.message
