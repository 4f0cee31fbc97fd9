# mask of heads
# group: mask
# slugs: mask-from-wrong-axis widths-do-not-fit
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    """Multi-head attention with einsum and complex rotations."""

    def __init__(self, width, heads, theta=10000.0):
        super().__init__()
        self.h, self.d, self.theta = heads, width // heads, theta
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            setattr(self, name, nn.Linear(width, width, bias=False))

    def rotate(self, z):
        t = torch.arange(z.shape[1])
        freqs = self.theta ** (-torch.arange(0, self.d, 2) / self.d)
        turn = torch.polar(torch.ones(len(t), self.d // 2), torch.outer(t, freqs))
        pairs = torch.view_as_complex(z.reshape(*z.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * turn[:, None, :]).flatten(3)

    def forward(self, x):
        b, t, _ = x.shape
        q = self.rotate(self.q_proj(x).reshape(b, t, self.h, self.d))
        k = self.rotate(self.k_proj(x).reshape(b, t, self.h, self.d))
        v = self.v_proj(x).reshape(b, t, self.h, self.d)
        scores = torch.einsum("bihd,bjhd->bhij", q, k) / self.d**0.5
        visible = torch.ones(scores.size(1), scores.size(1)).tril().bool()
        scores = torch.where(visible, scores, -torch.inf)
        weights = scores.softmax(-1)
        context = torch.einsum("bhij,bjhd->bihd", weights, v)
        return self.out_proj(context.reshape(b, t, -1))
