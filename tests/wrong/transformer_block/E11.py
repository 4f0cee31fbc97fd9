# parts built in forward
# group: interface
# slugs: built-in-forward
from tiny_lm import SwiGLU
from tiny_lm.stand_ins import CausalSelfAttention, RMSNorm
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config

    def forward(self, x):
        c = self.config
        norm1 = RMSNorm(c.d_model, c.norm_eps)
        attention = CausalSelfAttention(c.d_model, c.n_heads, c.rope_theta)
        norm2 = RMSNorm(c.d_model, c.norm_eps)
        ffn = SwiGLU(c.d_model, c.d_ff)
        h = x + attention(norm1(x))
        return h + ffn(norm2(h))
