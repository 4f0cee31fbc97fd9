"""Independent implementations agree with the instructor's solution and with the oracle."""

import sys

import pytest
import torch
from sample_class import ASSIGNMENT, NOTEBOOKS, solutions

from autograder import oracle
from autograder.bank import given_folder

HEADS, WIDTH, D_FF, THETA, EPS = 4, 32, 48, 500.0, 1e-3


@pytest.fixture(scope="module")
def solved():
    """The three classes of the solution in one namespace, and the given helpers."""
    sys.path.append(str(given_folder(ASSIGNMENT)))
    namespace: dict = {}
    exec("import math, torch\nfrom torch import Tensor, nn\nfrom tiny_lm import *", namespace)
    for notebook in NOTEBOOKS:
        exec(solutions(notebook)[f"{notebook}-class"], namespace)
    return namespace


def block_of(solved):
    torch.manual_seed(0)
    config = solved["ModelConfig"](WIDTH, HEADS, D_FF, EPS, THETA)
    block = solved["TransformerBlock"](config)
    with torch.no_grad():
        for parameter in block.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.3)
    return block


def test_the_norm_equals_torch(solved):
    norm, other = solved["RMSNorm"](6, eps=0.3), torch.nn.RMSNorm(6, eps=0.3)
    with torch.no_grad():
        norm.scale.copy_(torch.randn(6))
        other.weight.copy_(norm.scale)
    x = torch.randn(2, 3, 6)
    torch.testing.assert_close(norm(x), other(x))


def test_the_block_equals_the_oracle(solved):
    block = block_of(solved)
    x = torch.randn(2, 5, WIDTH)
    expected = oracle.block(x, dict(block.named_parameters()), HEADS, THETA, EPS)
    torch.testing.assert_close(block(x).double(), expected, rtol=1e-4, atol=1e-4)


def test_the_block_equals_a_llama_layer(solved):
    """Llama turns first half with second half, so each head's rows of q and k are put in that order."""
    llama = pytest.importorskip("transformers.models.llama.modeling_llama")
    from transformers import LlamaConfig

    block = block_of(solved)
    settings = {
        "hidden_size": WIDTH,
        "num_attention_heads": HEADS,
        "num_key_value_heads": HEADS,
        "intermediate_size": D_FF,
        "rms_norm_eps": EPS,
        "max_position_embeddings": 64,
        "attn_implementation": "eager",
    }
    try:
        config = LlamaConfig(**settings, rope_parameters={"rope_type": "default", "rope_theta": THETA})
    except TypeError:
        config = LlamaConfig(**settings, rope_theta=THETA)
    if getattr(config, "rope_theta", THETA) != THETA:
        config.rope_theta = THETA
    layer = llama.LlamaDecoderLayer(config, 0)

    def halves_first(weight):
        per_head = weight.view(HEADS, WIDTH // HEADS, WIDTH)
        return torch.cat((per_head[:, 0::2], per_head[:, 1::2]), dim=1).reshape(WIDTH, WIDTH)

    ours = dict(block.named_parameters())
    theirs = {
        "input_layernorm.weight": ours["norm1.scale"],
        "post_attention_layernorm.weight": ours["norm2.scale"],
        "self_attn.q_proj.weight": halves_first(ours["attention.q_proj.weight"]),
        "self_attn.k_proj.weight": halves_first(ours["attention.k_proj.weight"]),
        "self_attn.v_proj.weight": ours["attention.v_proj.weight"],
        "self_attn.o_proj.weight": ours["attention.out_proj.weight"],
        "mlp.gate_proj.weight": ours["ffn.gate_proj.weight"],
        "mlp.up_proj.weight": ours["ffn.up_proj.weight"],
        "mlp.down_proj.weight": ours["ffn.down_proj.weight"],
    }
    layer.load_state_dict(theirs)
    x, time = torch.randn(2, 7, WIDTH), 7
    positions = torch.arange(time)[None]
    angles = llama.LlamaRotaryEmbedding(config)(x, positions)
    mask = torch.full((time, time), -torch.inf).triu(1)[None, None]
    with torch.no_grad():
        output = layer(x, attention_mask=mask, position_ids=positions, position_embeddings=angles)
        output = output[0] if isinstance(output, tuple) else output
        gap = (block(x) - output).abs().max() / output.abs().max()
    assert gap < 1e-5
