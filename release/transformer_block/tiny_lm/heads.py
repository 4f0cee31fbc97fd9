"""Between one wide tensor and many narrow heads."""

from torch import Tensor


def split_heads(x: Tensor, heads: int) -> Tensor:
    """Cut the features of every position into heads.

    x: [B, T, D] -> [B, H, T, d] with d = D / H; element [b, h, t, j] is x[b, t, h*d + j].
    Raises ValueError when D is not a multiple of `heads`.
    """
    batch, time, width = x.shape
    if width % heads:
        raise ValueError(f"a width of {width} does not divide into {heads} heads")
    return x.reshape(batch, time, heads, width // heads).transpose(1, 2)  # [B, H, T, d]


def merge_heads(context: Tensor) -> Tensor:
    """Lay the heads of every position side by side again: the inverse of `split_heads`.

    context: [B, H, T, d] -> [B, T, H*d].
    """
    batch, heads, time, head_width = context.shape
    return context.transpose(1, 2).reshape(batch, time, heads * head_width)  # [B, T, D]
