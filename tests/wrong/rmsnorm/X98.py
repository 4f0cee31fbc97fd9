# small vectors are skipped
# group: values
# slugs: none
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        rms = torch.sqrt((x * x).mean(-1, keepdim=True) + self.eps)
        return self.scale * torch.where(rms < 1.0, x, x / rms)
