# F.rms_norm over everything but the batch
# group: independence
# slugs: mean-over-positions-too
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return torch.nn.functional.rms_norm(x, x.shape[1:] or x.shape, eps=self.eps) * self.scale
