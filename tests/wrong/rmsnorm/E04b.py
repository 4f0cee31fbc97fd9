# uses a notebook global in forward
# group: interface
# slugs: name-from-elsewhere
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        ms = (x * x).sum(-1, keepdim=True) / width
        return self.scale * x / torch.sqrt(ms + self.eps)
