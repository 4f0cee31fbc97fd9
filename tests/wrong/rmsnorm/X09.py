# the mean is squared
# group: values
# slugs: squares-the-mean
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        m = x.mean(dim=-1, keepdim=True) ** 2
        return self.scale * x / torch.sqrt(m + self.eps)
