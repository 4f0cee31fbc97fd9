# double up and back
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        wide = x.double()
        y = wide / torch.sqrt(wide.square().mean(-1, keepdim=True) + self.eps)
        return self.scale * y.to(x.dtype)
