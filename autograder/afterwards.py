"""What stands below the last check of a notebook: what is earned, what is next, and a look back.

Once everything passes, the exercise's `AFTERWORD` tells in words how it is usually written and what else is
possible.
"""

from html import escape
from pathlib import Path

from autograder import bank, progress
from autograder.page import framed
from autograder.runner import Result


def is_last(exercise: str, group: str) -> bool:
    """Whether the notebook ends with this group."""
    return bank.checks(exercise)[-1].group == group


def text(results: list[Result], folder: Path) -> str:
    """Of all checks of an exercise, for a notebook in this folder."""
    groups = ", ".join(f"{name} {earned:g}/{most:g}" for name, earned, most in _groups(results))
    return "\n".join(
        [_headline(results), groups, *(f"{t} {s}" for t, s in _look_back(results)), _next(results, folder)]
    )


def page(results: list[Result], folder: Path) -> str:
    """The same as HTML."""
    rows = "".join(
        f'<div class="check{"" if earned == most else " open"}"><div class="head">'
        f'<span class="mark">{"✓" if earned == most else "✗"}</span><span class="title">{escape(name)}</span>'
        f'<span class="points">{earned:g}/{most:g}</span></div></div>'
        for name, earned, most in _groups(results)
    )
    back = "".join(f"<p><b>{title}</b> {escape(told)}</p>" for title, told in _look_back(results))
    likely = f'<div class="likely">{back}</div>' if back else ""
    return framed(
        f'<div class="sum">{escape(_headline(results))}</div>{rows}{likely}'
        f"<p><b>{escape(_next(results, folder))}</b></p>"
    )


def _headline(results: list[Result]) -> str:
    earned, most = _sum(results)
    exercise = results[0].check.exercise
    return (
        f"{exercise}: all {most:g} points" if earned == most else f"{exercise}: {earned:g} of {most:g} points"
    )


def _sum(results: list[Result]) -> tuple[float, float]:
    return sum(result.points for result in results), sum(result.check.points for result in results)


def _groups(results: list[Result]) -> list[tuple[str, float, float]]:
    """The groups in their order, with what is earned and what there is."""
    names = dict.fromkeys(result.check.group for result in results)
    return [(name, *_sum([result for result in results if result.check.group == name])) for name in names]


def _look_back(results: list[Result]) -> list[tuple[str, str]]:
    """How it is usually written and what else is possible; only for who has written it."""
    if any(result.status != "passed" for result in results):
        return []
    words = getattr(bank.module_of(results[0].check.exercise), "AFTERWORD", ())
    return list(zip(("Usually:", "What else is possible:"), words, strict=False))


def _next(results: list[Result], folder: Path) -> str:
    """The first check that is open here, else the next exercise that is not complete."""
    for result in results:
        if result.status != "passed":
            return f"Next: {result.check.group}, “{result.check.title}”."
    order, own = bank.exercises(), results[0].check.exercise
    known = {}
    for standing in progress.recall_beside([folder]):
        known.setdefault(standing.exercise, standing)
    for exercise in [*order[order.index(own) + 1 :], *order[: order.index(own)]]:
        standing = known.get(exercise)
        if standing is None:
            return f"Next: {exercise}.ipynb."
        if standing.earned < standing.most:
            return f"Next: {exercise}.ipynb, {standing.earned:g} of {standing.most:g} points so far."
    return "Every exercise of the course passes. What is graded by hand is your teacher's."
