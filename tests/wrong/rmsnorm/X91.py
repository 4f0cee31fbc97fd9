# a LayerNorm module without its weights
# group: values
# slugs: subtracts-mean
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.norm = nn.LayerNorm(width, eps=eps, elementwise_affine=False)
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.scale * self.norm(x)
