# nn.LayerNorm
# group: norms
# slugs: layer-norm
from tiny_lm import SwiGLU
from tiny_lm.stand_ins import CausalSelfAttention
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.norm1 = nn.LayerNorm(config.d_model, eps=config.norm_eps)
        self.norm2 = nn.LayerNorm(config.d_model, eps=config.norm_eps)
        self.attention = CausalSelfAttention(config.d_model, config.n_heads, config.rope_theta)
        self.ffn = SwiGLU(config.d_model, config.d_ff)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.ffn(self.norm2(x))
