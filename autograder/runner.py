"""Running checks: a result for each, whatever the submission does."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch

from autograder import bank
from autograder.causes import cause
from autograder.diagnosis import diagnose, passes
from autograder.failure import Failure, Places, Raised, in_lines
from autograder.mistakes import Mistake
from autograder.submission import Submission

MOST_NAMED = 4  # mistakes that one verdict names, where they cannot be told apart
Explanation = tuple[Mistake, ...]  # one mistake, or two that occur together


@dataclass(frozen=True)
class Result:
    """What became of a check.

    status: passed, failed, error or not_attempted.
    sentence: what a failure means.
    explanations: each explains the failure by itself.
    rows: what was called, what came, what was expected and where, each with its name.
    places: the numbers that are wrong.
    """

    check: bank.Check
    status: str
    sentence: str = ""
    explanations: tuple[Explanation, ...] = ()
    rows: tuple[tuple[str, str], ...] = ()
    places: Places | None = None

    @property
    def points(self) -> float:
        return self.check.points if self.status == "passed" else 0.0

    @property
    def told(self) -> str:
        return in_lines(self.rows, self.sentence)

    @property
    def mistakes(self) -> list[Mistake]:
        """The mistakes that are named: those of the explanations, each once."""
        named = [mistake for explanation in self.explanations for mistake in explanation]
        return list({mistake.slug: mistake for mistake in named}.values())[:MOST_NAMED]

    @property
    def message(self) -> str:
        return "\n".join([self.told, *_likely(self.explanations, self.mistakes)])

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
            return Result(check, failure.status, failure.sentence, rows=failure.rows)
        usual = cause(failure.error) if isinstance(failure, Raised) else []
        explanations = _explained(check, submission, pairs=not usual) or [(mistake,) for mistake in usual]
        return Result(
            check, failure.status, failure.sentence, tuple(explanations), failure.rows, failure.places
        )
    except Exception as error:  # an answer of a kind that no check foresees is a wrong answer, not our end
        return Result(
            check,
            "error",
            f"The answer could not be compared ({type(error).__name__}). Does it return an ordinary tensor?",
        )
    return Result(check, "passed")


def _explained(check: bank.Check, submission: Submission, pairs: bool) -> list[Explanation]:
    try:
        return diagnose(check, submission, pairs)
    except Exception:  # answers made to confuse the search cost the name of the mistake, not the grading
        return []


def _likely(explanations: tuple[Explanation, ...], named: list[Mistake]) -> Iterator[str]:
    """The lines that name the mistakes: alternatives, or two of one explanation that occur together."""
    second = {mistake for explanation in explanations for mistake in explanation[1:]}
    for number, mistake in enumerate(named):
        lead = "Likely" if not number else "and" if mistake in second else "or, with the same numbers"
        formula = f" ({mistake.formula})" if mistake.formula else ""
        section = f" See “{mistake.section}” in the notebook." if mistake.section else ""
        yield f"{lead}: {mistake.title}{formula}. {mistake.explanation}"
        yield f"  {mistake.hint}{section}"


def run_all(checks: list[bank.Check], submission: Submission) -> list[Result]:
    """Run checks of one exercise on a submission.

    Where a failure has several explanations, the other checks of the exercise are asked too: of mistakes
    that look alike to one check, those stay that explain the most failures and would pass what passed.
    """
    results = [run(check, submission) for check in checks]
    unclear = {e for result in results if len(result.explanations) > 1 for e in result.explanations}
    if not unclear:
        return results
    others = [check for check in bank.checks(checks[0].exercise) if check not in checks]
    evidence = [*results, *(run(check, submission) for check in others)]
    explained = Counter(explanation for result in evidence for explanation in result.explanations)
    passed = [r.check for r in evidence if r.status == "passed" and r.check.about == checks[0].about]
    explained += Counter(e for e in unclear if passes(e, passed, submission.seed))
    return [_clearer(result, explained) for result in results]


def _clearer(result: Result, explained: Counter[Explanation]) -> Result:
    most = max((explained[explanation] for explanation in result.explanations), default=0)
    best = (explanation for explanation in result.explanations if explained[explanation] == most)
    return replace(result, explanations=tuple(best))


def run_for_marks(checks: list[bank.Check], public: Submission, hidden: Submission) -> list[Result]:
    """Run checks on the inputs that everybody knows, then on those of the course's secret seed.

    What is wrong on the known inputs is shown as ever. What is wrong only on the secret ones is told by
    its kind: no number of theirs reaches the student.
    """
    return [
        _hidden(result, run(result.check, hidden)) if result.status == "passed" else result
        for result in run_all(checks, public)
    ]


def _hidden(known: Result, result: Result) -> Result:
    if result.status == "passed":
        return known
    sentence = (
        "Right on the numbers that you can see, and wrong on others of the same kind and the same shapes. "
        "Is an answer, a size or a state written down instead of computed?"
    )
    return Result(known.check, "failed", sentence)


def without_submission(checks: Iterable[bank.Check], problem: str) -> list[Result]:
    """Results for work that is missing or cannot be read."""
    return [Result(check, "error", problem) for check in checks]


def clamped(points: float, most: float) -> float:
    """A mark as a plain float between 0 and `most`, free of rounding dust.

    nbgrader takes a tensor, a NumPy number, nan or a negative number for full marks and stops at a mark
    above the maximum, so nothing but such a float may leave the checks.
    """
    return min(max(round(float(points), 6), 0.0), float(most))
