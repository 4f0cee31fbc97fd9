"""What wrong implementations compute, and the sentence for each.

A mistake is an executable model: a class that does what a student with this mistake would have written.
Each exercise has a module here with its family of models, `variant(**options)`, where no options give the
right implementation, and with its list `MISTAKES`. Adding a mistake is adding an option and a sentence.
"""

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Mistake:
    """A wrong implementation with a sentence.

    slug: its name in reports, e.g. "eps-outside-root".
    title: what the code does, in a few words, as in "this is LayerNorm: it subtracts the mean".
    hint: a question that leads to it.
    explanation: two or three sentences on what follows from it.
    formula: what was computed instead.
    section: the heading in the notebook that explains it.
    group: the group of checks that is meant to catch it.
    options: how the family of models makes it.
    family: mistakes of one family are alternatives and never occur together.
    """

    slug: str
    title: str
    hint: str
    explanation: str
    formula: str
    section: str
    group: str
    options: dict[str, Any] = field(hash=False)
    family: str = ""

    def as_json(self) -> dict[str, str]:
        return {"slug": self.slug, "title": self.title, "hint": self.hint}


@dataclass(frozen=True)
class Candidate:
    """One or two mistakes, and the names that a submission with them would define."""

    mistakes: tuple[Mistake, ...]
    make: Callable[[], dict[str, Any]] = field(hash=False)


def candidates(exercise: str) -> Iterator[Candidate]:
    """All single mistakes of an exercise, then all pairs whose options do not exclude each other."""
    if importlib.util.find_spec(f"autograder.mistakes.{exercise}") is None:
        return
    module = importlib.import_module(f"autograder.mistakes.{exercise}")
    for mistake in module.MISTAKES:
        yield candidate_of(exercise, (mistake,))
    for one, two in _pairs(module.MISTAKES):
        shared = set(one.options) & set(two.options)
        if not shared and not (one.family and one.family == two.family):
            yield candidate_of(exercise, (one, two))


def candidate_of(exercise: str, mistakes: tuple[Mistake, ...]) -> Candidate:
    """The model that makes all of these mistakes."""
    module = importlib.import_module(f"autograder.mistakes.{exercise}")
    options = {name: value for mistake in mistakes for name, value in mistake.options.items()}
    return Candidate(mistakes, lambda: module.variant(**options))


def _pairs(mistakes: list[Mistake]) -> Iterator[tuple[Mistake, Mistake]]:
    """All pairs, those of mistakes that stand early in the list first."""
    for both in range(1, 2 * len(mistakes) - 2):
        for first in range(max(0, both - len(mistakes) + 1), (both + 1) // 2):
            yield mistakes[first], mistakes[both - first]
