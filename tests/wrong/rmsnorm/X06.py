# largest absolute value
# group: values
# slugs: largest-not-mean
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        biggest, _ = x.abs().max(dim=-1, keepdim=True)
        return x / (biggest + self.eps) * self.scale
