# SDPA bool attn_mask
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
        q = split_heads(self.q_proj(x), self.heads)
        k = split_heads(self.k_proj(x), self.heads)
        v = split_heads(self.v_proj(x), self.heads)
        q, k = apply_rope(q, k, torch.arange(x.size(1)), self.theta)
        visible = torch.ones(x.size(1), x.size(1)).tril().bool()
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
        return self.out_proj(merge_heads(y))
