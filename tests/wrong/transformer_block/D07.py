# LayerNorm and post-norm
# group: wiring
# slugs: layer-norm post-norm
from tiny_lm import SwiGLU
from tiny_lm.stand_ins import CausalSelfAttention
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.norm1 = nn.LayerNorm(config.d_model, config.norm_eps)
        self.attention = CausalSelfAttention(config.d_model, config.n_heads, config.rope_theta)
        self.norm2 = nn.LayerNorm(config.d_model, config.norm_eps)
        self.ffn = SwiGLU(config.d_model, config.d_ff)

    def forward(self, x):
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.ffn(x))
