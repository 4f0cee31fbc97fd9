# F.normalize with eps passed on
# group: values
# slugs: unit-length
import torch
from torch import nn
from torch.nn.functional import normalize


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.scale * normalize(x, p=2, dim=-1, eps=self.eps)
