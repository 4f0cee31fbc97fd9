# avoiding overflow: the largest is divided out first
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        biggest = x.detach().abs().amax(-1, keepdim=True).clamp(min=1.0)
        z = x / biggest
        rms = torch.sqrt(z.pow(2).mean(-1, keepdim=True) + self.eps / biggest**2)
        return self.scale * z / rms
