# divided by 512
# group: values
# slugs: wrong-count
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.scale * x / torch.sqrt((x * x).sum(-1, keepdim=True) / 512 + self.eps)
