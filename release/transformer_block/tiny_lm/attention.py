"""Attention over the last two axes."""

import math

import torch
from torch import Tensor


def attention_2d(q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention; leading axes (samples, heads) are carried along.

    q, k, v: [..., T, d] -> context [..., T, d], weights [..., T, T].
    Row i of the weights says how much position i takes from each position; with `causal` it takes
    nothing from the positions after it. Source: Vaswani et al. 2017, "Attention Is All You Need", eq. 1.
    """
    time, width = q.shape[-2:]
    scores = q @ k.transpose(-2, -1) / math.sqrt(width)  # [..., T, T]
    if causal:
        future = torch.ones(time, time, dtype=torch.bool, device=q.device).triu(1)  # [T, T]
        scores = scores.masked_fill(future, -math.inf)
    weights = scores.softmax(dim=-1)  # [..., T, T]
    return weights @ v, weights
