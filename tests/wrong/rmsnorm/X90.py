# wraps nn.RMSNorm
# group: interface
# slugs: scale-renamed
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.norm = nn.RMSNorm(width, eps=eps)

    def forward(self, x):
        return self.norm(x)
