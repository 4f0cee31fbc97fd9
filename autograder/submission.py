"""What a check may ask of a submission. A check cannot tell where the submission runs."""

import hashlib
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from autograder.child.host import Answering
from autograder.failure import Failure, NotAttempted, Raised, show

PUBLIC_SEED = "public"


def _number(text: str, size: int) -> int:
    """A whole number of `size` bytes that belongs to a text, and from which the text cannot be had."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:size])


@dataclass(frozen=True)
class Given:
    """An object that the submission's side makes with one of the given helpers, e.g. a ModelConfig."""

    name: str
    kwargs: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{key}={value}' for key, value in self.kwargs.items())})"


class Submission:
    """A student's work, seen through questions and plain values.

    ask: answers a question about the submission (see `child.host`).
    where: the file or notebook, for messages.
    problems: the exceptions of the cells that failed while loading, as described by the host.
    seed: the text from which `draw` derives its numbers.
    """

    def __init__(
        self,
        ask: Answering,
        where: str,
        problems: list[dict[str, Any]] | None = None,
        seed: str = PUBLIC_SEED,
    ) -> None:
        self._ask, self.where, self.problems, self.seed = ask, where, problems or [], seed
        self._generator = torch.Generator()
        self.transcript: list[tuple[str, dict[str, Any], dict[str, Any]]] = []
        self.explanations: list[Any] = []  # what `diagnosis` has found so far
        self.pairs_tried = 0

    def begin(self, check: str) -> None:
        """Start a check: forget what the one before has built, and draw the numbers that belong to it."""
        self._generator.manual_seed(_number(f"{self.seed}/{check}", 7))
        self.transcript.clear()
        self._ask("begin", {"seed": _number(f"{self.seed}/{check}/theirs", 4)})  # tells nothing of ours

    def with_seed(self, seed: str) -> "Submission":
        """The same submission, asked with other numbers."""
        return Submission(self._ask, self.where, self.problems, seed)

    def draw(self, *shape: int, size: float = 1.0, mean: float = 0.0) -> Tensor:
        """Normal numbers of the given standard deviation and mean, float32; the same for every submission."""
        return torch.randn(shape, generator=self._generator) * size + mean

    def ask(self, called: str, op: str, **arguments: Any) -> dict[str, Any]:
        """The answer to a question; a failure that names `called` when the student's code raised."""
        answer = self._ask(op, arguments)
        self.transcript.append((op, arguments, answer))
        if "error" in answer:
            raise raised(called, answer["error"])
        return answer

    def build(self, name: str, *args: Any, parts: bool = False, **kwargs: Any) -> "Module":
        """Build a module of the submission. With `parts`, a block is built from the given stand-ins."""
        called = f"{name}({_arguments(args, kwargs)})"
        self.require(name)
        answer = self.ask(
            called,
            "build",
            name=name,
            args=[_sent(arg) for arg in args],
            kwargs={key: _sent(arg) for key, arg in kwargs.items()},
            parts=parts,
        )
        return Module(self, answer["module"], called)

    def value(self, name: str) -> Any:
        """The value of an answer variable: a bool, number, text, tensor, or list or dict of these."""
        self.require(name)
        return self.ask(name, "value", name=name)["value"]

    def defines(self, name: str) -> bool:
        return bool(self._ask("defined", {"name": name}).get("defined"))

    def require(self, name: str) -> None:
        """Fail with a sentence unless the submission defines the name."""
        if self.defines(name):
            return
        stubs = [problem for problem in self.problems if problem.get("stub")]
        errors = [problem for problem in self.problems if not problem.get("stub")]
        if errors:  # the likely reason
            raise Raised(
                f"{name} is not there, because this cell of {self.where} stopped with an error.",
                errors[0].get("cell", ""),
                error_text(errors[0]),
                error=errors[0],
            )
        if stubs:
            raise NotAttempted(f"{name} is still to be written.", where=stubs[0].get("cell", ""))
        raise Raised(f"There is no {name} in {self.where}. Is the name spelled like this, and the cell run?")


class Module:
    """A module of the submission."""

    def __init__(self, submission: Submission, number: int, called: str) -> None:
        self._submission, self._number, self.called = submission, number, called

    def _ask(self, called: str, op: str, **arguments: Any) -> dict[str, Any]:
        return self._submission.ask(called, op, module=self._number, **arguments)

    def parameters(self) -> list[dict[str, Any]]:
        """Rows of name, tensor, same (equal for one shared object) and trained (requires a gradient)."""
        return self._ask(f"{self.called}.named_parameters()", "parameters")["parameters"]

    def children(self) -> list[dict[str, Any]]:
        """Rows of name, type and same of the direct children."""
        return self._ask(f"{self.called}.named_children()", "children")["children"]

    def constructions(self) -> list[dict[str, Any]]:
        """Rows of part and arguments: how the stand-ins were built."""
        return self._ask(self.called, "constructions")["calls"]

    def load(self, weights: dict[str, Tensor]) -> "Module":
        """Copy weights into the parameters of these names. Fails when one is missing or has another shape."""
        shapes = {row["name"]: list(row["tensor"].shape) for row in self.parameters()}
        for name, value in weights.items():
            if shapes.get(name) != list(value.shape):
                raise Failure(
                    "The checks put their own numbers into the parameters, by name, to know what should come out.",
                    f"{self.called}.named_parameters()",
                    ", ".join(f"{key} {shape}" for key, shape in shapes.items()) or "no parameters at all",
                    f"{name} {list(value.shape)} among them",
                )
        self._ask(self.called, "load", values=weights)
        return self

    def train(self, training: bool = True) -> "Module":
        self._ask(self.called, "mode", training=training)
        return self

    def to(self, dtype: str) -> "Module":
        self._ask(self.called, "to", dtype=dtype)
        return self

    def stub(self, child: str, factor: float, offset: float = 0.0) -> "Module":
        """Replace a child by a stub that computes factor * z + offset and remembers z."""
        self._ask(f"replacing {child} of {self.called}", "stub", child=child, factor=factor, offset=offset)
        return self

    def received(self, child: str) -> list[Tensor]:
        return self._ask(self.called, "received", child=child)["received"]

    def call(
        self, x: Tensor, cotangent: Tensor | None = None, spread: bool = False, name: str = ""
    ) -> "Answer":
        """Call the module with one tensor. Fails unless one tensor comes back.

        cotangent: when given, also take the gradients of (output * cotangent).sum().
        spread: hand x over with gaps in memory. name: how messages call x when it is large.
        """
        shown = name or (show(x) if x.numel() <= 8 and x.dim() == 1 else f"x of shape {list(x.shape)}")
        called = f"{self.called}({shown})"
        fields = self._ask(called, "forward", inputs=[x], cotangent=cotangent, spread=spread)
        if not isinstance(fields.get("output"), Tensor):
            items = f" of {fields['items']}" if fields.get("items", 1) != 1 else ""
            raise Failure(
                "forward should return one tensor.", called, f"a {fields.get('type')}{items}", "a tensor"
            )
        return Answer(called, fields)

    def __call__(self, x: Tensor, **options: Any) -> Tensor:
        return self.call(x, **options).output


class Answer:
    """What came back from a call, and what the call did besides."""

    def __init__(self, called: str, fields: dict[str, Any]) -> None:
        self.called, self._fields = called, fields
        self.output: Tensor = fields["output"]
        self.changed_input: bool = bool(fields.get("changed"))
        self.used_randomness: bool = bool(fields.get("random"))

    @property
    def input_gradient(self) -> Tensor:
        gradients = self._fields.get("input_gradients") or [None]
        if gradients[0] is None:
            raise Failure(
                "The output does not depend on x as far as autograd can see. "
                "Is there a .detach(), .data, torch.no_grad() or torch.tensor(x) on the way?",
                self.called,
                "no gradient of x",
                "a gradient of x",
            )
        return gradients[0]

    def parameter_gradient(self, name: str) -> Tensor:
        gradients = self._fields.get("parameter_gradients") or {}
        if gradients.get(name) is None:
            pattern = ", ".join(f"{key} {'–' if value is None else '✓'}" for key, value in gradients.items())
            raise Failure(
                f"{name} gets no gradient, so it would never learn. Is it used, and is nothing detached after it?",
                self.called,
                f"gradients: {pattern or 'none'}",
                "a gradient for each parameter",
            )
        return gradients[name]


def raised(called: str, error: dict[str, Any]) -> Failure:
    """The failure that tells of an exception in the student's code."""
    if error.get("stub"):
        return NotAttempted("This is still to be written.", called)
    return Raised("", called, error_text(error), error=error)


def error_text(error: dict[str, Any]) -> str:
    text = f"{error.get('type')}: {error.get('text')}"
    if error.get("line"):
        text += f"\nin {error.get('cell')}, line {error['line']}: {error.get('source')}"
    return text


def _arguments(args: tuple, kwargs: dict[str, Any]) -> str:
    return ", ".join([*(str(arg) for arg in args), *(f"{key}={value}" for key, value in kwargs.items())])


def _sent(value: Any) -> Any:
    return {"given": value.name, "kwargs": value.kwargs} if isinstance(value, Given) else value
