"""Simple parts with the signatures and parameters of the real ones, so that a block can be built and run.

They are not the real thing: this norm does not normalise, and this attention gives every position the
plain average of itself and what came before it. What you wire together with them keeps working when
the real parts take their places.
"""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    """Multiplies by `scale` and leaves the size of the vector alone. [..., width] -> [..., width]."""

    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.scale


class CausalSelfAttention(nn.Module):
    """Every position gets the plain average of the past, itself included. [B, T, D] -> [B, T, D]."""

    def __init__(self, width: int, heads: int, theta: float = 10000.0) -> None:
        super().__init__()
        self.heads, self.theta = heads, theta
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, width, bias=False)
        self.v_proj = nn.Linear(width, width, bias=False)
        self.out_proj = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        seen = torch.arange(1, x.shape[1] + 1, device=x.device, dtype=x.dtype)  # [T]
        averages = self.v_proj(x).cumsum(dim=1) / seen[:, None]  # [B, T, D]
        return self.out_proj(averages)  # [B, T, D]
