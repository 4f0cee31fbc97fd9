# einops where it is installed
import torch
import torch.nn as nn
import torch.nn.functional as F


try:
    from einops import rearrange
except ImportError:

    def rearrange(x, pattern, h=None):
        if pattern.startswith("b t"):
            return x.unflatten(-1, (h, -1)).transpose(1, 2)
        return x.transpose(1, 2).flatten(2)


def rope(x, theta):
    T, d = x.shape[-2:]
    inv_freq = 1.0 / theta ** (torch.arange(0, d, 2).float() / d)
    angles = torch.arange(T).float()[:, None] * inv_freq[None, :]
    cos, sin = angles.cos(), angles.sin()
    x1, x2 = x[..., ::2], x[..., 1::2]
    return torch.stack([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1).flatten(-2)


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, theta=10000.0):
        super().__init__()
        self.n_heads = heads
        self.head_dim = width // heads
        self.theta = theta
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, width, bias=False)
        self.v_proj = nn.Linear(width, width, bias=False)
        self.out_proj = nn.Linear(width, width, bias=False)

    def forward(self, x):
        B, T, D = x.size()
        q = rearrange(self.q_proj(x), "b t (h d) -> b h t d", h=self.n_heads)
        k = rearrange(self.k_proj(x), "b t (h d) -> b h t d", h=self.n_heads)
        v = rearrange(self.v_proj(x), "b t (h d) -> b h t d", h=self.n_heads)
        q = rope(q, self.theta)
        k = rope(k, self.theta)
        att = (q @ k.transpose(-2, -1)) * self.head_dim**-0.5
        mask = torch.tril(torch.ones(T, T))
        att = att.masked_fill(mask == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = att @ v
        y = rearrange(y, "b h t d -> b t (h d)")
        return self.out_proj(y)
