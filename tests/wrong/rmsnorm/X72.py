# squares divided
# group: values
# slugs: squares-divided
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        x = x**2
        rms = torch.sqrt(x.mean(-1, keepdim=True) + self.eps)
        return self.scale * x / rms
