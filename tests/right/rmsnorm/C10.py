# (ms + eps) ** -0.5
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        ms = (x**2).mean(-1, keepdim=True)
        return self.scale * (x * (ms + self.eps) ** -0.5)
