# given parts under other names
from tiny_lm import SwiGLU as FeedForward
from tiny_lm import stand_ins
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.norm1 = stand_ins.RMSNorm(config.d_model, config.norm_eps)
        self.attention = stand_ins.CausalSelfAttention(config.d_model, config.n_heads, config.rope_theta)
        self.norm2 = stand_ins.RMSNorm(config.d_model, config.norm_eps)
        self.ffn = FeedForward(config.d_model, config.d_ff)

    def forward(self, x):
        h = x + self.attention(self.norm1(x))
        return h + self.ffn(self.norm2(h))
