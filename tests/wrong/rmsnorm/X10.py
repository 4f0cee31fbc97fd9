# length divided by n
# group: values
# slugs: divides-after-root
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        rms = torch.sqrt(x.pow(2).sum(-1, keepdim=True) + self.eps) / x.shape[-1]
        return self.scale * x / rms
