# divided by the number of all numbers
# group: values
# slugs: counts-another-axis
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        ms = (x * x).sum(-1, keepdim=True) / x.numel()
        return self.scale * x / torch.sqrt(ms + self.eps)
