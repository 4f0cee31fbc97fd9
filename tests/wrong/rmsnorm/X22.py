# eps added to x everywhere
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
        x = x + self.eps
        return self.scale * x / x.pow(2).mean(-1, keepdim=True).sqrt()
