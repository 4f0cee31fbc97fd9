# half precision inside
# group: values
# slugs: precision-lost
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        h = x.half()
        ms = h.pow(2).mean(-1, keepdim=True)
        return self.scale * h / torch.sqrt(ms + self.eps)
