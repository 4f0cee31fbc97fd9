# statistics of the batches, as in BatchNorm
# group: independence
# slugs: none
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))
        self.register_buffer("running", torch.ones(1))

    def forward(self, x):
        if self.training:
            rms = torch.sqrt((x * x).mean(-1, keepdim=True) + self.eps)
            self.running = 0.9 * self.running + 0.1 * rms.detach().mean()
        else:
            rms = self.running
        return self.scale * x / rms
