# only half of the features are measured
# group: values
# slugs: measures-a-part
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        k = max(1, x.shape[-1] // 2)
        ms = (x[..., :k] ** 2).mean(-1, keepdim=True)
        return self.scale * x / torch.sqrt(ms + self.eps)
