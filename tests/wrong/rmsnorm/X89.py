# math.sqrt of a tensor
# group: shapes
# slugs: denominator-is-a-number
import math

import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.scale * x / math.sqrt((x * x).mean(-1) + self.eps)
