# scale is a plain tensor
# group: interface
# slugs: scale-not-a-parameter scale-missing
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = torch.ones(width, requires_grad=True)

    def forward(self, x):
        return self.scale * x / torch.sqrt((x * x).mean(-1, keepdim=True) + self.eps)
