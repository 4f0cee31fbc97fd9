# divides by the mean square, no root
# group: values
# slugs: no-root
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        ms = x.square().mean(dim=-1, keepdim=True)
        x = x / (ms + self.eps)
        return x * self.scale
