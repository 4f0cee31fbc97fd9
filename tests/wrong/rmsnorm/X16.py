# eps only for the zero vector
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
        rms = x.pow(2).mean(-1, keepdim=True).sqrt()
        rms = torch.where(rms == 0, torch.full_like(rms, self.eps), rms)
        return self.scale * x / rms
