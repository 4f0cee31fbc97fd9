# add_module and named lookups
from tiny_lm import SwiGLU
from tiny_lm.stand_ins import CausalSelfAttention, RMSNorm
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        for name in ("norm1", "norm2"):
            self.add_module(name, RMSNorm(config.d_model, config.norm_eps))
        self.add_module("attention", CausalSelfAttention(config.d_model, config.n_heads, config.rope_theta))
        self.register_module("ffn", SwiGLU(config.d_model, config.d_ff))

    def forward(self, x):
        h = x + self.get_submodule("attention")(self.get_submodule("norm1")(x))
        return h + self._modules["ffn"](self._modules["norm2"](h))
