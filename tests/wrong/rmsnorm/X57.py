# .item() on the mean
# group: shapes
# slugs: denominator-is-a-number
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        ms = (x * x).mean(-1, keepdim=True)
        rms = (ms + self.eps).sqrt().item()
        return self.scale * x / rms
