# divides by n - 1
# group: values
# slugs: divides-by-n-minus-1
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        n = x.size(-1)
        ms = x.pow(2).sum(dim=-1, keepdim=True) / (n - 1)
        return self.scale * x / (ms + self.eps).sqrt()
