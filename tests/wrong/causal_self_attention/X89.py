# plain tensors
# group: interface
# slugs: plain-list plain-tensors layers-built-in-forward
import torch
from tiny_lm import apply_rope, attention_2d, merge_heads, split_heads
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, theta=10000.0):
        super().__init__()
        self.heads = heads
        self.theta = theta
        self.q_proj = torch.randn(width, width) / width**0.5
        self.k_proj = torch.randn(width, width) / width**0.5
        self.v_proj = torch.randn(width, width) / width**0.5
        self.out_proj = torch.randn(width, width) / width**0.5

    def forward(self, x):
        q = split_heads(x @ self.q_proj.T, self.heads)
        k = split_heads(x @ self.k_proj.T, self.heads)
        v = split_heads(x @ self.v_proj.T, self.heads)
        positions = torch.arange(x.shape[1], device=x.device)
        q, k = apply_rope(q, k, positions, self.theta)
        context, _ = attention_2d(q, k, v)
        return merge_heads(context) @ self.out_proj.T
