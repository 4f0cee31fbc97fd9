# root of eps added outside
# group: eps
# slugs: eps-twice-or-split
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        rms = x.pow(2).mean(-1, keepdim=True).sqrt() + self.eps**0.5
        return self.scale * x / rms
