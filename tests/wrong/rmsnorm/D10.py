# x -= mean: LayerNorm in place
# group: values
# slugs: subtracts-mean writes-into-x
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        x -= x.mean(-1, keepdim=True)
        return self.scale * x / torch.sqrt((x * x).mean(-1, keepdim=True) + self.eps)
