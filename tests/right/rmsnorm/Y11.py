# torch.rms_norm with a list, positional names changed
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-05):
        super().__init__()
        self.dim, self.eps = dim, eps
        self.register_parameter("scale", nn.Parameter(torch.full((dim,), 1.0)))

    def forward(self, hidden_states):
        return torch.rms_norm(hidden_states, [self.dim], self.scale, self.eps)

    def extra_repr(self):
        return f"{self.dim}, eps={self.eps}"
