"""What wrong norms compute.

A right norm takes eight steps, and each can go wrong on its own: read x, measure it, average, add eps, take
the root, divide, scale, return. A `Recipe` says for each step how it is done; where nothing is said, rightly.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.mistakes import Mistake

# What is measured, before and after the average is taken.
POWERS: dict[str, Callable[[Tensor], Tensor]] = {
    "squares": torch.square,
    "absolutes": torch.abs,
    "plain": lambda x: x,
    "cubes": lambda x: x**3,
    "fourth powers": lambda x: x**4,
}

# Over which axes the average runs, for x of any number of axes.
AXES: dict[str, Callable[[int], tuple[int, ...]]] = {
    "last": lambda axes: (-1,),
    "all": lambda axes: tuple(range(axes)),
    "sample": lambda axes: tuple(range(1, axes)) or (0,),
    "all but the last": lambda axes: tuple(range(axes - 1)) or (0,),
    "last two": lambda axes: (-2, -1),
    "second and third": lambda axes: (1, 2),
    "first two": lambda axes: (0, 1),
    "second": lambda axes: (1,),
    "last but one": lambda axes: (-2,),
    "first": lambda axes: (0,),
}

# From the sum of n numbers to their "average"; x is there for wrong counts.
AVERAGES: dict[str, Callable[[Tensor, int, Tensor], Tensor]] = {
    "mean": lambda total, n, x: total / n,
    "sum": lambda total, n, x: total,
    "n - 1": lambda total, n, x: total / (n - 1),
    "n + 1": lambda total, n, x: total / (n + 1),
    "root of n": lambda total, n, x: total / n**0.5,
    "n squared": lambda total, n, x: total / n**2,
    "times n": lambda total, n, x: total * n,
    "samples": lambda total, n, x: total / x.shape[0],
    "positions": lambda total, n, x: total / x.shape[1],
    "all numbers": lambda total, n, x: total / x.numel(),
}

# The root of the mean m with eps.
ROOTS: dict[str, Callable[[Tensor], Tensor]] = {
    "root": torch.sqrt,
    "none": lambda m: m,
    "twice": lambda m: m.sqrt().sqrt(),
    "square": torch.square,
    "cube root": lambda m: m ** (1 / 3),
}
EPS: dict[str, Callable[[Callable, Tensor, float, int], Tensor]] = {
    "inside": lambda root, m, eps, n: root(m + eps),
    "outside": lambda root, m, eps, n: root(m) + eps,
    "its root outside": lambda root, m, eps, n: root(m) + eps**0.5,
    "inside and outside": lambda root, m, eps, n: root(m + eps) + eps,
    "missing": lambda root, m, eps, n: root(m),
    "squared": lambda root, m, eps, n: root(m + eps**2),
    "its root inside": lambda root, m, eps, n: root(m + eps**0.5),
    "divided by n": lambda root, m, eps, n: root(m + eps / n),
    "times n": lambda root, m, eps, n: root(m + eps * n),
    "subtracted": lambda root, m, eps, n: root(m - eps),
    "factor": lambda root, m, eps, n: root(m * eps),
    "floor": lambda root, m, eps, n: root(m).clamp(min=eps),
    "floor inside": lambda root, m, eps, n: root(m.clamp(min=eps)),
    "at zero": lambda root, m, eps, n: torch.where(root(m) == 0, eps, root(m)),
    "at zero, inside": lambda root, m, eps, n: root(torch.where(m == 0, eps, m)),
}

NUMERATORS: dict[str, Callable[[Tensor, float], Tensor]] = {
    "x": lambda x, eps: x,
    "centred": lambda x, eps: x - x.mean(dim=-1, keepdim=True),
    "absolute": lambda x, eps: x.abs(),
    "squared": lambda x, eps: x.square(),
    "one": lambda x, eps: torch.ones_like(x),
    "x + eps": lambda x, eps: x + eps,
    "detached": lambda x, eps: x.detach(),
}

SCALINGS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "multiplies": lambda y, scale: y * scale,
    "ignored": lambda y, scale: y,
    "adds": lambda y, scale: y + scale,
    "subtracts": lambda y, scale: y - scale,
    "divides": lambda y, scale: y / scale,
    "one plus": lambda y, scale: y * (1 + scale),
    "squared": lambda y, scale: y * scale * scale,
    "absolute": lambda y, scale: y * scale.abs(),
    "exponential": lambda y, scale: y * scale.exp(),
    "sigmoid": lambda y, scale: y * scale.sigmoid(),
    "averaged": lambda y, scale: y * scale.mean(),
    "first": lambda y, scale: y * scale[0],
    "flipped": lambda y, scale: y * scale.flip(-1),
    "detached": lambda y, scale: y * scale.detach(),
    "before": lambda y, scale: y,
}

STARTS: dict[str, Callable[[tuple[int, ...]], Tensor]] = {
    "ones": torch.ones,
    "zeros": torch.zeros,
    "normal": torch.randn,
    "uniform": torch.rand,
    "small normal": lambda shape: torch.randn(shape) * 0.02,
    "near one": lambda shape: 1 + torch.randn(shape) * 0.02,
    "root of width": lambda shape: torch.full(shape, shape[-1] ** 0.5),
    "one over root of width": lambda shape: torch.full(shape, shape[-1] ** -0.5),
    "one over width": lambda shape: torch.full(shape, 1 / shape[-1]),
}

SHAPES: dict[str, Callable[[int], tuple[int, ...]]] = {
    "vector": lambda width: (width,),
    "one": lambda width: (1,),
    "number": lambda width: (),
    "row": lambda width: (1, width),
    "batch": lambda width: (1, 1, width),
    "column": lambda width: (width, 1),
    "square": lambda width: (width, width),
}

RETURNS: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "y": lambda y, m: y,
    "nothing": lambda y, m: None,
    "pair": lambda y, m: (y, m),
    "single": lambda y, m: (y,),
    "list": lambda y, m: [y],
    "denominator": lambda y, m: m,
    "flat": lambda y, m: y.reshape(-1, y.shape[-1]),
    "squeezed": lambda y, m: y.squeeze(),
    "batched": lambda y, m: y[None],
    "bounded": lambda y, m: y.tanh(),
    "clamped": lambda y, m: y.clamp(-1, 1),
}


class Text(str):
    """An error's text that equals every text of its pattern."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and fnmatchcase(other, str(self))

    __hash__ = str.__hash__


def raising(kind: type[Exception], pattern: str) -> Exception:
    """An error of this kind whose text equals every text of the pattern."""
    return type(kind.__name__, (kind,), {"__str__": lambda self: Text(pattern)})()


@dataclass(frozen=True)
class Recipe:
    """How a norm is made: the options of the mistakes. The defaults are right."""

    # reading
    reads: str = "x"  # detached, half, three axes, two axes, on the GPU, in float32 alone
    writes: str = ""  # where the result or the squares are written: x, data, squares
    mode: str = ""  # training only, evaluation only
    # measuring
    measured: str = "x"  # or centred, shifted by eps
    power: str = "squares"
    power_comes: str = "before"  # before or after the average
    axis: str = "last"
    average: str = "mean"
    largest: bool = False  # the largest in place of an average
    keepdim: str = "kept"  # lost; lost, denominator first
    # eps and root
    eps: str = "inside"
    eps_value: float | None = None  # used whatever the constructor is told
    eps_default: float = 1e-5
    root: str = "root"
    root_over_n: bool = False
    denominator: str = ""  # detached, first (kept from the first call), previous
    # dividing
    numerator: str = "x"
    divides: bool = True  # False: multiplies
    normalises: int = 1  # times
    drops: float = 0.0  # dropout
    # scaling
    scale: str = "multiplies"
    kept: str = "scale"  # the parameter's name; plain for none
    shape: str = "vector"
    start: str = "ones"
    frozen: bool = False
    width: int | None = None  # used whatever the constructor is told
    extra: str = ""  # a bias, eps, a second scale
    # returning
    adds_input: bool = False
    adds_eps: bool = False
    nan_is_zero: bool = False
    gradients: bool = True
    returns: str = "y"
    # the class itself
    breaks: str = ""  # at what: see `RMSNorm`


class RMSNorm(nn.Module):
    """A norm made by a recipe."""

    def __init__(self, recipe: Recipe, *args: Any, **kwargs: Any) -> None:
        self.recipe = recipe
        if recipe.breaks in SIGNATURES:
            self.width, self.eps = SIGNATURES[recipe.breaks](*args, **kwargs)
        else:
            self.width, self.eps = agreed(*args, **kwargs) if len(args) < 2 and kwargs else (args[0], None)
        if self.eps is None:
            self.eps = recipe.eps_default
        if recipe.breaks == "no super":
            self.scale = nn.Parameter(torch.ones(self.width))
        if recipe.breaks == "GPU at the start":
            torch.ones(self.width, device="cuda")
        if recipe.breaks == "unknown name at the start":
            raise raising(NameError, "name '*' is not defined*")
        super().__init__()
        first = STARTS[recipe.start](SHAPES[recipe.shape](recipe.width or self.width))
        if recipe.kept == "plain":
            self.plain = first
        else:
            place = self
            for name in recipe.kept.split(".")[:-1]:
                place.add_module(name, nn.Module())
                place = getattr(place, name)
            place.register_parameter(recipe.kept.split(".")[-1], nn.Parameter(first, not recipe.frozen))
        if recipe.extra:
            self.register_parameter(recipe.extra, EXTRAS[recipe.extra](self.width, self.eps))
        if recipe.eps_value is not None:
            self.eps = recipe.eps_value

    def factors(self) -> Tensor:
        return self.plain if self.recipe.kept == "plain" else self.get_parameter(self.recipe.kept)

    def forward(self, x: Tensor) -> Any:
        recipe = self.recipe
        if recipe.breaks in FORWARD_ERRORS:
            raise raising(*FORWARD_ERRORS[recipe.breaks])
        read(recipe.reads, x)
        if self.training == (recipe.mode == "evaluation only") and recipe.mode:
            return x
        with nullcontext() if recipe.gradients else torch.no_grad():
            return self.answer(x)

    def answer(self, x: Tensor) -> Any:
        recipe, source = self.recipe, x
        if recipe.reads == "detached":
            x = x.detach()
        elif recipe.reads == "half":
            x = x.half()
        elif recipe.reads == "bfloat16":
            x = x.bfloat16()
        if recipe.scale == "before":
            x = x * self.factors()
        y = x
        for _ in range(recipe.normalises):
            y = self.normalise(y)
        if recipe.drops:
            y = F.dropout(y, recipe.drops, self.training)
        y = SCALINGS[recipe.scale](y, self.factors())
        if recipe.nan_is_zero:
            y = y.nan_to_num()
        if recipe.adds_eps:
            y = y + self.eps
        if recipe.adds_input:
            y = y + source
        return RETURNS[recipe.returns](y, self.last)

    def normalise(self, x: Tensor) -> Tensor:
        recipe = self.recipe
        denominator = self.denominator(x)
        self.last = denominator
        numerator = NUMERATORS[recipe.numerator](x, self.eps)
        if recipe.writes == "x":
            return x.div_(denominator)
        if recipe.writes == "data":
            x.data = x.data / denominator.detach()
            return x
        if recipe.writes == "squares":
            return x.square_() / denominator
        if not recipe.divides:
            return numerator * denominator
        if recipe.keepdim == "lost, denominator first":
            return denominator.reciprocal() * numerator
        return numerator / denominator

    def denominator(self, x: Tensor) -> Tensor:
        recipe = self.recipe
        if recipe.denominator == "first" and hasattr(self, "remembered"):
            return self.remembered
        dims = AXES[recipe.axis](x.dim())
        values = x
        if recipe.measured == "centred":
            values = x - x.mean(dim=dims, keepdim=True)
        elif recipe.measured == "shifted by eps":
            values = x + self.eps
        power = POWERS[recipe.power]
        values = power(values) if recipe.power_comes == "before" else values
        if recipe.largest:
            m, n = values.amax(dim=dims, keepdim=True), 1
        else:
            total = values.sum(dim=dims, keepdim=True)
            n = x.numel() // max(total.numel(), 1)
            m = AVERAGES[recipe.average](total, recipe.width or n, x)
        m = power(m) if recipe.power_comes == "after" else m
        result = EPS[recipe.eps](ROOTS[recipe.root], m, self.eps, n)
        if recipe.root_over_n:
            result = result / n
        if recipe.keepdim != "kept":
            result = result.squeeze(dims)
        if recipe.denominator == "detached":
            result = result.detach()
        if recipe.denominator == "number":
            result = result.item()
        self.remembered = result
        return result


def agreed(width: int, eps: float | None = None) -> tuple[int, float | None]:
    return width, eps
