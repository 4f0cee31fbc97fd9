"""What wrong norms compute.

A right norm takes eight steps, and each can go wrong on its own: read x, measure it, average, add eps, take
the root, divide, scale, return. A `Recipe` says for each step how it is done; where nothing is said, rightly.
"""

import math
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
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

# The average of the values over the axes, n values each; x is there for wrong counts.
AVERAGES: dict[str, Callable[[Tensor, tuple[int, ...], int, Tensor], Tensor]] = {
    "mean": lambda values, axes, n, x: values.mean(axes, keepdim=True),
    "sum": lambda values, axes, n, x: values.sum(axes, keepdim=True),
    "largest": lambda values, axes, n, x: values.amax(axes, keepdim=True),
    "median": lambda values, axes, n, x: values.median(axes[0], keepdim=True).values,
    "n - 1": lambda values, axes, n, x: values.sum(axes, keepdim=True) / (n - 1),
    "n + 1": lambda values, axes, n, x: values.sum(axes, keepdim=True) / (n + 1),
    "root of n": lambda values, axes, n, x: values.sum(axes, keepdim=True) / n**0.5,
    "n squared": lambda values, axes, n, x: values.sum(axes, keepdim=True) / n**2,
    "times n": lambda values, axes, n, x: values.sum(axes, keepdim=True) * n,
    "samples": lambda values, axes, n, x: values.sum(axes, keepdim=True) / x.shape[0],
    "positions": lambda values, axes, n, x: values.sum(axes, keepdim=True) / x.shape[1],
    "all numbers": lambda values, axes, n, x: values.sum(axes, keepdim=True) / x.numel(),
    "64": lambda values, axes, n, x: values.sum(axes, keepdim=True) / 64,
    "512": lambda values, axes, n, x: values.sum(axes, keepdim=True) / 512,
    "768": lambda values, axes, n, x: values.sum(axes, keepdim=True) / 768,
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
    "between two roots": lambda root, m, eps, n: (root(m) + eps).sqrt(),
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
    "multiplies from the left": lambda y, scale: scale * y,
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
    "softplus": lambda y, scale: y * F.softplus(scale),
    "detached": lambda y, scale: y * scale.detach(),
    "before": lambda y, scale: y,
    "bounded": lambda y, scale: y.tanh() * scale,
    "clamped": lambda y, scale: y.clamp(-1, 1) * scale,
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
    "triple": lambda y, m: (y, m, m),
    "list": lambda y, m: [y],
    "denominator": lambda y, m: m,
    "flat": lambda y, m: y.reshape(-1, y.shape[-1]),
    "squeezed": lambda y, m: y.squeeze(),
    "batched": lambda y, m: y[None],
    "bounded": lambda y, m: y.tanh(),
    "clamped": lambda y, m: y.clamp(-1, 1),
}


READINGS: dict[str, Callable[[Tensor], Tensor]] = {
    "x": lambda x: x,
    "detached": torch.detach,
    "half": lambda x: x.half(),
    "bfloat16": lambda x: x.bfloat16(),
}

EXTRAS: dict[str, Callable[[int, float], Tensor]] = {
    "bias": lambda width, eps: torch.zeros(width),
    "beta": lambda width, eps: torch.zeros(width),
    "shift": lambda width, eps: torch.zeros(width),
    "eps": lambda width, eps: torch.tensor(eps),
    "epsilon": lambda width, eps: torch.tensor(eps),
}


@dataclass(frozen=True)
class Recipe:
    """How a norm is made: the options of the mistakes. The defaults are right."""

    # reading x
    reads: str = "x"
    writes: str = ""  # where results are written: x, its data, squares (into x)
    mode: str = ""  # training or evaluation: it works in this mode alone
    # measuring
    measured: str = "x"  # centred, shifted by eps, scaled, first half
    power: str = "squares"
    power_after: bool = False  # first the average, then the power
    axis: str = "last"
    average: str = "mean"
    keepdim: str = "kept"  # lost; lost, denominator first: the text of the error depends on it
    # eps and the root
    eps: str = "inside"
    eps_value: float | None = None  # the eps that is used, whatever the constructor is told
    eps_default: float = 1e-5
    root: str = "root"
    root_over_n: bool = False
    denominator: str = ""  # detached, number, math.sqrt, first (the first call's), previous
    # dividing
    numerator: str = "x"
    divides: bool = True  # or multiplies
    times: int = 1  # how often it normalises
    drops: float = 0.0  # dropout
    # scaling
    scale: str = "multiplies"
    kept: str = "scale"  # the parameter's name; none where there is no parameter
    shape: str = "vector"
    start: str = "ones"
    frozen: bool = False
    width: int | None = None  # the width of scale, whatever the constructor is told
    extra: str = ""  # the name of one more parameter
    # returning
    adds: str = ""  # x, eps
    nan_is_zero: bool = False
    gradients: bool = True
    returns: str = "y"


class RMSNorm(nn.Module):
    """A norm made by a recipe."""

    def __init__(self, recipe: Recipe, width: int, **named: float) -> None:
        super().__init__()
        self.recipe = recipe
        self.added = named.get("eps", recipe.eps_default) if recipe.eps_value is None else recipe.eps_value
        self.denominators: list[Tensor] = []
        factors = STARTS[recipe.start](SHAPES[recipe.shape](recipe.width or width))
        if recipe.kept == "none":
            self.unknown = factors
        else:
            *part, name = recipe.kept.split(".")
            owner = self
            if part:
                owner = nn.Module()
                self.add_module(part[0], owner)
            owner.register_parameter(name, nn.Parameter(factors, requires_grad=not recipe.frozen))
        if recipe.extra:
            self.register_parameter(recipe.extra, nn.Parameter(EXTRAS[recipe.extra](width, self.added)))

    def forward(self, x: Tensor) -> Any:
        recipe = self.recipe
        if recipe.mode and self.training != (recipe.mode == "training"):
            return x
        with nullcontext() if recipe.gradients else torch.no_grad():
            return self.answer(x)

    def answer(self, x: Tensor) -> Any:
        recipe = self.recipe
        scale = self.unknown if recipe.kept == "none" else self.get_parameter(recipe.kept)
        y = READINGS[recipe.reads](x)
        if recipe.scale == "before":
            y = y * scale
        for _ in range(recipe.times):
            y = self.normalised(y, scale)
        y = SCALINGS[recipe.scale](y, scale)
        if recipe.extra in ("bias", "beta", "shift"):
            y = y + self.get_parameter(recipe.extra)
        if recipe.drops:
            y = F.dropout(y, recipe.drops, self.training)
        if recipe.nan_is_zero:
            y = y.nan_to_num()
        if recipe.adds:
            y = y + (x if recipe.adds == "x" else self.added)
        return RETURNS[recipe.returns](y, self.denominators[-1] if self.denominators else x)

    def normalised(self, x: Tensor, scale: Tensor) -> Tensor:
        recipe, denominator = self.recipe, self.denominator(x, scale)
        if recipe.denominator in ("first", "previous") and self.denominators:
            denominator = self.denominators[0 if recipe.denominator == "first" else -1]
        self.denominators.append(
            denominator if recipe.denominator != "previous" else self.denominator(x, scale)
        )
        numerator = NUMERATORS[recipe.numerator](x, self.added)
        if not recipe.divides:
            y = numerator * denominator
        elif recipe.keepdim == "lost, denominator first":
            y = denominator.reciprocal() * numerator
        else:
            y = numerator / denominator
        if recipe.writes == "x":
            return x.copy_(y)
        if recipe.writes == "data":
            x.data = y.detach()
            return x
        if recipe.writes == "squares":
            return x.square_() / denominator
        return y

    def denominator(self, x: Tensor, scale: Tensor) -> Tensor:
        recipe, eps, power = self.recipe, self.added, POWERS[self.recipe.power]
        axes = AXES[recipe.axis](x.dim())
        if recipe.measured == "centred":
            x = x - x.mean(axes, keepdim=True)
        elif recipe.measured == "shifted by eps":
            x = x + eps
        elif recipe.measured == "scaled":
            x = x * scale
        elif recipe.measured == "first half":
            x = x[..., : max(1, x.shape[-1] // 2)]
        n = math.prod(x.shape[axis] for axis in axes) if max(axes) < x.dim() >= -min(axes) else 1
        m = AVERAGES[recipe.average](x if recipe.power_after else power(x), axes, n, x)
        if recipe.power_after:
            m = power(m)
        result = EPS[recipe.eps](
            lambda m: ROOTS[recipe.root](m) / (n if recipe.root_over_n else 1), m, eps, n
        )
        if recipe.keepdim != "kept":
            result = result.squeeze(axes)
        if recipe.denominator == "number":
            return torch.tensor(result.item())
        if recipe.denominator == "math.sqrt":
            return torch.tensor(math.sqrt(result.detach().square()))
        return result.detach() if recipe.denominator == "detached" else result


def variant(**options: Any) -> dict[str, Any]:
    """The names that a submission with these options defines; no options give the right norm."""
    return {"RMSNorm": partial(RMSNorm, Recipe(**options))}


def ways(*options: dict[str, Any], **facts: str) -> list[Mistake]:
    """One mistake, made in several ways."""
    return [Mistake(options=option, **facts) for option in options]


SIZE, PLANE, ZERO = (
    "2. How large is a vector?",
    "3. Where do vectors go?",
    "4. What if there is nothing to divide by?",
)
MANY, WRITE, SLOPE = "5. Many vectors, one scale", "6. Write it", "7. What the gradient knows"

KINDS = [
    # -- eps ---------------------------------------------------------------------------------------
    ways(
        {"eps": "outside"},
        slug="eps-outside-root",
        title="eps is added after the root, not under it",
        hint="Of which number is the root taken, in your code and in the formula?",
        explanation="Both keep the zero vector from becoming NaN, and for large vectors nobody sees a "
        "difference. For small ones the denominator is too large, with eps = 1e-5 by up to 0.3 %, and more "
        "with a larger eps.",
        formula="x / (sqrt(mean(x²)) + eps)",
        section=ZERO,
        group="eps",
        family="eps",
    ),
    ways(
        {"eps": "missing"},
        slug="eps-missing",
        title="eps is not used",
        hint="What is your denominator for the zero vector?",
        explanation="Without eps the zero vector is 0 / 0, and vectors that are almost zero are blown up to "
        "size 1. One NaN spoils everything it is added to.",
        formula="x / sqrt(mean(x²))",
        section=ZERO,
        group="eps",
        family="eps",
    ),
    ways(
        *({"eps_value": value} for value in (1e-6, 1e-5, 1e-8, 1e-12, 1e-10, 1e-7, 1e-4, 1e-3, 1e-2, 1.0)),
        {"eps_value": torch.finfo(torch.float32).eps},
        slug="eps-ignored",
        title="an eps of its own is used, not the one given to the constructor",
        hint="You build a norm with eps=0.5. Where in forward does this number arrive?",
        explanation="The constructor's eps has no effect. A number written into forward, or a library call "
        "that is not told eps, brings an eps of its own.",
        formula="x / sqrt(mean(x²) + a fixed number)",
        section=ZERO,
        group="eps",
        family="eps",
    ),
    ways(
        *({"eps_default": value} for value in (1e-6, 1e-8, 1e-12, 1e-10, 1e-7, 1e-4, 1e-3, 1e-2, 0.0, 1.0)),
        {"eps_default": torch.finfo(torch.float32).eps},
        slug="eps-default",
        title="the default eps is another number than 1e-5",
        hint="Which eps does RMSNorm(3) have, if nobody names one?",
        explanation="Libraries differ in their default, so weights trained with one give other numbers with "
        "another. Only vectors smaller than sqrt(eps) show it.",
        formula="x / sqrt(mean(x²) + another default)",
        section=WRITE,
        group="eps",
        family="eps",
    ),
    ways(
        {"measured": "shifted by eps", "eps": "missing"},
        {"numerator": "x + eps", "measured": "shifted by eps", "eps": "missing"},
        {"measured": "shifted by eps"},
        slug="eps-before-squaring",
        title="eps is added to x before the squares are taken",
        hint="Is your output for -x the negative of your output for x?",
        explanation="Adding to x itself depends on the signs of x: one coordinate moves towards zero, "
        "another away. And x = -eps gives zero again in the denominator.",
        formula="x / sqrt(mean((x + eps)²))",
        section=ZERO,
        group="eps",
        family="eps",
    ),
    ways(
        {"eps": "squared"},
        slug="eps-squared",
        title="the square of eps is added under the root",
        hint="What is 0.5 squared, and which of the two numbers stands in the formula?",
        explanation="With eps = 1e-5 the square is 1e-10, so small vectors are blown up much more than "
        "asked.",
        formula="x / sqrt(mean(x²) + eps²)",
        section=ZERO,
        group="eps",
        family="eps",
    ),
    ways(
        {"eps": "floor"},
        {"eps": "floor inside"},
        slug="eps-as-floor",
        title="eps is a lower limit, not something added",
        hint="For a vector whose mean square is just above eps: what does eps change in your code?",
        explanation="A limit (max, clamp) protects from zero, but leaves every denominator above it as it "
        "was and holds every one below it fixed. The curve of section 4 then has a corner.",
        formula="x / max(sqrt(mean(x²)), eps)",
        section=ZERO,
        group="eps",
        family="eps",
    ),
    ways(
        {"eps": "at zero"},
        {"eps": "at zero, inside"},
        {"eps": "missing", "nan_is_zero": True},
        {"eps": "floor", "eps_value": 1e-12},
        slug="eps-only-at-zero",
        title="the zero vector is a special case, and elsewhere eps does nothing",
        hint="What does your norm make of a vector of size 1e-9, and what of the zero vector?",
        explanation="A tiny vector next to zero is blown up to size 1 while zero stays zero: the output "
        "jumps. F.normalize, nan_to_num and an if do that.",
        formula="x / sqrt(mean(x²)), or 0 where that is 0 / 0",
        section=ZERO,
        group="eps",
        family="eps",
    ),
    ways(
        {"eps": "its root outside"},
        {"eps": "inside and outside"},
        slug="eps-twice-or-split",
        title="the root is not taken of the mean and eps together",
        hint="Is the root of a sum the sum of the roots? And how often does eps stand in your line?",
        explanation="sqrt(a) + sqrt(b) is larger than sqrt(a + b), so every output is too short.",
        formula="x / (sqrt(mean(x²)) + sqrt(eps)), or eps both under and after the root",
        section=ZERO,
        group="eps",
        family="eps",
    ),
    ways(
        {"eps": "divided by n"},
        slug="eps-before-division",
        title="eps is added to the sum and then divided by the width too",
        hint="Which is done first in your code: dividing by n, or adding eps?",
        explanation="What is added is then eps / n, another number for each width.",
        formula="x / sqrt((sum(x²) + eps) / n)",
        section=ZERO,
        group="eps",
        family="eps",
    ),
    ways(
        {"eps": "times n"},
        {"eps": "its root inside"},
        {"eps": "factor"},
        slug="eps-changed",
        title="eps enters as another number than it is",
        hint="Put in eps = 0.5 and follow it: which number is added to the mean of the squares?",
        explanation="A factor, a power or a product makes another constant of eps, so the knee of the curve "
        "moves.",
        formula="x / sqrt(mean(x²) + something made of eps)",
        section=ZERO,
        group="eps",
        family="eps",
    ),
    ways(
        {"eps": "subtracted"},
        slug="eps-subtracted",
        title="eps is subtracted under the root",
        hint="What stands under the root when the mean of the squares is smaller than eps?",
        explanation="Small vectors get the root of a negative number, which is NaN.",
        formula="x / sqrt(mean(x²) - eps)",
        section=ZERO,
        group="eps",
        family="eps",
    ),
    ways(
        {"adds": "eps", "eps": "missing"},
        {"numerator": "x + eps", "eps": "missing"},
        {"adds": "eps"},
        {"numerator": "x + eps"},
        slug="eps-on-top",
        title="eps is added to x or to the result, not to what x is divided by",
        hint="What is your output for the zero vector, and which part of the fraction should eps protect?",
        explanation="The denominator can still be zero, and the output is shifted by a constant.",
        formula="x / sqrt(mean(x²)) + eps",
        section=ZERO,
        group="eps",
        family="eps",
    ),
    # -- what is measured --------------------------------------------------------------------------
    ways(
        {"measured": "centred", "numerator": "centred"},
        {"measured": "centred", "numerator": "centred", "eps": "outside"},
        {"measured": "centred", "numerator": "centred", "average": "n - 1"},
        {"measured": "centred", "numerator": "centred", "average": "n - 1", "eps": "outside"},
        slug="subtracts-mean",
        title="this is LayerNorm: it subtracts the mean",
        hint="What do the numbers of your output add up to, and does RMSNorm promise that?",
        explanation="The output adds up to zero and no longer points where x points. RMSNorm keeps the "
        "direction and changes only the length.",
        formula="(x - mean(x)) / sqrt(mean((x - mean(x))²) + eps)",
        section=PLANE,
        group="values",
        family="centre",
    ),
    ways(
        {"average": "sum"},
        slug="sum-not-mean",
        title="the squares are added up, but not divided by how many there are",
        hint="Take a vector of ones, of width 4 and of width 64. Which size does your code find for each?",
        explanation="The root is sqrt(n) times too large and the output as much too short. The size then "
        "depends on the width.",
        formula="x / sqrt(sum(x²) + eps)",
        section=SIZE,
        group="values",
        family="average",
    ),
    ways(
        {"average": "sum", "eps": "floor", "eps_value": 1e-12},
        {"average": "sum", "eps": "missing"},
        {"average": "sum", "eps": "outside"},
        {"average": "sum", "eps": "floor"},
        slug="unit-length",
        title="each vector is divided by its length, so the output has length 1",
        hint="A vector of four ones has which length, and which root mean square?",
        explanation="The length (L2 norm, F.normalize) is sqrt(n) times the root mean square. The output is "
        "too short by that factor, and eps is not where it belongs.",
        formula="x / sqrt(sum(x²))",
        section=SIZE,
        group="values",
        family="average",
    ),
    ways(
        {"root": "none"},
        slug="no-root",
        title="the root is missing: it divides by the mean square",
        hint="Ten times the input: by which factor does your denominator grow?",
        explanation="The mean of squares is in another unit than x. Ten times the input then gives a tenth "
        "of the output.",
        formula="x / (mean(x²) + eps)",
        section=SIZE,
        group="values",
        family="root",
    ),
    ways(
        {"divides": False},
        slug="multiplies-by-root",
        title="x is multiplied by the root mean square, not divided by it",
        hint="Ten times the input: does your output stay, or grow a hundredfold?",
        explanation="Multiplying makes large vectors larger and small ones smaller. rsqrt is one over the "
        "root already; dividing by it multiplies by the root.",
        formula="x * sqrt(mean(x²) + eps)",
        section=SIZE,
        group="values",
        family="divides",
    ),
    ways(
        {"measured": "centred"},
        {"measured": "centred", "eps": "outside"},
        {"measured": "centred", "average": "n - 1"},
        {"measured": "centred", "average": "n - 1", "eps": "outside"},
        slug="standard-deviation",
        title="it divides by the standard deviation: the mean is taken away where the size is measured",
        hint="Which size does your code find for a vector of ones?",
        explanation="std and var measure the distance from the mean, so a vector of equal numbers has size "
        "0. The root mean square measures the distance from zero.",
        formula="x / sqrt(mean((x - mean(x))²) + eps)",
        section=PLANE,
        group="values",
        family="centre",
    ),
    ways(
        {"numerator": "centred"},
        slug="centred-numerator",
        title="the mean is subtracted above the line, while the size is that of x",
        hint="What becomes of a vector of equal numbers?",
        explanation="The part of x along [1, 1, ..., 1] is lost, as in LayerNorm, and the output is shorter "
        "than it should be.",
        formula="(x - mean(x)) / sqrt(mean(x²) + eps)",
        section=PLANE,
        group="values",
        family="centre",
    ),
    ways(
        {"average": "n - 1"},
        slug="divides-by-n-minus-1",
        title="the sum of the squares is divided by n - 1",
        hint="How many squares are added, and by which number is the sum divided?",
        explanation="n - 1 belongs to the spread around an estimated mean. Here nothing is estimated. The "
        "output is too short, and at width 1 it is a division by zero.",
        formula="x / sqrt(sum(x²) / (n - 1) + eps)",
        section=SIZE,
        group="values",
        family="average",
    ),
    ways(
        {"power": "absolutes", "root": "none"},
        {"power": "absolutes", "root": "none", "eps": "missing"},
        {"power": "absolutes"},
        slug="mean-of-absolutes",
        title="the mean of the absolute values is taken as the size",
        hint="What is the size of [3, 4] in your code: 3.5, or the root of 12.5?",
        explanation="It also measures a size, but another one: large coordinates count less than in the "
        "root mean square.",
        formula="x / (mean(|x|) + eps)",
        section=SIZE,
        group="values",
        family="power",
    ),
    ways(
        {"power": "plain", "root": "none"},
        {"power": "plain"},
        {"power": "plain", "root": "none", "eps": "missing"},
        {"power": "plain", "eps": "missing"},
        slug="no-squares",
        title="the numbers are not squared before the mean is taken",
        hint="What is the size of [3, -3] in your code?",
        explanation="Plus and minus cancel, so a large vector can have the size zero, and under a root a "
        "negative mean gives NaN.",
        formula="x / sqrt(mean(x) + eps)",
        section=SIZE,
        group="values",
        family="power",
    ),
    ways(
        {"power_after": True},
        {"power_after": True, "eps": "missing"},
        slug="squares-the-mean",
        title="the mean is squared, in place of the mean of the squares",
        hint="In [3, -3], what comes first in your code, the mean or the squares?",
        explanation="The mean of x can be zero while x is large, so the order matters: first square, then "
        "average.",
        formula="x / sqrt(mean(x)² + eps)",
        section=SIZE,
        group="values",
        family="power",
    ),
    ways(
        {"power": "absolutes", "root": "none", "average": "largest"},
        {"power": "absolutes", "root": "none", "average": "largest", "eps": "missing"},
        {"average": "largest"},
        slug="largest-not-mean",
        title="it divides by the largest number",
        hint="Which of the numbers of x have a say in your denominator?",
        explanation="The largest coordinate becomes 1 or -1 and the others do not matter. In the root mean "
        "square all coordinates count.",
        formula="x / max(|x|)",
        section=SIZE,
        group="values",
        family="average",
    ),
    ways(
        {"average": "median"},
        {"average": "median", "power": "absolutes", "root": "none"},
        slug="median-not-mean",
        title="it takes the median in place of the mean",
        hint="Of the squares 1, 4 and 100, which have a say in your denominator?",
        explanation="The median looks at one square and forgets how large the others are.",
        formula="x / sqrt(median(x²) + eps)",
        section=SIZE,
        group="values",
        family="average",
    ),
    ways(
        {"measured": "first half"},
        slug="measures-a-part",
        title="only a part of the coordinates is measured",
        hint="Which coordinates of x can change without a change of your denominator?",
        explanation="A vector that is large in the other coordinates is not made smaller.",
        formula="x / sqrt(mean of some x² + eps)",
        section=SIZE,
        group="values",
        family="centre",
    ),
    ways(
        {"power": "absolutes", "root": "none", "average": "sum"},
        {"power": "absolutes", "root": "none", "average": "sum", "eps": "missing"},
        {"power": "absolutes", "root": "none", "average": "sum", "eps": "floor", "eps_value": 1e-12},
        slug="sum-of-absolutes",
        title="it divides by the sum of the absolute values (the L1 norm)",
        hint="What is the size of [3, 4] in your code: 7, or the root of 12.5?",
        explanation="The absolute values of the output then add up to 1, and the size depends on the width.",
        formula="x / sum(|x|)",
        section=SIZE,
        group="values",
        family="average",
    ),
    ways(
        {"average": "sum", "root_over_n": True},
        {"average": "sum", "root_over_n": True, "eps": "outside"},
        {"average": "n squared"},
        slug="divides-after-root",
        title="the division by n comes after the root, not before it",
        hint="Is sqrt(25) / 2 the same as sqrt(25 / 2)?",
        explanation="Dividing after the root divides by n where the root of n was due: the output is "
        "sqrt(n) times too long.",
        formula="x / (sqrt(sum(x²)) / n)",
        section=SIZE,
        group="values",
        family="average",
    ),
    ways(
        {"average": "root of n"},
        {"average": "times n"},
        {"average": "n + 1"},
        *({"average": count} for count in ("512", "768", "64")),
        slug="wrong-count",
        title="the sum of the squares is divided by a wrong number",
        hint="For [3, 4] two squares are added. By which number does your code divide their sum?",
        explanation="The mean needs the number of coordinates, whatever the width is. Any other number "
        "makes all outputs too long or too short by one factor.",
        formula="x / sqrt(sum(x²) / something else + eps)",
        section=SIZE,
        group="values",
        family="average",
    ),
    ways(
        {"average": "samples"},
        {"average": "positions"},
        {"average": "all numbers"},
        slug="counts-another-axis",
        title="the sum over the features is divided by the size of another axis",
        hint="x is [2, 3, 4]. By which of these numbers, or which product, does your code divide?",
        explanation="For a single vector it may be right by accident. In a batch the divisor has to be D, "
        "the last axis.",
        formula="x / sqrt(sum(x²) / B + eps)",
        section=MANY,
        group="values",
        family="average",
    ),
    ways(
        {"root": "square"},
        {"root": "twice"},
        {"root": "cube root"},
        {"power": "cubes", "root": "cube root"},
        {"power": "fourth powers"},
        {"power": "cubes"},
        {"eps": "between two roots"},
        slug="wrong-power",
        title="power and root do not undo each other as they should",
        hint="If x is in metres, what is your denominator in?",
        explanation="Squares, then the square root: any other pair measures in another unit or gives other "
        "weights.",
        formula="x / (another root of the mean of another power)",
        section=SIZE,
        group="values",
        family="root",
    ),
    ways(
        {"numerator": "absolute"},
        slug="loses-sign",
        title="the signs of x are lost",
        hint="What is your output for -x?",
        explanation="The vector's size is made of squares, but the vector itself keeps its signs.",
        formula="|x| / sqrt(mean(x²) + eps)",
        section=PLANE,
        group="values",
        family="numerator",
    ),
    ways(
        {"numerator": "squared"},
        slug="squares-divided",
        title="the squares are divided, not x",
        hint="Which of your variables stands above the line: x itself, or what was made of it?",
        explanation="The squares are only for measuring. What is divided is x.",
        formula="x² / sqrt(mean(x²) + eps)",
        section=SIZE,
        group="values",
        family="numerator",
    ),
    ways(
        {"numerator": "one"},
        slug="x-missing",
        title="x itself is missing: only one over its size comes out",
        hint="Do two different vectors of the same size give different outputs in your code?",
        explanation="All coordinates come out alike, so what the vector said is lost.",
        formula="1 / sqrt(mean(x²) + eps)",
        section=SIZE,
        group="values",
        family="numerator",
    ),
    ways(
        {"times": 2},
        slug="normalises-twice",
        title="the norm is applied twice",
        hint="Follow [3, 4] through forward: how often is it divided?",
        explanation="After the first time the size is 1 already, so with eps near zero little is seen. With "
        "a larger eps the vector shrinks again.",
        formula="norm(norm(x))",
        section=SIZE,
        group="eps",
    ),
    ways(
        {"times": 0},
        slug="not-normalised",
        title="x is not divided by its size",
        hint="What do [3, 4] and [30, 40] become? Should one be ten times the other?",
        explanation="The size goes through unchanged, so the next layer receives vectors of any size.",
        formula="x, without a denominator",
        section=SIZE,
        group="values",
    ),
    # -- axes --------------------------------------------------------------------------------------
    ways(
        {"keepdim": "lost"},
        {"keepdim": "lost, denominator first"},
        slug="keepdim-missing",
        title="the averaged axis is gone, so the denominators do not line up with their vectors",
        hint="Which shape has your mean for x of shape [2, 3, 4], and what does the division make of it?",
        explanation="Without an axis of length 1 in the last place, shapes are matched from the right: an "
        "error, or with equal sizes silently the wrong vector's denominator.",
        formula="x[b, t, i] / rms[b, i]",
        section=MANY,
        group="shapes",
        family="axis",
    ),
    ways(
        {"axis": "all"},
        slug="one-mean-for-all",
        title="one mean is taken over the whole tensor",
        hint="You change one sample of the batch. May the outputs of the others move?",
        explanation="All vectors share one denominator, so each depends on all others. A single vector "
        "comes out right, which hides it.",
        formula="x / sqrt(mean over all numbers of x² + eps)",
        section=MANY,
        group="independence",
        family="axis",
    ),
    ways(
        {"axis": "sample"},
        {"axis": "last two"},
        {"axis": "second and third"},
        slug="mean-over-positions-too",
        title="the mean runs over the positions as well as the features",
        hint="You change one position of a sample. May the outputs of the other positions move?",
        explanation="All positions of a sample share one denominator. In a language model an early position "
        "would then see the later ones.",
        formula="x / sqrt(mean over positions and features of x² + eps)",
        section=MANY,
        group="independence",
        family="axis",
    ),
    ways(
        {"axis": "second"},
        {"axis": "last but one"},
        slug="wrong-axis",
        title="the mean runs over the positions, not over the features",
        hint="Which axis of [B, T, D] is the vector, and how can it be named from the end?",
        explanation="Each feature is divided by its own size over time. A single vector has no such axis, "
        "and positions see each other.",
        formula="x / sqrt(mean over positions of x² + eps)",
        section=MANY,
        group="independence",
        family="axis",
    ),
    ways(
        {"axis": "first"},
        {"axis": "first two"},
        {"axis": "all but the last"},
        slug="mean-over-batch",
        title="the mean runs over the samples of the batch, as in BatchNorm",
        hint="Which axis is 0 for x of shape [B, T, D]? And is it the vector?",
        explanation="Each output then depends on the other samples of the batch, and a batch of one gives "
        "only signs.",
        formula="x / sqrt(mean over samples of x² + eps)",
        section=MANY,
        group="independence",
        family="axis",
    ),
    # -- scale -------------------------------------------------------------------------------------
    ways(
        {"scale": "ignored"},
        slug="scale-ignored",
        title="scale is there, but is never applied",
        hint="What changes in your output when scale is [2, -1, 0]?",
        explanation="While all factors are one, nothing is to be seen. They also get no gradient, so they "
        "stay one.",
        formula="x / sqrt(mean(x²) + eps)",
        section=MANY,
        group="values",
        family="scale",
    ),
    ways(
        {"scale": "one plus", "start": "zeros"},
        {"scale": "one plus"},
        slug="one-plus-scale",
        title="the factor is 1 + scale, as in Gemma",
        hint="What does your norm do with a scale of 0, and what does the formula?",
        explanation="Some models keep the distance from one, starting at zeros. Weights of the one "
        "convention are wrong in the other: here the factor is scale itself.",
        formula="(1 + scale) * x / sqrt(mean(x²) + eps)",
        section=MANY,
        group="interface",
        family="scale",
    ),
    ways(
        {"scale": "adds"},
        slug="scale-added",
        title="scale is added, not multiplied",
        hint="What does a scale of all ones do to your output?",
        explanation="Adding shifts each coordinate and changes the direction. A factor of one should change "
        "nothing.",
        formula="x / sqrt(mean(x²) + eps) + scale",
        section=MANY,
        group="values",
        family="scale",
    ),
    ways(
        {"scale": "before"},
        {"measured": "scaled", "scale": "ignored"},
        {"measured": "scaled"},
        slug="scale-before-norm",
        title="x is multiplied by scale before its size is measured",
        hint="If all factors are 2, is your output twice as long?",
        explanation="What is put in front is divided out again: a common factor of scale has no effect, and "
        "each factor changes all coordinates.",
        formula="scale * x / sqrt(mean((scale * x)²) + eps)",
        section=MANY,
        group="values",
        family="scale",
    ),
    ways(
        {"scale": "squared"},
        slug="scale-twice",
        title="scale is applied twice",
        hint="In how many of your lines does scale stand?",
        explanation="A factor of -2 becomes 4: the sign is lost and the size doubled. At the start nothing "
        "is seen.",
        formula="scale² * x / sqrt(mean(x²) + eps)",
        section=MANY,
        group="values",
        family="scale",
    ),
    ways(
        {"scale": "divides"},
        slug="scale-divides",
        title="the output is divided by scale",
        hint="What does a factor of 2 do to your output, and what does a factor of 0?",
        explanation="A factor of 0 should give 0; here it is a division by zero.",
        formula="x / (scale * sqrt(mean(x²) + eps))",
        section=MANY,
        group="values",
        family="scale",
    ),
    ways(
        {"scale": "averaged"},
        {"scale": "first"},
        {"scale": "flipped"},
        slug="scale-mixed-up",
        title="the coordinates do not get their own factors",
        hint="Which factor meets coordinate 0, and which meets coordinate 1?",
        explanation="scale[i] belongs to coordinate i and to no other.",
        formula="y[i] = scale[another i] * x[i] / sqrt(mean(x²) + eps)",
        section=MANY,
        group="values",
        family="scale",
    ),
    ways(
        {"scale": "absolute"},
        {"scale": "exponential"},
        {"scale": "sigmoid"},
        {"scale": "softplus"},
        {"scale": "subtracts"},
        {"scale": "exponential", "start": "zeros"},
        slug="scale-changed",
        title="scale is put through another function first",
        hint="With scale = [0.5, -2, 3], which factors does your code use?",
        explanation="The factor is scale itself, negative ones included.",
        formula="f(scale) * x / sqrt(mean(x²) + eps)",
        section=MANY,
        group="values",
        family="scale",
    ),
    ways(
        {"start": "zeros"},
        slug="scale-starts-at-zero",
        title="scale starts at zeros",
        hint="What comes out of a new norm?",
        explanation="Every output is zero at the start, and no gradient reaches x.",
        formula="0 * x / sqrt(mean(x²) + eps)",
        section=MANY,
        group="interface",
        family="start",
    ),
    ways(
        *({"start": start} for start in ("normal", "uniform", "small normal", "near one")),
        slug="scale-starts-random",
        title="scale starts with arbitrary numbers",
        hint="You build two norms. Do they give the same output for the same x?",
        explanation="rand, randn and empty give other numbers each time. A new norm should change no "
        "proportions.",
        formula="random * x / sqrt(mean(x²) + eps)",
        section=MANY,
        group="interface",
        family="start",
    ),
    ways(
        {"start": "root of width"},
        {"start": "one over root of width"},
        {"start": "one over width"},
        slug="scale-starts-elsewhere",
        title="scale starts at another number than one",
        hint="What is the root mean square of a new norm's output?",
        explanation="A new norm should bring every vector to size 1, so all factors start at one.",
        formula="constant * x / sqrt(mean(x²) + eps)",
        section=MANY,
        group="interface",
        family="start",
    ),
    ways(
        {"shape": "one"},
        {"shape": "number"},
        slug="scale-is-one-number",
        title="scale is a single number, not one for each coordinate",
        hint="How many parameters has RMSNorm(5)?",
        explanation="One factor for all coordinates can only make the whole vector longer or shorter.",
        formula="y[i] = scale * x[i] / sqrt(mean(x²) + eps)",
        section=MANY,
        group="interface",
        family="kept",
    ),
    ways(
        {"shape": "batch"},
        {"shape": "row"},
        {"shape": "column"},
        {"shape": "square"},
        slug="scale-shape",
        title="scale has another shape than [width]",
        hint="Which shape has your output for a single vector of shape [D]?",
        explanation="Axes of length 1 in front line up by themselves; stored in the parameter they add axes "
        "to the output and do not fit saved weights.",
        formula="scale of another shape",
        section=MANY,
        group="interface",
        family="kept",
    ),
    ways(
        *({"width": width} for width in (2, 4, 8, 16, 64, 512, 768)),
        *({"width": width, "scale": "multiplies from the left"} for width in (2, 4, 8, 16, 64, 512, 768)),
        slug="width-fixed",
        title="scale has a fixed width, not the one given to the constructor",
        hint="RMSNorm(5): where does this 5 arrive in your code?",
        explanation="The norm then fits vectors of a single width. A name from another cell is as fixed as "
        "a number.",
        formula="scale of a fixed width",
        section=WRITE,
        group="interface",
        family="kept",
    ),
    ways(
        {"kept": "none"},
        slug="scale-not-a-parameter",
        title="scale is a plain tensor, a buffer or in a plain list: not an nn.Parameter of the module",
        hint="What does list(norm.named_parameters()) show?",
        explanation="Only an nn.Parameter that is an attribute of the module is trained and saved with it.",
        formula="scale, unknown to the module",
        section=MANY,
        group="interface",
        family="kept",
    ),
    ways(
        {"kept": "none", "scale": "ignored"},
        slug="scale-missing",
        title="there is no scale that the constructor makes",
        hint="What does list(norm.named_parameters()) show, and what should be learned here?",
        explanation="Without a scale, or with one that each call of forward makes anew, nothing can be "
        "learned.",
        formula="x / sqrt(mean(x²) + eps)",
        section=MANY,
        group="interface",
        family="kept",
    ),
    ways(
        *(
            {"kept": name}
            for name in (
                "weight",
                "gamma",
                "g",
                "gain",
                "w",
                "alpha",
                "scales",
                "norm.weight",
                "rms_norm.weight",
            )
        ),
        slug="scale-renamed",
        title="the parameter has another name than scale",
        hint="Under which name will saved weights look for your factors?",
        explanation="Names are part of the agreement: weights are saved and loaded by name.",
        formula="the factors under another name",
        section=WRITE,
        group="interface",
        family="kept",
    ),
    ways(
        {"frozen": True},
        slug="scale-frozen",
        title="scale does not ask for a gradient",
        hint="What does norm.scale.requires_grad say?",
        explanation="The factors are to be learned. Without a gradient they stay as they start.",
        formula="scale with requires_grad = False",
        section=MANY,
        group="interface",
        family="kept",
    ),
    ways(
        *({"extra": name} for name in ("bias", "beta", "shift")),
        slug="bias-added",
        title="there is a bias as well, as in LayerNorm",
        hint="Where in the formula of section 5 is something added after the division?",
        explanation="RMSNorm only multiplies. The zero vector stays zero whatever is learned.",
        formula="scale * x / sqrt(mean(x²) + eps) + bias",
        section=MANY,
        group="interface",
        family="extra",
    ),
    ways(
        {"extra": "eps"},
        {"extra": "epsilon"},
        slug="eps-learned",
        title="eps is a parameter, so it would be learned",
        hint="Which of the numbers in the formula should an optimiser change?",
        explanation="eps is a constant. An optimiser could make it negative, and then the root is NaN.",
        formula="eps as an nn.Parameter",
        section=ZERO,
        group="interface",
        family="extra",
    ),
    # -- gradients ---------------------------------------------------------------------------------
    ways(
        {"denominator": "detached"},
        slug="denominator-detached",
        title="the denominator takes no part in the gradient",
        hint="When x moves, the root mean square moves too. Does autograd see that in your code?",
        explanation="detach, .data and no_grad cut the denominator off. The numbers are right, but the "
        "gradient has a part along x, which makes vectors longer for nothing.",
        formula="scale / rms, where the slope of rms is missing",
        section=SLOPE,
        group="gradients",
        family="detached",
    ),
    ways(
        {"denominator": "number"},
        {"denominator": "math.sqrt"},
        slug="denominator-is-a-number",
        title="the denominator is turned into a Python number",
        hint="How many denominators has a batch of six vectors?",
        explanation="item() and float() take one number out of autograd's sight, and there is one for each "
        "vector.",
        formula="x / float(rms)",
        section=MANY,
        group="shapes",
        family="detached",
    ),
    ways(
        {"numerator": "detached"},
        slug="numerator-detached",
        title="x above the line takes no part in the gradient",
        hint="Which of the two places of x in the formula does your gradient know?",
        explanation="Only the denominator's part flows back, so x is told to shrink or grow and nothing "
        "else.",
        formula="the slope of x itself is missing",
        section=SLOPE,
        group="gradients",
        family="detached",
    ),
    ways(
        {"reads": "detached"},
        slug="input-detached",
        title="the input is cut off from autograd",
        hint="After backward, what is x.grad?",
        explanation="x.data, x.detach() and torch.tensor(x) make a copy that autograd does not follow. No "
        "layer below this norm would learn.",
        formula="no gradient of x",
        section=SLOPE,
        group="gradients",
        family="detached",
    ),
    ways(
        {"scale": "detached"},
        slug="scale-detached",
        title="scale is cut off from autograd where it is used",
        hint="After backward, what is norm.scale.grad?",
        explanation="scale.data and scale.detach() give the numbers without their history, so the factors "
        "never learn.",
        formula="no gradient of scale",
        section=SLOPE,
        group="gradients",
        family="detached",
    ),
    ways(
        {"gradients": False},
        slug="nothing-has-a-gradient",
        title="the whole of forward is cut off from autograd",
        hint="Does the output of your norm know how it was made?",
        explanation="Under no_grad, or after a detach at the end, neither x nor scale gets a gradient.",
        formula="no gradient at all",
        section=SLOPE,
        group="gradients",
        family="detached",
    ),
    # -- side effects ------------------------------------------------------------------------------
    ways(
        {"writes": "x"},
        {"writes": "data"},
        {"writes": "squares"},
        slug="writes-into-x",
        title="the result is written into x itself",
        hint="Print x before and after the call. Which of your operations writes into it?",
        explanation="x *= ..., x[...] = ... and methods that end in _ change the caller's tensor. The "
        "residual connection would then add the normalised x.",
        formula="x ← x / sqrt(mean(x²) + eps)",
        section=WRITE,
        group="independence",
        family="writes",
    ),
    ways(
        {"denominator": "first"},
        {"denominator": "previous"},
        slug="remembers-denominator",
        title="a denominator is kept from one call to the next",
        hint="Call your norm with x and then with 5 x. Which vectors are measured?",
        explanation="What is stored on self in forward outlives the call. Each call has to measure its own "
        "vectors.",
        formula="x / sqrt(mean(the earlier x²) + eps)",
        section=MANY,
        group="independence",
        family="detached",
    ),
    ways(
        {"mode": "training"},
        {"mode": "evaluation"},
        slug="depends-on-mode",
        title="train and eval do different things",
        hint="What does your forward do when self.training is False?",
        explanation="A norm does the same in training and afterwards: it keeps no statistics.",
        formula="x, unchanged, in one of the two modes",
        section=MANY,
        group="independence",
        family="mode",
    ),
    ways(
        *({"drops": share} for share in (0.1, 0.5, 0.2)),
        slug="dropout-inside",
        title="there is dropout in the norm",
        hint="Call your norm twice with the same x. Are the outputs the same?",
        explanation="Zeros at random places in training, and the rest made larger. A norm has nothing "
        "random in it.",
        formula="dropout(scale * x / sqrt(mean(x²) + eps))",
        section=MANY,
        group="independence",
        family="mode",
    ),
    ways(
        {"adds": "x"},
        slug="adds-input",
        title="the input is added to the output",
        hint="Whose work is the residual connection, the norm's or the block's?",
        explanation="The block adds x around the whole branch. Inside the norm the size would come back in.",
        formula="x + scale * x / sqrt(mean(x²) + eps)",
        section=MANY,
        group="values",
    ),
    # -- what is returned --------------------------------------------------------------------------
    ways(
        *({"returns": kind} for kind in ("pair", "single", "list", "triple")),
        slug="returns-tuple",
        title="forward returns a tuple or list, not one tensor",
        hint="What is type(norm(x))? Is there a comma too many?",
        explanation="The next layer expects one tensor. A comma at the end of the line is enough to make a "
        "tuple.",
        formula="(y, something)",
        section=WRITE,
        group="interface",
        family="returns",
    ),
    ways(
        {"returns": "nothing"},
        slug="returns-nothing",
        title="forward returns nothing",
        hint="What does the last line of forward do with the result?",
        explanation="A function without return gives None.",
        formula="None",
        section=WRITE,
        group="interface",
        family="returns",
    ),
    ways(
        {"returns": "denominator"},
        slug="returns-denominator",
        title="the size is returned, not the vector divided by it",
        hint="Which shape goes in, and which comes out?",
        explanation="The root mean square is one number for each vector. x is still to be divided by it.",
        formula="sqrt(mean(x²) + eps)",
        section=SIZE,
        group="interface",
        family="returns",
    ),
    ways(
        *({"returns": kind} for kind in ("flat", "squeezed", "batched")),
        slug="shape-changed",
        title="the output has other axes than the input",
        hint="Which shapes have your outputs for x of shape [D], [1, 1, D] and [B, T, D]?",
        explanation="A reshape that is not undone, a squeeze or an added axis: the residual connection "
        "needs the same shape.",
        formula="y with other axes",
        section=MANY,
        group="shapes",
        family="returns",
    ),
    ways(
        {"returns": "bounded"},
        {"returns": "clamped"},
        {"scale": "bounded"},
        {"scale": "clamped"},
        slug="output-bounded",
        title="the output is held between -1 and 1",
        hint="[3, 4] becomes [0.8485, 1.1314]. Can your norm return 1.1314?",
        explanation="Size 1 means a mean square of 1, so single coordinates may well be larger than 1.",
        formula="bounded(scale * x / sqrt(mean(x²) + eps))",
        section=SIZE,
        group="values",
        family="returns",
    ),
    # -- precision --------------------------------------------------------------------
    ways(
        {"reads": "half"},
        {"reads": "bfloat16"},
        slug="precision-lost",
        title="x is rounded to half precision",
        hint="How many digits does float16 keep?",
        explanation="Three digits remain. A norm should lose none of the precision that x has.",
        formula="half(x) / sqrt(mean(half(x)²) + eps)",
        section="Shapes and precisions",
        group="values",
        family="reads",
    ),
]

COMMON = """
    eps-outside-root eps-missing eps-ignored subtracts-mean sum-not-mean one-mean-for-all keepdim-missing scale-ignored
    no-root multiplies-by-root denominator-detached writes-into-x wrong-axis mean-over-batch divides-by-n-minus-1
    unit-length standard-deviation scale-added bias-added scale-is-one-number scale-not-a-parameter scale-renamed
    mean-over-positions-too one-plus-scale scale-starts-at-zero scale-starts-random input-detached eps-squared
    normalises-twice mean-of-absolutes scale-before-norm eps-as-floor eps-before-squaring returns-tuple
"""


def rarity(kind: list[Mistake]) -> int:
    """Where a kind of mistake stands among the others, the commonest first."""
    common = COMMON.split()
    return common.index(kind[0].slug) if kind[0].slug in common else len(common)


# The usual way of each kind comes before the other ways, so that pairs of these are tried first.
KINDS.sort(key=rarity)
MISTAKES = [kind[0] for kind in KINDS] + [way for kind in KINDS for way in kind[1:]]
