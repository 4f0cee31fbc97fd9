# loop over tokens
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        rows = [row / torch.sqrt((row * row).mean() + self.eps) for row in flat]
        return self.scale * torch.stack(rows).reshape(x.shape)
