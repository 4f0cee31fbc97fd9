"""What the right answers are: torch's own functions on given weights, in float64.

This is not the instructor's solution, so that the solution too is tested against it.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

Weights = dict[str, Tensor]


def rms_norm(x: Tensor, scale: Tensor, eps: float) -> Tensor:
    """[..., D] -> [..., D]. Source: Zhang and Sennrich 2019, "Root Mean Square Layer Normalization"."""
    x = x.double()
    return F.rms_norm(x, x.shape[-1:], scale.double(), eps)


def rope(x: Tensor, theta: float) -> Tensor:
    """Turn the adjacent pairs of [..., T, d] as complex numbers. Source: Su et al. 2021, eq. 34."""
    time, width = x.shape[-2:]
    frequencies = theta ** (-torch.arange(0, width, 2).double() / width)  # [d/2]
    angles = torch.outer(torch.arange(time).double(), frequencies)  # [T, d/2]
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())  # [..., T, d/2]
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


def rotated(x: Tensor, weight: Tensor, heads: int, theta: float) -> Tensor:
    """The projected, split and turned q or k: [B, T, D] -> [B, H, T, d]."""
    return rope((x.double() @ weight.double().T).unflatten(-1, (heads, -1)).transpose(1, 2), theta)


def attention_weights(x: Tensor, weights: Weights, heads: int, theta: float) -> Tensor:
    """What every position takes from every other: [B, T, D] -> [B, H, T, T]."""
    q = rotated(x, weights["q_proj.weight"], heads, theta)
    k = rotated(x, weights["k_proj.weight"], heads, theta)
    scores = q @ k.mT * q.shape[-1] ** -0.5  # [B, H, T, T]
    visible = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return scores.where(visible, -torch.inf).softmax(dim=-1)


def attention(x: Tensor, weights: Weights, heads: int, theta: float = 10000.0) -> Tensor:
    """[B, T, D] -> [B, T, D]."""
    q = rotated(x, weights["q_proj.weight"], heads, theta)  # [B, H, T, d]
    k = rotated(x, weights["k_proj.weight"], heads, theta)
    v = (x.double() @ weights["v_proj.weight"].double().T).unflatten(-1, (heads, -1)).transpose(1, 2)
    context = F.scaled_dot_product_attention(q, k, v, is_causal=True)  # [B, H, T, d]
    return context.transpose(1, 2).flatten(2) @ weights["out_proj.weight"].double().T


def swiglu(x: Tensor, weights: Weights) -> Tensor:
    """[..., D] -> [..., D]. Source: Shazeer 2020, eq. 6."""
    x = x.double()
    gate = F.silu(x @ weights["gate_proj.weight"].double().T)
    return (gate * (x @ weights["up_proj.weight"].double().T)) @ weights["down_proj.weight"].double().T


def part(weights: Weights, name: str) -> Weights:
    """The weights of one child, without its name in front."""
    return {key[len(name) + 1 :]: value for key, value in weights.items() if key.startswith(name + ".")}


def block(x: Tensor, weights: Weights, heads: int, theta: float, eps: float) -> Tensor:
    """The Pre-Norm block with the real parts: [B, T, D] -> [B, T, D]."""
    h = x + attention(rms_norm(x, weights["norm1.scale"], eps), part(weights, "attention"), heads, theta)
    return h + swiglu(rms_norm(h, weights["norm2.scale"], eps), part(weights, "ffn"))


def stand_in_attention(x: Tensor, weights: Weights) -> Tensor:
    """What the given stand-in computes: the running average of the values, [B, T, D] -> [B, T, D]."""
    values = x.double() @ weights["v_proj.weight"].double().T
    seen = torch.arange(1, x.shape[1] + 1).double()[:, None]
    return values.cumsum(dim=1) / seen @ weights["out_proj.weight"].double().T


def stand_in_block(x: Tensor, weights: Weights) -> Tensor:
    """The Pre-Norm block with the given stand-ins, whose norm only multiplies: [B, T, D] -> [B, T, D]."""
    h = x + stand_in_attention(x * weights["norm1.scale"], part(weights, "attention"))
    return h + swiglu(h * weights["norm2.scale"], part(weights, "ffn"))
