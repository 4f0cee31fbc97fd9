"""What a check says when an answer is wrong: the same for the notebook, the terminal and the marks."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch
from torch import Tensor


@dataclass(frozen=True)
class Places:
    """Which numbers of an answer are wrong: their places in the flattened tensor of this shape."""

    shape: tuple[int, ...]
    wrong: tuple[int, ...]


def places(wrong: Tensor) -> Places:
    """The places at which a bool tensor holds True."""
    return Places(tuple(wrong.shape), tuple(wrong.flatten().nonzero().flatten().tolist()))


@dataclass
class Failure(Exception):
    """A wrong answer.

    called: what was called, as the student would write it.
    came, expected: what came back and what should have, as text; empty where the sentence says it all.
    sentence: what this means.
    where: the first place that differs.
    places: all places that differ, where tensors were compared.
    """

    sentence: str
    called: str = ""
    came: str = ""
    expected: str = ""
    where: str = ""
    places: Places | None = None
    status: ClassVar[str] = "failed"

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """What was called, what came, what was expected and where they differ, each with its name."""
        named = {name: getattr(self, name) for name in ("called", "came", "expected", "where")}
        return tuple((name, text) for name, text in named.items() if text)

    def __str__(self) -> str:
        return in_lines(self.rows, self.sentence)


@dataclass
class Raised(Failure):
    """The submission raised an exception, or could not be loaded. `error` describes it as the host does."""

    error: dict[str, Any] = field(default_factory=dict)
    status: ClassVar[str] = "error"

    __str__ = Failure.__str__


class NotAttempted(Failure):
    """The place still holds the line that asks to be replaced."""

    status = "not_attempted"


def in_lines(rows: Iterable[tuple[str, str]], sentence: str) -> str:
    """A failure as plain text."""
    lines = [f"{name:<8}  {indented(text)}" for name, text in rows]
    return "\n".join([*lines, sentence] if sentence else lines)


def indented(text: str) -> str:
    return text.replace("\n", "\n" + " " * 10)


def show(tensor: Tensor) -> str:
    """A small tensor as its numbers, a larger one as its shape."""
    if tensor.numel() <= 16 and tensor.dim() <= 2:
        return show_numbers(tensor.tolist())
    return f"a tensor of shape {list(tensor.shape)}"


def show_numbers(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(show_numbers(item) for item in value) + "]"
    return f"{value:.7g}" if isinstance(value, float) else str(value)


def place(index: tuple[int, ...]) -> str:
    return "[" + ", ".join(str(i) for i in index) + "]"


def first_difference(came: Tensor, expected: Tensor, wrong: Tensor) -> str:
    """The first wrong place with both numbers, and how much of the tensor is wrong."""
    index = tuple(int(i) for i in torch.nonzero(wrong)[0])
    numbers = f"{came[index].item():.6g} instead of {expected[index].item():.6g}"
    if not index:
        return numbers
    return f"first at {place(index)}: {numbers}; {int(wrong.sum())} of {wrong.numel()} numbers differ"
