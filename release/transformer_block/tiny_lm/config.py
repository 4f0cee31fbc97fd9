"""The sizes of the model."""

from dataclasses import dataclass


@dataclass
class ModelConfig:
    """Sizes and constants that every block of the model is built from.

    d_model: the width D of the residual stream.
    n_heads: the number of heads H; d_model must be a multiple of it, with an even quotient for RoPE.
    d_ff: the width inside the feed-forward network.
    norm_eps: what RMSNorm adds under its root.
    rope_theta: the base of RoPE's frequencies.
    """

    d_model: int = 64
    n_heads: int = 2
    d_ff: int = 128
    norm_eps: float = 1e-5
    rope_theta: float = 10000.0
