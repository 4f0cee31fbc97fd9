# flattened
# group: shapes
# slugs: shape-changed
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        y = self.scale * flat / torch.sqrt((flat * flat).mean(-1, keepdim=True) + self.eps)
        return y
