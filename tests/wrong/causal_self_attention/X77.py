# x @ weight in all four
# group: projections
# slugs: weight-transposed
import torch
import torch.nn.functional as F
from tiny_lm import apply_rope, merge_heads, split_heads
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
        q = split_heads(x @ self.q_proj.weight, self.heads)
        k = split_heads(x @ self.k_proj.weight, self.heads)
        v = split_heads(x @ self.v_proj.weight, self.heads)
        q, k = apply_rope(q, k, torch.arange(x.size(1)), self.theta)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return merge_heads(y) @ self.out_proj.weight
