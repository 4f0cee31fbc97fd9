# LayerNorm by library
# group: values
# slugs: subtracts-mean
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return torch.nn.functional.layer_norm(x, x.shape[-1:], self.scale, eps=self.eps)
