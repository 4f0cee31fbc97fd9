# scale initialised with uniform_
# group: interface
# slugs: scale-starts-random
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.Tensor(width))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.uniform_(self.scale)

    def forward(self, x):
        return self.scale * x / torch.sqrt((x * x).mean(-1, keepdim=True) + self.eps)
