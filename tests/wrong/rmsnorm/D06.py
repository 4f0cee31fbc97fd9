# n - 1 and scale ignored
# group: values
# slugs: divides-by-n-minus-1 scale-ignored
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        ms = (x * x).sum(-1, keepdim=True) / (x.shape[-1] - 1)
        return x / torch.sqrt(ms + self.eps)
