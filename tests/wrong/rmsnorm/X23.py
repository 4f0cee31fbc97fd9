# default eps 1e-8
# group: eps
# slugs: eps-default
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width: int, eps: float = 1e-8) -> None:
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.scale * (x / (x.pow(2).mean(-1, keepdim=True) + self.eps).sqrt())
