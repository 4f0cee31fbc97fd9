# scale is a buffer
# group: interface
# slugs: scale-not-a-parameter scale-missing
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.register_buffer("scale", torch.ones(width))

    def forward(self, x):
        return self.scale * x / torch.sqrt((x * x).mean(-1, keepdim=True) + self.eps)
