# n times where sqrt(n) was due
# group: values
# slugs: divides-after-root
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        n = x.shape[-1]
        return self.scale * x * n / torch.sqrt((x * x).sum(-1, keepdim=True) + self.eps)
