# layers built in forward
# group: interface
# slugs: plain-list plain-tensors layers-built-in-forward
import torch
from tiny_lm import apply_rope, attention_2d, merge_heads, split_heads
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, theta=10000.0):
        super().__init__()
        self.width, self.heads, self.theta = width, heads, theta

    def forward(self, x):
        q = split_heads(nn.Linear(self.width, self.width, bias=False)(x), self.heads)
        k = split_heads(nn.Linear(self.width, self.width, bias=False)(x), self.heads)
        v = split_heads(nn.Linear(self.width, self.width, bias=False)(x), self.heads)
        q, k = apply_rope(q, k, torch.arange(x.shape[1]), self.theta)
        context, _ = attention_2d(q, k, v)
        return nn.Linear(self.width, self.width, bias=False)(merge_heads(context))
