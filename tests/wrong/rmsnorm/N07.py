# sum of squares instead of mean
# group: values
# slugs: sum-not-mean
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        total = (x**2).sum(dim=-1, keepdim=True)
        return self.scale * x / torch.sqrt(total + self.eps)
