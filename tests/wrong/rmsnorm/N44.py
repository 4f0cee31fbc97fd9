# three axes expected
# group: shapes
# slugs: number-of-axes-assumed
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        B, T, D = x.shape
        ms = x.view(B * T, D).square().mean(dim=1).view(B, T, 1)
        return self.scale * x / torch.sqrt(ms + self.eps)
