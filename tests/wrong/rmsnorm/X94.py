# flat tensor, one length
# group: independence
# slugs: one-mean-for-all
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        flat = x.reshape(-1)
        return self.scale * (flat / torch.sqrt(flat @ flat / len(flat) + self.eps)).view_as(x)
