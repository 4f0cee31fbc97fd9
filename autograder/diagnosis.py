"""Which mistake explains the answers of a submission.

When a check fails, the same check is run on the models of `mistakes`, question by question, for as long as
a model gives the submission's own answers. A model that gives all of them, the wrong one included, names
the mistake. Models that cannot be told apart by these answers are named together.
"""

import importlib
import math
import sys
from operator import itemgetter
from typing import Any

import torch
from torch import Tensor

from autograder import bank
from autograder.child.host import Host, describe
from autograder.failure import Failure
from autograder.mistakes import Candidate, Mistake, candidate_of, candidates
from autograder.submission import Submission

# Pairs of mistakes tried on one submission in all; a count, so that a busy machine gives the same names.
MOST_PAIRS = 800


class Departed(BaseException):
    """The model's answer is not the submission's."""


def diagnose(check: bank.Check, submission: Submission, pairs: bool = True) -> list[tuple[Mistake, ...]]:
    """What explains that this check has just failed on this submission.

    Single mistakes, each of which explains it; one pair, when only a pair does; or nothing.
    pairs: whether to look for pairs; spared where an exception already tells its cause.
    """
    transcript = list(submission.transcript)
    if not transcript:
        return []
    # What explained an earlier check usually explains this one, and which of several can only get clearer.
    found = [
        known for known in submission.explanations if _explains(known, check, submission.seed, transcript)
    ]
    if not found:
        found = _search(check, submission, transcript, pairs)
        submission.explanations += found
    return [candidate.mistakes for candidate in found]


def _search(check: bank.Check, submission: Submission, transcript: list, pairs: bool) -> list[Candidate]:
    """All single mistakes that explain the transcript, or the first pair that does."""
    found = []
    for candidate in candidates(check.exercise):
        if len(candidate.mistakes) == 2:
            if found or not pairs or submission.pairs_tried >= MOST_PAIRS:
                break
            submission.pairs_tried += 1
        if _explains(candidate, check, submission.seed, transcript):
            found.append(candidate)
    return found


class ModelHost(Host):
    """A host for code of our own: without the limits and the silence around a student's code."""

    def answer(self, op: str, arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            return getattr(self, f"op_{op}")(**arguments)
        except Exception as error:
            return {"error": describe(error, 0.0)}


def _explains(candidate: Candidate, check: bank.Check, seed: str, transcript: list) -> bool:
    host = ModelHost(namespace=candidate.make())
    told = iter(transcript)

    def ask(op: str, arguments: dict[str, Any]) -> dict[str, Any]:
        answer = host.answer(op, arguments)
        if op in ("begin", "defined"):
            return answer
        before = next(told, None)
        if before is None or before[0] != op or not alike(before[2], answer):
            raise Departed
        return answer

    model = Submission(ask, "", seed=seed)
    _given_helpers(check.exercise)
    try:
        model.begin(f"{check.exercise}/{check.name}")
        check.run(model)
    except Departed:
        return False
    except Failure:
        return next(told, None) is None
    return False


def passes(mistakes: tuple[Mistake, ...], checks: list[bank.Check], seed: str) -> bool:
    """Whether a submission with these mistakes would pass all of the checks."""
    for check in checks:
        _given_helpers(check.exercise)
        model = Submission(
            ModelHost(namespace=candidate_of(check.exercise, mistakes).make()).answer, "", seed=seed
        )
        model.begin(f"{check.exercise}/{check.name}")
        try:
            check.run(model)
        except Exception:
            return False
    return True


def _given_helpers(exercise: str) -> None:
    """The models may use the given helpers; make them importable once."""
    if "tiny_lm" not in sys.modules:
        folder = str(bank.given_folder(bank.module_of(exercise).ASSIGNMENT))
        sys.path.append(folder)
        importlib.import_module("tiny_lm")


def alike(came: Any, model: Any) -> bool:
    """Whether two answers are the same, for all that a message would tell."""
    if isinstance(model, Tensor) or isinstance(came, Tensor):
        return isinstance(came, Tensor) and isinstance(model, Tensor) and _same_numbers(came, model)
    if isinstance(model, dict):
        if not isinstance(came, dict):
            return False
        if "error" in model or "error" in came:
            one, other = model.get("error", {}), came.get("error", {})
            return (one.get("type"), one.get("text")) == (other.get("type"), other.get("text"))
        if "parameters" in model:
            return _same_parameters(came.get("parameters"), model["parameters"])
        if "received" in model:
            return alike(_distinct(came.get("received", [])), _distinct(model["received"]))
        if "children" in model or "calls" in model:
            return _in_any_order(came) == _in_any_order(model)
        return set(model) == set(came) and all(alike(came[key], model[key]) for key in model)
    if isinstance(model, list):
        return isinstance(came, list) and len(came) == len(model) and all(map(alike, came, model))
    if isinstance(model, float) and isinstance(came, float):
        return math.isclose(came, model, rel_tol=1e-4)
    return came == model


def _same_numbers(came: Tensor, model: Tensor) -> bool:
    if came.shape != model.shape:
        return False
    came, model = came.double(), model.double()
    finite = torch.isfinite(model)
    if not torch.equal(finite, torch.isfinite(came)):
        return False
    if not finite.any():
        return True
    gap = (came[finite] - model[finite]).abs()
    return bool((gap <= 5e-4 * model[finite].abs().max() + 1e-9).all())


def _distinct(tensors: list[Tensor]) -> list[Tensor]:
    """What a part received, but for repetitions: it does not matter who computes a thing twice."""
    return [z for i, z in enumerate(tensors) if not any(_same_numbers(z, other) for other in tensors[:i])]


def _in_any_order(answer: dict[str, Any]) -> list[str]:
    """The names of the children, or the constructions, whatever was built first."""
    names = [row["name"] for row in answer.get("children", [])]
    calls = [repr((row["part"], sorted(row["arguments"].items()))) for row in answer.get("calls", [])]
    return sorted(names + calls)


def _same_parameters(came: Any, model: list[dict[str, Any]]) -> bool:
    """Names, shapes and sharing; the values only where the model starts from one constant."""

    def facts(rows: list[dict[str, Any]]) -> list[tuple]:
        first: dict[int, str] = {}  # the name that stands for a shared object
        for row in sorted(rows, key=itemgetter("name")):
            first.setdefault(row["same"], row["name"])
        return sorted(
            (row["name"], tuple(row["tensor"].shape), first[row["same"]], row["trained"]) for row in rows
        )

    if not isinstance(came, list) or facts(came) != facts(model):
        return False
    by_name = {row["name"]: row["tensor"] for row in came}
    return all(_constant(row["tensor"]) == _constant(by_name[row["name"]]) for row in model)


def _constant(values: Tensor) -> float | None:
    """The number that a whole tensor holds, or None; matrices always start from random numbers."""
    if values.dim() > 1:
        return None
    flat = values.double().flatten()
    return flat[0].item() if flat.numel() and bool((flat == flat[0]).all()) else None
