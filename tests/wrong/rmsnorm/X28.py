# nan_to_num in place of eps
# group: eps
# slugs: eps-only-at-zero
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        rms = x.square().mean(-1, keepdim=True).sqrt()
        return self.scale * torch.nan_to_num(x / rms)
