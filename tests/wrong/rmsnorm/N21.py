# keepdim missing
# group: shapes
# slugs: keepdim-missing
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        ms = x.square().mean(dim=-1)
        return x / (ms + self.eps).sqrt() * self.scale
