# ModuleList
# group: interface
# slugs: parts-in-a-module-list
from tiny_lm import SwiGLU
from tiny_lm.stand_ins import CausalSelfAttention, RMSNorm
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.layers = nn.ModuleList(
            [
                RMSNorm(config.d_model, config.norm_eps),
                CausalSelfAttention(config.d_model, config.n_heads, config.rope_theta),
                RMSNorm(config.d_model, config.norm_eps),
                SwiGLU(config.d_model, config.d_ff),
            ]
        )

    def forward(self, x):
        x = x + self.layers[1](self.layers[0](x))
        return x + self.layers[3](self.layers[2](x))
