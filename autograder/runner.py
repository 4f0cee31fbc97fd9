"""Running checks: a result for each, whatever the submission does."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from autograder import bank
from autograder.causes import cause
from autograder.diagnosis import diagnose
from autograder.failure import Failure, Raised
from autograder.mistakes import Mistake
from autograder.submission import Submission


@dataclass(frozen=True)
class Result:
    """What became of a check. status: passed, failed, error or not_attempted."""

    check: bank.Check
    status: str
    message: str = ""
    mistakes: list[Mistake] = field(default_factory=list)

    @property
    def points(self) -> float:
        return self.check.points if self.status == "passed" else 0.0

    def as_json(self) -> dict[str, Any]:
        return {
            "exercise": self.check.exercise,
            "group": self.check.group,
            "name": self.check.name,
            "title": self.check.title,
            "points": self.points,
            "max_points": self.check.points,
            "status": self.status,
            "message": self.message,
            "mistakes": [mistake.as_json() for mistake in self.mistakes],
        }


def run(check: bank.Check, submission: Submission) -> Result:
    """Run one check on a submission."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the tensors are small: several threads would wait for each other
    try:
        return _run(check, submission)
    finally:
        torch.set_num_threads(threads)


def _run(check: bank.Check, submission: Submission) -> Result:
    try:
        submission.begin(f"{check.exercise}/{check.name}")
        check.run(submission)
    except Failure as failure:
        if failure.status == "not_attempted":
            return Result(check, failure.status, str(failure))
        usual = cause(failure.error) if isinstance(failure, Raised) else []
        mistakes = _named(check, submission, pairs=not usual) or usual
        return Result(check, failure.status, "\n".join([str(failure), *_likely(mistakes)]), mistakes)
    except Exception as error:  # an answer of a kind that no check foresees is a wrong answer, not our end
        return Result(
            check,
            "error",
            f"The answer could not be compared ({type(error).__name__}). Does it return an ordinary tensor?",
        )
    return Result(check, "passed")


def _named(check: bank.Check, submission: Submission, pairs: bool) -> list[Mistake]:
    try:
        return diagnose(check, submission, pairs)
    except Exception:  # answers made to confuse the search cost the name of the mistake, not the grading
        return []


def _likely(mistakes: list[Mistake]) -> Iterator[str]:
    """The lines that name the mistakes: two that occur together are of different kinds."""
    for number, mistake in enumerate(mistakes):
        together = number and not set(mistake.options) & set(mistakes[0].options)
        lead = "Likely" if not number else "and" if together else "or, with the same numbers"
        formula = f" ({mistake.formula})" if mistake.formula else ""
        section = f" See “{mistake.section}” in the notebook." if mistake.section else ""
        yield f"{lead}: {mistake.title}{formula}. {mistake.explanation}"
        yield f"  {mistake.hint}{section}"


def run_for_marks(check: bank.Check, public: Submission, hidden: Submission) -> Result:
    """Run one check on the inputs that everybody knows, then on those of the course's secret seed.

    What is wrong on the known inputs is shown as ever. What is wrong only on the secret ones is told by
    its kind: no number of theirs reaches the student.
    """
    known = run(check, public)
    if known.status != "passed":
        return known
    result = run(check, hidden)
    if result.status == "passed":
        return result
    sentence = (
        "Right on the numbers that you can see, and wrong on others of the same kind and the same shapes. "
        "Is an answer, a size or a state written down instead of computed?"
    )
    return Result(check, "failed", sentence)


def run_all(checks: Iterable[bank.Check], submission: Submission) -> list[Result]:
    return [run(check, submission) for check in checks]


def without_submission(checks: Iterable[bank.Check], problem: str) -> list[Result]:
    """Results for work that is missing or cannot be read."""
    return [Result(check, "error", problem) for check in checks]


def clamped(points: float, most: float) -> float:
    """A mark as a plain float between 0 and `most`, free of rounding dust.

    nbgrader takes a tensor, a NumPy number, nan or a negative number for full marks and stops at a mark
    above the maximum, so nothing but such a float may leave the checks.
    """
    return min(max(round(float(points), 6), 0.0), float(most))
