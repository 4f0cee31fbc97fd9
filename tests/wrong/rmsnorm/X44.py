# with a bias
# group: interface
# slugs: bias-added
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return self.scale * x / torch.sqrt((x * x).mean(-1, keepdim=True) + self.eps) + self.bias
