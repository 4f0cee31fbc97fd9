# norm() ** 2 / D
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        ms = x.norm(dim=-1, keepdim=True) ** 2 / x.shape[-1]
        return self.scale * x / torch.sqrt(ms + self.eps)
