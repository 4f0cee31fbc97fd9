# split once for all with chunk and stack
import torch
import torch.nn.functional as F
from tiny_lm import apply_rope, merge_heads
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
        projections = self.q_proj, self.k_proj, self.v_proj
        q, k, v = (torch.stack(p(x).chunk(self.heads, dim=-1), dim=1) for p in projections)
        q, k = apply_rope(q, k, torch.arange(x.size(1)), self.theta)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out_proj(merge_heads(y))
