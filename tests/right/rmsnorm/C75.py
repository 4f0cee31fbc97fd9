# another order in the constructor, made from an initialiser
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.scale = nn.Parameter(torch.empty(width))
        self.width = width
        nn.init.ones_(self.scale)
        self.eps = eps

    def forward(self, x):
        ms = x.square().sum(-1, keepdim=True).div(self.width)
        return x.div(ms.add(self.eps).sqrt()).mul(self.scale)
