"""The instructor's plain forms, against the oracle, in every number type, layout and depth that people use."""

import pytest
import torch
from sample_class import ASSIGNMENT, solutions

from autograder import oracle
from autograder.bank import given_folder
from autograder.child.host import Host

IMPORTS = "import math, torch\nfrom torch import Tensor, nn\nfrom tiny_lm import *\n"
HEADS, WIDTH, THETA = 3, 12, 500.0
# The given RoPE keeps its angles in float32, so float64 is asked for no more than that.
ROUNDING = {torch.float32: 1e-5, torch.float64: 1e-6, torch.bfloat16: 4e-2}


def solution(exercise: str) -> dict:
    """What the solution's class cell defines, with what it imports."""
    host = Host(given=str(given_folder(ASSIGNMENT)))
    parts = "from tiny_lm.stand_ins import CausalSelfAttention, RMSNorm\n"
    imports = IMPORTS + (parts if exercise == "transformer_block" else "")
    for source in (imports, solutions(exercise)[f"{exercise}-class"]):
        assert host.answer("run_cell", {"label": exercise, "source": source}) == {}
    return host.namespace


def loud(module: torch.nn.Module, dtype: torch.dtype) -> torch.nn.Module:
    """The module with weights that leave no mistake hidden, in one number type."""
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.3)
    return module.to(dtype)


def gap(came: torch.Tensor, expected: torch.Tensor) -> float:
    return ((came.double() - expected).abs().max() / expected.abs().max()).item()


@pytest.mark.parametrize("dtype", ROUNDING, ids=str)
@pytest.mark.parametrize("shape", [(12,), (5, 12), (2, 5, 12), (2, 3, 5, 12)], ids=len)
def test_the_norm(dtype, shape):
    norm = loud(solution("rmsnorm")["RMSNorm"](WIDTH, 0.3), dtype)
    x = torch.randn(shape).to(dtype)
    came = norm(x)
    assert came.dtype == dtype
    assert gap(came, oracle.rms_norm(x, norm.scale, 0.3)) < ROUNDING[dtype]


@pytest.mark.parametrize("dtype", ROUNDING, ids=str)
@pytest.mark.parametrize("gaps", [False, True], ids=["dense", "strided"])
def test_the_attention(dtype, gaps):
    attention = loud(solution("causal_self_attention")["CausalSelfAttention"](WIDTH, HEADS, THETA), dtype)
    x = torch.randn(2, 7, 2 * WIDTH).to(dtype)
    x = x[..., ::2] if gaps else x[..., :WIDTH].contiguous()
    assert x.is_contiguous() != gaps
    came = attention(x)
    assert came.dtype == dtype
    expected = oracle.attention(x, dict(attention.named_parameters()), HEADS, THETA)
    assert gap(came, expected) < ROUNDING[dtype]


@pytest.mark.parametrize("dtype", ROUNDING, ids=str)
def test_the_block(dtype):
    space = solution("transformer_block")
    from tiny_lm import ModelConfig

    block = loud(space["TransformerBlock"](ModelConfig(WIDTH, HEADS, 20, 0.3, THETA)), dtype)
    x = torch.randn(2, 7, WIDTH).to(dtype)
    came = block(x)
    assert came.dtype == dtype
    weights = dict(block.named_parameters())
    assert gap(came, oracle.stand_in_block(x, weights)) < ROUNDING[dtype]


@pytest.mark.parametrize("exercise", ["rmsnorm", "causal_self_attention"])
def test_compiled(exercise):
    """The graph that `torch.compile` records gives the same numbers; no compiler is needed for that."""
    space = solution(exercise)
    module = space["RMSNorm"](WIDTH) if exercise == "rmsnorm" else space["CausalSelfAttention"](WIDTH, HEADS)
    x = torch.randn(2, 5, WIDTH)
    compiled = torch.compile(module, backend="eager", fullgraph=exercise == "rmsnorm")
    torch.testing.assert_close(compiled(x), module(x))
