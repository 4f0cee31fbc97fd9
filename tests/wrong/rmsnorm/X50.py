# mean over batch and positions
# group: independence
# slugs: mean-over-batch
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        axes = tuple(range(x.dim() - 1)) or (0,)
        ms = x.square().mean(dim=axes, keepdim=True)
        return self.scale * x / torch.sqrt(ms + self.eps)
