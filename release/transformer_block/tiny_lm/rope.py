"""Rotary position embedding."""

import torch
from torch import Tensor


def apply_rope(q: Tensor, k: Tensor, positions: Tensor, theta: float) -> tuple[Tensor, Tensor]:
    """Turn every adjacent pair of features by an angle that grows with the position.

    q, k: [..., T, d] with d even; positions: [T]. Returns the turned q and k, same shapes.
    The pair (2i, 2i+1) at position p turns by p * theta**(-2i/d).
    Raises ValueError when d is odd. Source: Su et al. 2021, "RoFormer", eq. 34.
    """
    width = q.shape[-1]
    if width % 2:
        raise ValueError(f"RoPE turns pairs of features, and a head of width {width} has one left over")
    exponents = torch.arange(0, width, 2, dtype=torch.float32, device=q.device) / width  # [d/2]
    angles = positions.to(torch.float32)[:, None] * theta**-exponents  # [T, d/2]
    cos, sin = angles.cos().to(q.dtype), angles.sin().to(q.dtype)
    return _turn(q, cos, sin), _turn(k, cos, sin)


def _turn(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    even, odd = x[..., 0::2], x[..., 1::2]  # [..., T, d/2]
    turned = torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1)  # [..., T, d/2, 2]
    return turned.flatten(-2)  # [..., T, d]
