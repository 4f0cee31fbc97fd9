# the root of the root
# group: values
# slugs: wrong-power
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        r = (x * x).mean(-1, keepdim=True).sqrt()
        return self.scale * x * torch.rsqrt(r + self.eps)
