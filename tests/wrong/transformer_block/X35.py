# returns h, the ffn half is missing
# group: wiring
# slugs: half-missing-ffn
from tiny_lm import ModelConfig, SwiGLU
from tiny_lm.stand_ins import CausalSelfAttention, RMSNorm
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, config: ModelConfig):
        super(TransformerBlock, self).__init__()
        width = config.d_model
        self.norm1, self.norm2 = (RMSNorm(width, eps=config.norm_eps) for _ in range(2))
        self.attention = CausalSelfAttention(width, heads=config.n_heads, theta=config.rope_theta)
        self.ffn = SwiGLU(d_model=width, d_ff=config.d_ff)

    def forward(self, x):
        return x + self.attention(self.norm1(x))
