# the scaled vector is measured, the unscaled one divided
# group: values
# slugs: scale-before-norm
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        y = self.scale * x
        return x / torch.sqrt((y * y).mean(-1, keepdim=True) + self.eps)
