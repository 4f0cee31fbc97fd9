# an inner module that is given width and eps, and a static helper
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    @staticmethod
    def rms(x, eps):
        return torch.sqrt(torch.mean(torch.square(x), dim=-1, keepdim=True) + eps)

    def forward(self, x):
        return torch.mul(torch.div(x, self.rms(x, self.eps)), self.scale)
