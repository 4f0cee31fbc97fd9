# modules kept in a plain list
# group: interface
# slugs: parts-in-a-list
from tiny_lm import SwiGLU
from tiny_lm.stand_ins import CausalSelfAttention, RMSNorm
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.parts = [
            RMSNorm(config.d_model, config.norm_eps),
            CausalSelfAttention(config.d_model, config.n_heads, config.rope_theta),
            RMSNorm(config.d_model, config.norm_eps),
            SwiGLU(config.d_model, config.d_ff),
        ]

    def forward(self, x):
        norm1, attention, norm2, ffn = self.parts
        h = x + attention(norm1(x))
        return h + ffn(norm2(h))
