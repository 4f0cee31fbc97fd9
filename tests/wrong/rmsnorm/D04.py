# eps missing and detached denominator
# group: gradients
# slugs: eps-missing denominator-detached
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        rms = x.detach().pow(2).mean(-1, keepdim=True).sqrt()
        return self.scale * (x / rms)
