# NumPy
# group: gradients
# slugs: gradient-taken-to-numpy
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        a = x.detach().numpy() if False else x.numpy()
        a = torch.from_numpy(a)
        return self.scale * a / torch.sqrt(a.pow(2).mean(-1, keepdim=True) + self.eps)
