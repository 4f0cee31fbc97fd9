# mean of the absolute values
# group: values
# slugs: mean-of-absolutes
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        size = x.abs().mean(-1, keepdim=True)
        return self.scale * x / (size + self.eps)
