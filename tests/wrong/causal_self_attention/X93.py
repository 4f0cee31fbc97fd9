# fused c_attn
# group: interface
# slugs: other-names
import torch
import torch.nn.functional as F
from tiny_lm import apply_rope, merge_heads, split_heads
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, theta=10000.0):
        super().__init__()
        self.heads = heads
        self.theta = theta
        self.c_attn = nn.Linear(width, 3 * width, bias=False)
        self.c_proj = nn.Linear(width, width, bias=False)

    def forward(self, x):
        q, k, v = (split_heads(z, self.heads) for z in self.c_attn(x).chunk(3, dim=-1))
        q, k = apply_rope(q, k, torch.arange(x.size(1)), self.theta)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(merge_heads(y))
