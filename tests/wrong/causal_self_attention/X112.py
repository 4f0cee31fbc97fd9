# -100 for the future
# group: mask
# slugs: fill-too-small
import math

import torch
from tiny_lm import apply_rope, merge_heads, split_heads
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    def __init__(self, width: int, heads: int, theta: float = 10000.0) -> None:
        super().__init__()
        self.heads, self.theta = heads, theta
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, width, bias=False)
        self.v_proj = nn.Linear(width, width, bias=False)
        self.out_proj = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        q, k, v = (split_heads(proj(x), self.heads) for proj in (self.q_proj, self.k_proj, self.v_proj))
        q, k = apply_rope(q, k, torch.arange(T), self.theta)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        mask = torch.triu(torch.ones(T, T, dtype=torch.bool), diagonal=1)
        scores = scores.masked_fill(mask, -100.0)
        weights = torch.softmax(scores, dim=-1)
        return self.out_proj(merge_heads(weights @ v))
