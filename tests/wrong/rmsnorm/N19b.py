# mean over dim=-2
# group: independence
# slugs: wrong-axis
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        mean = (x * x).mean(dim=-2, keepdim=True)
        return self.scale * x / (mean + self.eps) ** 0.5
