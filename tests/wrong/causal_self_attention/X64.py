# no split at all: one head
# group: scores
# slugs: one-head
import torch
from tiny_lm import apply_rope, attention_2d
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
        q = self.q_proj(x)
        k = self.k_proj(x)
        v = self.v_proj(x)
        positions = torch.arange(x.shape[1], device=x.device)
        q, k = apply_rope(q, k, positions, self.theta)
        context, _ = attention_2d(q, k, v)
        return self.out_proj(context)
