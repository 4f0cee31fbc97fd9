# returns the size
# group: interface
# slugs: returns-denominator
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return torch.sqrt((x * x).mean(-1, keepdim=True) + self.eps)
