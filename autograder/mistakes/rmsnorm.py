"""What wrong norms compute."""

from typing import Any

import torch
from torch import Tensor, nn

from autograder.mistakes import Mistake


def variant(
    centre: bool = False,
    eps_place: str = "inside",
    eps_value: float | None = None,
    divisor: str = "mean",
    axes: str = "last",
    root: str = "root",
    scale: str = "multiplies",
    start: str = "ones",
    twice: bool = False,
    detached: str = "",
    in_place: bool = False,
    memory: bool = False,
    minimum: bool = False,
) -> dict[str, Any]:
    """The names that a submission with these options defines; no options give the right norm."""

    class RMSNorm(nn.Module):
        def __init__(self, width: int, eps: float = 1e-5) -> None:
            super().__init__()
            self.eps = eps if eps_value is None else eps_value
            shape = (1,) if scale == "scalar" else (width,)
            first = {"ones": torch.ones, "zeros": torch.zeros, "random": torch.randn}[start](shape)
            if scale == "plain":
                self.scale = first
            elif scale == "buffer":
                self.register_buffer("scale", first)
            elif scale != "none":
                self.scale = nn.Parameter(first)
            if scale == "weight-and-bias":
                self.bias = nn.Parameter(torch.zeros(shape))

        def forward(self, x: Tensor) -> Tensor:
            if detached == "input":
                x = x.detach()
            y = self.normalise(x)
            if twice:
                y = self.normalise(y)
            return y

        def normalise(self, x: Tensor) -> Tensor:
            source = x
            if eps_place == "input":
                x = x + self.eps
            if centre:
                x = x - x.mean(dim=-1, keepdim=True)
            if memory and hasattr(self, "denominator"):
                denominator = self.denominator
            else:
                denominator = self.denominator_of(source if centre and divisor == "mean-uncentred" else x)
            if memory:
                self.denominator = denominator
            if detached == "denominator":
                denominator = denominator.detach()
            if in_place:
                y = x.div_(denominator)
            elif root == "inverted":
                y = x * denominator
            else:
                y = x / denominator
            if scale in ("none", "ignored"):
                return y
            factor = 1 + self.scale if scale == "one-plus" else self.scale
            return y + factor if scale == "adds" else y * factor

        def denominator_of(self, x: Tensor) -> Tensor:
            dims = {"last": -1, "all": None, "positions": -2, "batch": 0, "not-batch": list(range(1, x.dim()))}[axes]
            if axes == "not-batch" and x.dim() == 1:
                dims = -1
            squares = x.abs() if divisor == "mean-of-absolutes" else x.square()
            mean = squares.mean() if dims is None else squares.mean(dim=dims, keepdim=True)
            size = x.shape[-1]
            if divisor == "sum":
                mean = mean * size
            elif divisor == "n-1":
                mean = mean * size / (size - 1)
            elif divisor == "root-of-sum-over-n":
                mean = mean * size
            eps = self.eps
            if eps_place == "missing":
                eps = 0.0
            if root == "none":
                return mean + (eps if eps_place != "input" else 0.0)
            if divisor == "mean-of-absolutes":
                return mean + eps
            if eps_place == "outside":
                result = mean.sqrt() + eps
            elif eps_place == "squared":
                result = (mean + eps**2).sqrt()
            elif eps_place == "clamped":
                result = mean.sqrt().clamp(min=eps)
            elif eps_place == "clamped-inside":
                result = mean.clamp(min=eps).sqrt()
            elif eps_place in ("input", "missing"):
                result = mean.sqrt()
            else:
                result = (mean + eps).sqrt()
            return result / size if divisor == "root-of-sum-over-n" else result

    return {"RMSNorm": RMSNorm}

MISTAKES = [
    Mistake(
        slug="subtracts-mean",
        title="this is LayerNorm: it subtracts the mean",
        hint="Which number is added up to zero by your output, and does RMSNorm promise that?",
        explanation="The output adds up to zero and no longer points where x points. RMSNorm keeps the direction and changes only the length.",
        formula="y = scale * (x - mean(x)) / sqrt(mean((x - mean(x))²) + eps)",
        section="Picture",
        group="values",
        options={"centre": True},
    ),
]
