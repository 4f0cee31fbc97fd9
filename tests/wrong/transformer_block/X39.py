# in eval nothing happens
# group: behaviour
# slugs: half-missing-both
from tiny_lm import SwiGLU
from tiny_lm.stand_ins import CausalSelfAttention, RMSNorm
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        d, eps = cfg.d_model, cfg.norm_eps
        self.ffn = SwiGLU(d, cfg.d_ff)
        self.attention = CausalSelfAttention(d, cfg.n_heads, cfg.rope_theta)
        self.norm2 = RMSNorm(d, eps)
        self.norm1 = RMSNorm(d, eps)

    def forward(self, x):
        if self.training:
            x = x + self.attention(self.norm1(x))
            x = x + self.ffn(self.norm2(x))
        return x
