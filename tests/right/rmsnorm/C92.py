# float32 inside, autocast off
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        with torch.autocast(device_type="cpu", enabled=False):
            wide = x.to(torch.float32)
            wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
            return (wide * self.scale).to(x.dtype)
