# width written down
# group: config
# slugs: width-written-down
from tiny_lm import SwiGLU
from tiny_lm.stand_ins import CausalSelfAttention, RMSNorm
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.norm1 = RMSNorm(64, config.norm_eps)
        self.attention = CausalSelfAttention(64, config.n_heads, config.rope_theta)
        self.norm2 = RMSNorm(64, config.norm_eps)
        self.ffn = SwiGLU(64, config.d_ff)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        x = x + self.ffn(self.norm2(x))
        return x
