# eps added to x before squaring
# group: eps
# slugs: eps-before-squaring
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        size = ((x + self.eps) ** 2).mean(dim=-1, keepdim=True).sqrt()
        return self.scale * x / size
