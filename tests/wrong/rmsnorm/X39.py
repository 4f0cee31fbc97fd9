# weight for scale
# group: interface
# slugs: scale-renamed
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return self.weight * x / torch.sqrt((x * x).mean(-1, keepdim=True) + self.eps)
