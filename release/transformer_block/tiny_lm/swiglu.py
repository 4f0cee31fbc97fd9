"""The feed-forward network of the block."""

import torch.nn.functional as F
from torch import Tensor, nn


class SwiGLU(nn.Module):
    """A feed-forward network with a gate: down_proj(silu(gate_proj(x)) * up_proj(x)), without biases.

    [..., d_model] -> [..., d_model], with d_ff features inside.
    Source: Shazeer 2020, "GLU Variants Improve Transformer", eq. 6.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(d_model, d_ff, bias=False)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gated = F.silu(self.gate_proj(x)) * self.up_proj(x)  # [..., d_ff]
        return self.down_proj(gated)  # [..., d_model]
