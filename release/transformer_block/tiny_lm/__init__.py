"""The parts of a tiny language model that this assignment gives you.

Shapes: B samples, T positions, D features (the width), H heads, d = D / H features a head.
"""

from tiny_lm.attention import attention_2d
from tiny_lm.config import ModelConfig
from tiny_lm.heads import merge_heads, split_heads
from tiny_lm.recording import record, recording
from tiny_lm.rope import apply_rope
from tiny_lm.swiglu import SwiGLU

__all__ = [
    "ModelConfig",
    "SwiGLU",
    "apply_rope",
    "attention_2d",
    "merge_heads",
    "record",
    "recording",
    "split_heads",
]
