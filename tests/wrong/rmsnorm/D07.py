# eps hard-coded and keepdim missing
# group: shapes
# slugs: eps-ignored keepdim-missing shapes-do-not-broadcast
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        ms = (x * x).mean(-1)
        return self.scale * x / torch.sqrt(ms + 1e-6)
