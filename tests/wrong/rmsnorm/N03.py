# eps hard-coded, the argument ignored
# group: eps
# slugs: eps-ignored
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = 1e-6
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        variance = x.to(torch.float32).pow(2).mean(-1, keepdim=True)
        return self.scale * (x * torch.rsqrt(variance + self.eps))
