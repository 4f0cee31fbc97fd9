# scripted with own parts
import torch
import torch.nn.functional as F
from torch import nn


class MyNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.scale * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


class MyAttention(nn.Module):
    def __init__(self, width: int, heads: int, theta: float = 10000.0):
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, width, bias=False)
        self.v_proj = nn.Linear(width, width, bias=False)
        self.out_proj = nn.Linear(width, width, bias=False)
        self.freq = theta ** (-torch.arange(0, width // heads, 2) / (width // heads))

    def turned(self, x: torch.Tensor) -> torch.Tensor:
        angles = torch.arange(x.shape[-2]).unsqueeze(-1) * self.freq
        a, b = x[..., 0::2], x[..., 1::2]
        pairs = (a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos())
        return torch.stack(pairs, dim=-1).flatten(-2)

    def split(self, x: torch.Tensor) -> torch.Tensor:
        return x.reshape(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        context = F.scaled_dot_product_attention(self.turned(q), self.turned(k), v, is_causal=True)
        return self.out_proj(context.transpose(1, 2).flatten(2))


class MyFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate_proj = nn.Linear(d_model, d_ff, bias=False)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        gate = self.gate_proj(x)
        return self.down_proj(gate * torch.sigmoid(gate) * self.up_proj(x))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.norm1 = MyNorm(config.d_model, config.norm_eps)
        self.attention = MyAttention(config.d_model, config.n_heads, config.rope_theta)
        self.norm2 = MyNorm(config.d_model, config.norm_eps)
        self.ffn = MyFeedForward(config.d_model, config.d_ff)

    def forward(self, x):
        h = x + self.attention(self.norm1(x))
        return h + self.ffn(self.norm2(h))


def TransformerBlock(config):
    return torch.jit.script(Block(config))
