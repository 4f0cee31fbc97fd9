# whole-tensor mean and eps outside
# group: eps
# slugs: eps-outside-root one-mean-for-all
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        rms = x.pow(2).mean().sqrt()
        return self.scale * (x / (rms + self.eps))
