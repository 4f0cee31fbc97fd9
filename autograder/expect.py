"""Comparisons of an answer with what the oracle says."""

import math

import torch
from torch import Tensor

from autograder.failure import Failure, first_difference, places, show, show_numbers
from autograder.submission import Submission

# How far a right answer may be off, relative to the largest number expected: see the measurements that
# the design rests on. Other orders of summation move float32 by up to 4e-5 of it, no wrong answer by less
# than 3e-3. Answers in float64 may have been computed in float32 inside.
TOLERANCE = {torch.float64: 1e-4, torch.float32: 1e-4, torch.bfloat16: 4e-2, torch.float16: 4e-3}


def agree(came: Tensor, expected: Tensor, called: str, sentence: str, what: str = "") -> None:
    """Fail unless `came` has the shape and, within the tolerance, the numbers of `expected`.

    The tolerance is the one of `came`'s dtype; a number that is not finite never agrees with a finite one.
    """
    if came.shape != expected.shape:
        raise Failure(
            sentence,
            called,
            f"{what}shape {list(came.shape)}",
            f"{what}shape {list(expected.shape)}",
        )
    if came.dtype not in TOLERANCE:
        raise Failure("The numbers should be floating-point numbers.", called, f"dtype {came.dtype}")
    wrong = differing(came, expected)
    if wrong.any():
        raise Failure(
            sentence,
            called,
            what + show(came),
            what + show(expected),
            first_difference(came, expected, wrong),
            places(wrong),
        )


def differing(came: Tensor, expected: Tensor) -> Tensor:
    """Where two tensors of one shape differ by more than the tolerance: a bool tensor of that shape."""
    came64, expected64 = came.to(torch.float64), expected.to(torch.float64)
    tolerance = TOLERANCE[came.dtype]
    largest = expected64.abs().max() if expected64.numel() else torch.tensor(0.0)
    near = (came64 - expected64).abs() <= tolerance * (expected64.abs() + largest) + 1e-9
    return ~near


def finite(came: Tensor, called: str, sentence: str, what: str = "") -> None:
    """Fail when a number is nan or infinite."""
    wrong = ~torch.isfinite(came)
    if wrong.any():
        where = f"{int(wrong.sum())} of {wrong.numel()} numbers are nan or infinite"
        raise Failure(sentence, called, what + show(came), what + "finite numbers", where, places(wrong))


def answered(submission: Submission, name: str, expected: float | list[float], question: str) -> None:
    """Fail with the question unless the answer variable holds the number or numbers, to 0.002."""
    came = submission.value(name)
    values = came.tolist() if isinstance(came, Tensor) else came
    values, wanted = (value if isinstance(value, list) else [value] for value in (values, expected))
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    if not numbers or len(values) != len(wanted):
        kind = f"a list of {len(wanted)} numbers" if isinstance(expected, list) else "a number"
        raise Failure(question, name, repr(came)[:200], kind)
    if not all(math.isclose(value, want, abs_tol=2e-3) for value, want in zip(values, wanted, strict=True)):
        raise Failure(question, name, show_numbers(came if isinstance(came, list) else values[0]))


def decided(submission: Submission, name: str, expected: bool, question: str) -> None:
    """Fail with the question unless the answer variable is the expected one of True and False."""
    came = submission.value(name)
    if not isinstance(came, bool):
        raise Failure("Answer with True or False.", name, repr(came)[:200], "True or False")
    if came is not expected:
        raise Failure(question, name, str(came))
