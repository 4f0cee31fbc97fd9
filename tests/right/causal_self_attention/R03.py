# a loop over samples and heads
import torch
import torch.nn as nn
import torch.nn.functional as F


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
        q = self.q_proj(x).view(B, T, self.n_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(B, T, self.n_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(B, T, self.n_heads, self.head_dim).transpose(1, 2)
        q = rope(q, self.theta)
        k = rope(k, self.theta)
        mask = torch.tril(torch.ones(T, T)) == 0
        samples = []
        for b in range(B):
            heads = []
            for h in range(self.n_heads):
                att = q[b, h] @ k[b, h].T / self.head_dim**0.5
                heads.append(att.masked_fill(mask, -1e30).softmax(-1) @ v[b, h])
            samples.append(torch.cat(heads, dim=-1))
        y = torch.stack(samples)
        return self.out_proj(y)
