# median of the squares
# group: values
# slugs: median-not-mean
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        middle = (x * x).median(dim=-1, keepdim=True).values
        return self.scale * x / torch.sqrt(middle + self.eps)
