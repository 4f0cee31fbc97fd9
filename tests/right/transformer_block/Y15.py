# parts as default arguments
from tiny_lm import SwiGLU
from tiny_lm.stand_ins import CausalSelfAttention, RMSNorm
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, config, norm=RMSNorm, attention=CausalSelfAttention, ffn=SwiGLU):
        super().__init__()
        self.norm1 = norm(config.d_model, config.norm_eps)
        self.attention = attention(config.d_model, config.n_heads, config.rope_theta)
        self.norm2 = norm(config.d_model, config.norm_eps)
        self.ffn = ffn(config.d_model, config.d_ff)

    def forward(self, x):
        h = x + self.attention(self.norm1(x))
        return h + self.ffn(self.norm2(h))
