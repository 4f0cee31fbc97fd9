# a custom autograd function
import torch
from torch import nn


class Normalise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps):
        inverse = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
        ctx.save_for_backward(x, inverse)
        return x * inverse

    @staticmethod
    def backward(ctx, grad):
        x, inverse = ctx.saved_tensors
        y = x * inverse
        return inverse * (grad - y * (grad * y).mean(-1, keepdim=True)), None


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.scale * Normalise.apply(x, self.eps)
