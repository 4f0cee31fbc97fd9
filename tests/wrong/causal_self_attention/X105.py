# no_grad around RoPE
# group: gradients
# slugs: detached-weights detached-q-and-k
import torch
from tiny_lm import apply_rope, attention_2d, merge_heads, split_heads
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, theta=10000.0):
        super().__init__()
        self.heads = heads
        self.theta = theta
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, width, bias=False)
        self.v_proj = nn.Linear(width, width, bias=False)
        self.out_proj = nn.Linear(width, width, bias=False)

    def forward(self, x):
        q = split_heads(self.q_proj(x), self.heads)
        k = split_heads(self.k_proj(x), self.heads)
        v = split_heads(self.v_proj(x), self.heads)
        positions = torch.arange(x.shape[1], device=x.device)
        with torch.no_grad():
            q, k = apply_rope(q, k, positions, self.theta)
        context, _ = attention_2d(q, k, v)
        return self.out_proj(merge_heads(context))
