"""What comes out of a submission's process has the kinds that everybody behind it counts on."""

import pytest

from autograder import bank
from autograder.confined import Children
from autograder.loading import Work, open_confined
from autograder.notebook import Cell
from autograder.runner import run_all


class Forger:
    """Stands where a submission's process would, and answers everything with one forged error."""

    def __init__(self, error: object) -> None:
        self.error = error

    def start(self, given: str) -> None:
        pass

    def ask(self, op: str, arguments: dict) -> dict:
        return {"error": self.error}


@pytest.mark.parametrize(
    "error",
    [
        "text",
        None,
        [1, 2],
        {},
        {"type": [], "text": {}, "cell": ["a"], "line": "7", "source": 3, "stub": "yes"},
        {"type": "E", "text": "t", "line": True, "cell": {}, 7: 8},
    ],
    ids=str,
)
def test_a_forged_error_is_a_lost_point_and_no_crash(error):
    children = Children(walled=False)
    children._behind = Forger(error)
    cells = [Cell("cell 1", "x = 1", "own")]
    submission = open_confined(Work("rmsnorm", "rmsnorm.ipynb", cells), children)
    results = run_all(bank.checks("rmsnorm"), submission)
    assert {result.points for result in results} == {0.0}
    assert all(result.message for result in results)
    assert all(isinstance(problem["cell"], str) for problem in submission.problems)


def test_an_honest_error_arrives_whole():
    told = {
        "type": "ValueError",
        "text": "wrong",
        "stub": False,
        "cell": "cell 1",
        "line": 2,
        "source": "raise",
    }
    children = Children(walled=False)
    children._behind = Forger(told)
    assert children.ask("run_cell", {}) == {"error": told}
