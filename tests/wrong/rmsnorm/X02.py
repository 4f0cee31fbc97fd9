# torch.var in place of the mean of the squares
# group: values
# slugs: standard-deviation
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        var = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.scale * x * torch.rsqrt(var + self.eps)
