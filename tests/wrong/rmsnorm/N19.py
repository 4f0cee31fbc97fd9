# mean over dim=1
# group: shapes
# slugs: wrong-axis
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        mean = x.pow(2).mean(dim=1, keepdim=True)
        return self.scale * x * torch.rsqrt(mean + self.eps)
