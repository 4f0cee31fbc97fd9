# F.normalize times sqrt(D)
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
        return self.scale * torch.nn.functional.normalize(x, dim=-1) * x.shape[-1] ** 0.5
