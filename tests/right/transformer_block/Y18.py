# in place on a clone and on the branch, .forward()
from tiny_lm import SwiGLU
from tiny_lm.stand_ins import CausalSelfAttention, RMSNorm
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.norm1 = RMSNorm(config.d_model, config.norm_eps)
        self.attention = CausalSelfAttention(config.d_model, config.n_heads, config.rope_theta)
        self.norm2 = RMSNorm(config.d_model, config.norm_eps)
        self.ffn = SwiGLU(config.d_model, config.d_ff)

    def forward(self, x):
        h = self.attention.forward(self.norm1.forward(x))
        h = h.add(x)
        update = self.ffn.forward(self.norm2.forward(h))
        update += h
        return update
