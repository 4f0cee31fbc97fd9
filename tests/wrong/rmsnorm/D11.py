# one mean for all, as a number
# group: independence
# slugs: one-mean-for-all denominator-detached
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        rms = ((x * x).mean().item() + self.eps) ** 0.5
        return self.scale * (x / rms)
