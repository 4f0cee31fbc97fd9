# squares in half precision where x is half
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        squares = x**2
        return self.scale * x / torch.sqrt(squares.mean(dim=-1, keepdim=True) + self.eps)
