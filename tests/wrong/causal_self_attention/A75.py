# modules in a plain list
# group: interface
# slugs: plain-list plain-tensors layers-built-in-forward
import torch
from tiny_lm import apply_rope, attention_2d, merge_heads, split_heads
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, theta=10000.0):
        super().__init__()
        self.heads, self.theta = heads, theta
        self.projections = [nn.Linear(width, width, bias=False) for _ in range(4)]

    def forward(self, x):
        q, k, v = [split_heads(p(x), self.heads) for p in self.projections[:3]]
        q, k = apply_rope(q, k, torch.arange(x.shape[1]), self.theta)
        return self.projections[3](merge_heads(attention_2d(q, k, v)[0]))
