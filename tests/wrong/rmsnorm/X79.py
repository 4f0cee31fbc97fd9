# power by xor-like slip: cube
# group: values
# slugs: wrong-power
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        ms = x.pow(4).mean(-1, keepdim=True)
        return self.scale * x / (ms + self.eps).sqrt()
