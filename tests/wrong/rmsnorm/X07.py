# L1 norm
# group: values
# slugs: sum-of-absolutes
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.scale * x / x.norm(p=1, dim=-1, keepdim=True)
