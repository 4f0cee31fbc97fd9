# a global of the notebook instead of the argument
# group: interface
# slugs: width-fixed
import torch
from torch import nn

D = 8


class RMSNorm(nn.Module):
    def __init__(self, width=D, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(D))

    def forward(self, x):
        return self.scale * x / torch.sqrt((x * x).mean(-1, keepdim=True) + self.eps)
