"""Runs a submission's cells and answers probes about what they define.

`Host.answer(op, arguments)` takes and returns plain values (see `wire`), so that it makes no difference to
who asks whether the host lives in the same process or at the other end of a pipe. An exception in the
student's code comes back as {"error": {...}} with its type, text, cell, line and the line's source.
"""

import builtins
import importlib
import linecache
import sys
import traceback
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import TextIOBase
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from .limits import TimeLimit, time_limit
from .magics import python_of
from .parts import RecordingStub, noting, stand_ins, strided

STUB = "Replace this line with your code."
PROBE_SECONDS = 10.0
CELL_SECONDS = 30.0
_HERE = str(Path(__file__).parent)


class Host:
    """Holds one submission: its namespace and the modules built from it.

    given: the folder with the course's own helpers, put first on the path; None leaves the path alone.
    namespace: where the names of the submission live; a new one, filled by `run_cell`, when None.
    """

    def __init__(self, given: str | None = None, namespace: dict[str, Any] | None = None) -> None:
        self.given = given
        self.namespace = {"__name__": "__main__"} if namespace is None else namespace
        self.modules: list[Any] = []
        self.constructions: dict[int, list[dict[str, Any]]] = {}
        if given is not None:
            for name in [name for name in sys.modules if name.split(".")[0] == "tiny_lm"]:
                del sys.modules[name]  # a submission never meets helpers that an earlier one has touched

    def answer(self, op: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The answer to one question; {"error": ...} when the student's code raised."""
        limit = CELL_SECONDS if op == "run_cell" else PROBE_SECONDS
        try:
            with self._surroundings(), time_limit(limit):
                return getattr(self, f"op_{op}")(**arguments)
        except (Exception, TimeLimit, SystemExit, KeyboardInterrupt, GeneratorExit) as error:
            if isinstance(error, KeyboardInterrupt) and op != "run_cell":
                raise  # the person at the keyboard wants out
            return {"error": describe(error, limit)}

    # -- the questions ----------------------------------------------------------------------------

    def op_run_cell(self, label: str, source: str) -> dict[str, Any]:
        """Execute a cell in the submission's namespace."""
        filename, source = f"<{label}>", python_of(source)
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        with inert_doors():
            exec(compile(source, filename, "exec"), self.namespace)
        return {}

    def op_begin(self, seed: int) -> dict[str, Any]:
        """Forget the modules of the check before, and start from the same random state."""
        self.modules.clear()
        self.constructions.clear()
        torch.default_generator.manual_seed(seed)  # torch.manual_seed notes a traceback for each GPU backend
        return {}

    def op_defined(self, name: str) -> dict[str, Any]:
        return {"defined": name in self.namespace, "callable": callable(self.namespace.get(name))}

    def op_value(self, name: str) -> dict[str, Any]:
        """The value of an answer variable."""
        return {"value": plain(self.namespace[name])}

    def op_build(self, name: str, args: list, kwargs: dict, parts: bool = False) -> dict[str, Any]:
        """Build a module; with `parts`, from the given stand-ins, which note how they were built."""
        calls: list[dict[str, Any]] = []
        args = [self._argument(arg) for arg in args]
        kwargs = {key: self._argument(arg) for key, arg in kwargs.items()}
        with self._parts(calls) if parts else _nothing():
            module = self.namespace[name](*args, **kwargs)
        if not isinstance(module, nn.Module):
            raise TypeError(f"{name} should be a subclass of nn.Module")
        self.modules.append(module)
        self.constructions[len(self.modules) - 1] = calls
        return {"module": len(self.modules) - 1}

    def op_constructions(self, module: int) -> dict[str, Any]:
        """How the stand-in parts of the module were built, in order."""
        return {"calls": self.constructions[module]}

    def op_parameters(self, module: int) -> dict[str, Any]:
        """Every registered parameter by each of its names; `same` is equal for one shared object."""
        numbers: dict[int, int] = {}
        rows = [
            {
                "name": name,
                "tensor": parameter.detach().clone(),  # as it is now, whatever is loaded later
                "same": numbers.setdefault(id(parameter), len(numbers)),
                "trained": parameter.requires_grad,
            }
            for name, parameter in self.modules[module].named_parameters(remove_duplicate=False)
        ]
        return {"parameters": rows}

    def op_children(self, module: int) -> dict[str, Any]:
        """The direct children of the module: name, type, and which are one object."""
        numbers: dict[int, int] = {}
        children = self.modules[module]._modules.items()
        return {
            "children": [
                {
                    "name": name,
                    "type": type(child).__name__,
                    "same": numbers.setdefault(id(child), len(numbers)),
                }
                for name, child in children
                if child is not None
            ]
        }

    def op_load(self, module: int, values: dict[str, Tensor]) -> dict[str, Any]:
        """Copy values into the parameters of these names."""
        parameters = dict(self.modules[module].named_parameters(remove_duplicate=False))
        with torch.no_grad():
            for name, value in values.items():
                parameters[name].copy_(value)
        return {}

    def op_mode(self, module: int, training: bool) -> dict[str, Any]:
        self.modules[module].train(training)
        return {}

    def op_to(self, module: int, dtype: str) -> dict[str, Any]:
        self.modules[module].to(getattr(torch, dtype))
        return {}

    def op_stub(self, module: int, child: str, factor: float, offset: float) -> dict[str, Any]:
        """Replace a named child by a recording stub that computes factor * z + offset."""
        setattr(self.modules[module], child, RecordingStub(factor, offset))
        return {}

    def op_received(self, module: int, child: str) -> dict[str, Any]:
        """What the stub under this name has received, call by call."""
        return {"received": list(getattr(self.modules[module], child).received)}

    def op_forward(
        self, module: int, inputs: list[Tensor], cotangent: Tensor | None = None, spread: bool = False
    ) -> dict[str, Any]:
        """Call the module.

        cotangent: when given, also the gradients of (output * cotangent).sum() by input and parameter.
        spread: hand the input over with gaps in memory.
        """
        called = self.modules[module]
        inputs = [strided(x) if spread else x.clone() for x in inputs]
        if cotangent is not None:
            inputs = [x.requires_grad_() for x in inputs]
            called.zero_grad(set_to_none=True)
        before, state = [x.detach().clone() for x in inputs], torch.get_rng_state()
        output = called(*inputs)
        answer: dict[str, Any] = {
            "random": not torch.equal(state, torch.get_rng_state()),
            "changed": any(not _same(x, y) for x, y in zip(inputs, before, strict=True)),
            "type": type(output).__name__,
            "items": len(output) if isinstance(output, list | tuple) else 1,
            "output": output if isinstance(output, Tensor) else None,
        }
        if cotangent is not None and isinstance(output, Tensor):
            answer["connected"] = output.requires_grad
            if output.requires_grad:
                (output * cotangent.to(output.dtype)).sum().backward()  # a scalar: spares torch an import
            answer["input_gradients"] = [x.grad for x in inputs]
            answer["parameter_gradients"] = {
                name: parameter.grad for name, parameter in called.named_parameters(remove_duplicate=False)
            }
        return answer

    # -- what the code under test stands in ---------------------------------------------------------

    @contextmanager
    def _surroundings(self) -> Iterator[None]:
        """The given helpers first on the path; what the code prints or warns about goes nowhere."""
        path, silence = list(sys.path), _Silence()
        if self.given is not None:
            sys.path.insert(0, self.given)
        try:
            with redirect_stdout(silence), redirect_stderr(silence), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield
        finally:
            sys.path[:] = path

    @contextmanager
    def _parts(self, calls: list[dict[str, Any]]) -> Iterator[None]:
        """The stand-ins under the names from which a block builds its parts."""
        given = stand_ins(importlib.import_module("tiny_lm"))
        before = dict(self.namespace)
        for name, part in given.items():
            own = before.get(name)
            aliases = [
                key for key, value in before.items() if value is part or (own is not None and value is own)
            ]
            self.namespace.update(dict.fromkeys([name, *aliases], noting(part, calls)))
        changed = {key for key, value in self.namespace.items() if value is not before.get(key)}
        try:
            yield
        finally:
            for key in changed:
                if key in before:
                    self.namespace[key] = before[key]
                else:
                    self.namespace.pop(key, None)

    def _argument(self, value: Any) -> Any:
        """{"given": name, "kwargs": {...}} stands for an object made by one of the given helpers."""
        if isinstance(value, dict) and "given" in value:
            return getattr(importlib.import_module("tiny_lm"), value["given"])(**value["kwargs"])
        return value


def plain(value: Any) -> Any:
    """An answer as a plain value; a NumPy number as a number; anything else as its type's name."""
    if isinstance(value, bool | int | float | str | Tensor | None):
        return value
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return f"<{type(value).__name__}>"


class _Silence(TextIOBase):
    """A text file that forgets: however much is printed, it takes no memory."""

    def write(self, text: str) -> int:
        return len(text)


@contextmanager
def inert_doors() -> Iterator[None]:
    """While cells are loaded, `autograder` is a quiet stand-in: checks are not run from inside a check."""
    quiet = types.ModuleType("autograder")
    quiet.check = lambda *args, **kwargs: 0.0  # type: ignore[attr-defined]
    quiet.assemble = lambda *args, **kwargs: None  # type: ignore[attr-defined]
    before = sys.modules.get("autograder")
    builtins_display = getattr(builtins, "display", None)
    sys.modules["autograder"] = quiet
    builtins.display = lambda *args, **kwargs: None  # type: ignore[attr-defined]
    try:
        yield
    finally:
        if before is None:
            del sys.modules["autograder"]
        else:
            sys.modules["autograder"] = before
        if builtins_display is None:
            del builtins.display  # type: ignore[attr-defined]
        else:
            builtins.display = builtins_display  # type: ignore[attr-defined]


def describe(error: BaseException, limit: float) -> dict[str, Any]:
    """What went wrong, and where in the student's own code."""
    if isinstance(error, TimeLimit):
        kind, text = "TimeLimit", f"it was still running after {limit:g} seconds"
    else:
        kind, text = type(error).__name__, _text(error)
    answer = {"type": kind, "text": text, "stub": kind == "NotImplementedError" and text in (STUB, "")}
    if isinstance(error, SyntaxError) and error.filename and error.filename.startswith("<"):
        place = (error.filename, error.lineno or 0, (error.text or "").strip())
    else:
        place = next(_own_frames(error), None)
    if place is not None:
        label, line, source = place
        answer |= {"cell": label.strip("<>"), "line": line, "source": source}
    return answer


def _own_frames(error: BaseException) -> Iterator[tuple[str, int, str]]:
    """The frames in the student's own code, innermost first."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        library = frame.filename.startswith((sys.prefix, sys.base_prefix, _HERE, "<frozen"))
        if not library and "tiny_lm" not in frame.filename:
            name = "this notebook" if "ipykernel" in frame.filename else frame.filename
            yield name, frame.lineno or 0, (frame.line or "").strip()


def _text(error: BaseException) -> str:
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
    except Exception:  # an exception class of the student's may fail in its own __str__
        return "(its text could not be read)"
    return text if len(text) <= 1000 else text[:1000] + " …"


def _same(x: Tensor, before: Tensor) -> bool:
    return x.shape == before.shape and torch.equal(x.nan_to_num(), before.nan_to_num())


@contextmanager
def _nothing() -> Iterator[None]:
    yield


Answering = Callable[[str, dict[str, Any]], dict[str, Any]]
