# a float32 table
# group: shapes
# slugs: dtype-written-down
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        n = x.shape[-1]
        averaging = torch.full((n, 1), 1 / n)
        return self.scale * x / torch.sqrt((x * x) @ averaging + self.eps)
