# one norm module shared by both halves
# group: norms
# slugs: norm-shared
from tiny_lm import SwiGLU
from tiny_lm.stand_ins import CausalSelfAttention, RMSNorm
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        norm = RMSNorm(config.d_model, config.norm_eps)
        self.norm1 = norm
        self.attention = CausalSelfAttention(config.d_model, config.n_heads, config.rope_theta)
        self.norm2 = norm
        self.ffn = SwiGLU(config.d_model, config.d_ff)

    def forward(self, x):
        h = x + self.attention(self.norm1(x))
        return h + self.ffn(self.norm2(h))
