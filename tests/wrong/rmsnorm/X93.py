# x.norm / sqrt(D) + eps
# group: eps
# slugs: eps-outside-root
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        rms = x.norm(dim=-1, keepdim=True) / x.shape[-1] ** 0.5
        return self.scale * x / (rms + self.eps)
