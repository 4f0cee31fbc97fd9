# clamped output
# group: values
# slugs: output-bounded
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        y = x / torch.sqrt((x * x).mean(-1, keepdim=True) + self.eps)
        return self.scale * torch.tanh(y)
