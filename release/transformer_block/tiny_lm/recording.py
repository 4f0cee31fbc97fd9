"""Look at the tensors inside a forward pass without changing what it returns."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import Tensor

_recordings: list[dict[str, Tensor]] = []


def record(name: str, tensor: Tensor) -> None:
    """Keep a copy of `tensor` under `name` in the open recording; outside of one, do nothing."""
    if _recordings:
        _recordings[-1][name] = tensor.detach().clone()


@contextmanager
def recording() -> Iterator[dict[str, Tensor]]:
    """Collect everything that is recorded inside the `with` block.

    with recording() as inside:
        attention(x)
    inside["weights"]  # [B, H, T, T]
    """
    tensors: dict[str, Tensor] = {}
    _recordings.append(tensors)
    try:
        yield tensors
    finally:
        _recordings.remove(tensors)
