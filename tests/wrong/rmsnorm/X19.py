# eps divided by the width
# group: eps
# slugs: eps-before-division
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        total = torch.sum(x**2, dim=-1, keepdim=True)
        return self.scale * x / torch.sqrt((total + self.eps) / x.shape[-1])
