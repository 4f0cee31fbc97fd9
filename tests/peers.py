"""Two other ways to check an answer, for comparison: the asserts of an ordinary lesson, and one plain allclose.

Both take a class as a submission wrote it and raise an exception when they are not content with it. They stand for what
courses usually do; the words "as in a lesson" mean one worked number, one moved position, one shape.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from autograder import oracle


def lesson_norm(norm_class: type[nn.Module]) -> None:
    norm = norm_class(2)
    assert torch.allclose(norm(torch.tensor([3.0, 4.0])), torch.tensor([0.848528, 1.131371]), atol=1e-4)
    assert norm(torch.randn(1, 3, 2)).shape == (1, 3, 2)


def lesson_attention(attention_class: type[nn.Module]) -> None:
    attention = attention_class(8, 2)
    x = torch.randn(1, 4, 8)
    moved = x.clone()
    moved[:, 2] += 5
    before, after = attention(x), attention(moved)
    assert torch.allclose(before[:, :2], after[:, :2], atol=1e-6)
    assert not torch.allclose(before[:, 2:], after[:, 2:])


def lesson_block(block_class: type[nn.Module]) -> None:
    from tiny_lm import ModelConfig  # the helpers beside the submission

    x = torch.randn(1, 3, 64, requires_grad=True)
    y = block_class(ModelConfig())(x)
    assert y.shape == (1, 3, 64)
    y.sum().backward()
    assert torch.isfinite(x.grad).all()


def allclose_norm(norm_class: type[nn.Module]) -> None:
    norm, x = norm_class(64), torch.randn(2, 5, 64)
    _close(norm(x), oracle.rms_norm(x, norm.scale, 1e-5))


def allclose_attention(attention_class: type[nn.Module]) -> None:
    attention, x = attention_class(64, 4), torch.randn(2, 5, 64)
    _close(attention(x), oracle.attention(x, dict(attention.named_parameters()), 4))


def allclose_block(block_class: type[nn.Module]) -> None:
    """A block of the catalogue has the given stand-ins for its parts, or parts of its author's own."""
    from tiny_lm import ModelConfig

    config = ModelConfig()
    block, x = block_class(config), torch.randn(2, 5, 64)
    weights = dict(block.named_parameters())
    real = oracle.block(x, weights, config.n_heads, config.rope_theta, config.norm_eps)
    _close(block(x), real, oracle.stand_in_block(x, weights))


def _close(came: Tensor, *allowed: Tensor) -> None:
    assert any(torch.allclose(came.double(), expected, atol=1e-4) for expected in allowed)


LESSON: dict[str, Callable[[type[nn.Module]], None]] = {
    "rmsnorm": lesson_norm,
    "causal_self_attention": lesson_attention,
    "transformer_block": lesson_block,
}
ALLCLOSE: dict[str, Callable[[type[nn.Module]], None]] = {
    "rmsnorm": allclose_norm,
    "causal_self_attention": allclose_attention,
    "transformer_block": allclose_block,
}
