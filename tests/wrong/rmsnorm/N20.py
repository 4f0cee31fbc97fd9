# mean over the batch axis
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
        ms = x.square().mean(dim=0, keepdim=True)
        return x / (ms + self.eps).sqrt() * self.scale
