"""Parts that the checks put into a submission: they compute something simple and note what they got."""

import inspect
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn


class RecordingStub(nn.Module):
    """Computes factor * z + offset of its first argument and remembers every z."""

    def __init__(self, factor: float, offset: float) -> None:
        super().__init__()
        self.factor, self.offset = factor, offset
        self.received: list[Tensor] = []

    def forward(self, z: Tensor, *others: Any, **named: Any) -> Tensor:
        self.received.append(z.detach().clone())
        return self.factor * z + self.offset


def noting(part: type[nn.Module], calls: list[dict[str, Any]]) -> type[nn.Module]:
    """A subclass of `part` that appends the name and the arguments of each construction to `calls`."""
    signature = inspect.signature(part.__init__)

    class Noting(part):  # type: ignore[misc, valid-type]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            bound = signature.bind(self, *args, **kwargs)
            bound.apply_defaults()
            given = {name: _plain(value) for name, value in bound.arguments.items() if name != "self"}
            calls.append({"part": part.__name__, "arguments": given})
            super().__init__(*args, **kwargs)

    Noting.__name__ = Noting.__qualname__ = part.__name__
    return Noting


def _plain(value: Any) -> Any:
    if isinstance(value, Tensor) and value.numel() == 1:
        return value.item()
    return value if isinstance(value, int | float | bool | str | None) else repr(value)[:200]


def stand_ins(tiny_lm: ModuleType) -> dict[str, type[nn.Module]]:
    """The given parts by the names under which a block builds them."""
    simple = __import__("tiny_lm.stand_ins", fromlist=["RMSNorm"])
    return {
        "RMSNorm": simple.RMSNorm,
        "CausalSelfAttention": simple.CausalSelfAttention,
        "SwiGLU": tiny_lm.SwiGLU,
    }


def strided(x: Tensor) -> Tensor:
    """The same values laid out in memory with every second number unused: not contiguous."""
    wide = torch.zeros(*x.shape[:-1], 2 * x.shape[-1], dtype=x.dtype)
    wide[..., ::2] = x
    return wide[..., ::2]
