# new module built in forward
# group: interface
# slugs: scale-not-a-parameter scale-missing
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.width = width
        self.eps = eps

    def forward(self, x):
        norm = nn.RMSNorm(self.width, eps=self.eps)
        return norm(x)
