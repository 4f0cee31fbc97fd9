# einsum
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        ms = torch.einsum("...d,...d->...", x, x)[..., None] / x.shape[-1]
        return torch.einsum("...d,d->...d", x / (ms + self.eps).sqrt(), self.scale)
