# sum of squares, and eps outside the root
# group: values
# slugs: sum-not-mean eps-outside-root unit-length
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.scale * x / (x.pow(2).sum(-1, keepdim=True).sqrt() + self.eps)
