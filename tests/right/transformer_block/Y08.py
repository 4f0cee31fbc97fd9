# another initialisation and an extra buffer
import torch
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
        self.register_buffer("calls", torch.zeros(()), persistent=False)
        for matrix in self.parameters():
            if matrix.dim() == 2:
                nn.init.normal_(matrix, std=0.02)

    def forward(self, x):
        self.calls += 1
        h = x + self.attention(self.norm1(x))
        return h + self.ffn(self.norm2(h))
