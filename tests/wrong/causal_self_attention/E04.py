# a global in the place of the argument
# group: shapes
# slugs: heads-written-down
import torch
from tiny_lm import apply_rope, attention_2d, merge_heads, split_heads
from torch import nn


heads = 4


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
        q = split_heads(self.q_proj(x), heads)
        k = split_heads(self.k_proj(x), heads)
        v = split_heads(self.v_proj(x), heads)
        positions = torch.arange(x.shape[1], device=x.device)
        q, k = apply_rope(q, k, positions, self.theta)
        context, _ = attention_2d(q, k, v)
        return self.out_proj(merge_heads(context))
