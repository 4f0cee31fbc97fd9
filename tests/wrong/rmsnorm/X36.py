# the mean of scale
# group: values
# slugs: scale-mixed-up
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.scale.mean() * x / torch.sqrt((x * x).mean(-1, keepdim=True) + self.eps)
