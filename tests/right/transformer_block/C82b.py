# **kwargs and dataclasses
from dataclasses import asdict
from tiny_lm import SwiGLU
from tiny_lm.stand_ins import CausalSelfAttention, RMSNorm
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, config, **kwargs):
        super().__init__()
        sizes = {**asdict(config), **kwargs}
        self.norm1 = self.norm(**sizes)
        self.attention = CausalSelfAttention(
            width=sizes["d_model"], heads=sizes["n_heads"], theta=sizes["rope_theta"]
        )
        self.norm2 = self.norm(**sizes)
        self.ffn = SwiGLU(d_model=sizes["d_model"], d_ff=sizes["d_ff"])

    @staticmethod
    def norm(d_model, norm_eps, **_):
        return RMSNorm(width=d_model, eps=norm_eps)

    def forward(self, x):
        h = x + self.attention(self.norm1(x))
        return h + self.ffn(self.norm2(h))
