"""The given helpers do what their docstrings say."""

import sys

import pytest
import torch
from sample_class import ASSIGNMENT

from autograder.bank import given_folder

sys.path.append(str(given_folder(ASSIGNMENT)))
import tiny_lm
from tiny_lm import stand_ins


def test_split_heads_takes_neighbouring_features():
    x = torch.arange(2 * 3 * 8.0).reshape(2, 3, 8)
    heads = tiny_lm.split_heads(x, 4)
    assert heads.shape == (2, 4, 3, 2)
    assert all(
        heads[b, h, t, j] == x[b, t, 2 * h + j]
        for b in range(2)
        for h in range(4)
        for t in range(3)
        for j in range(2)
    )
    assert torch.equal(tiny_lm.merge_heads(heads), x)


def test_a_width_that_does_not_divide_is_refused():
    with pytest.raises(ValueError, match="does not divide"):
        tiny_lm.split_heads(torch.zeros(1, 1, 7), 2)


@pytest.mark.parametrize("causal", [True, False])
def test_attention_agrees_with_torch(causal):
    q, k, v = torch.randn(3, 2, 4, 5, 6).unbind(0)
    context, weights = tiny_lm.attention_2d(q, k, v, causal=causal)
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    torch.testing.assert_close(context, expected)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 4, 5))


def test_rope_turns_adjacent_pairs():
    e0 = torch.tensor([[1.0, 0.0, 0.0, 0.0]])
    turned, _ = tiny_lm.apply_rope(e0, e0, torch.tensor([1]), 100.0)
    torch.testing.assert_close(
        turned,
        torch.tensor([[1.0, 0.0, 0.0, 0.0]]).cos() * e0
        + torch.tensor([[0.0, torch.tensor(1.0).sin(), 0, 0]]),
    )


def test_rope_angles_fall_with_the_pair():
    x = torch.tensor([[0.0, 0.0, 1.0, 0.0]])
    turned, _ = tiny_lm.apply_rope(x, x, torch.tensor([3]), 100.0)
    angle = torch.tensor(3 * 100.0**-0.5)
    torch.testing.assert_close(turned, torch.stack([angle * 0, angle * 0, angle.cos(), angle.sin()])[None])


def test_rope_keeps_lengths_and_the_first_position():
    q, k = torch.randn(2, 1, 2, 5, 8).unbind(0)
    turned_q, turned_k = tiny_lm.apply_rope(q, k, torch.arange(5), 10000.0)
    torch.testing.assert_close(turned_q.norm(dim=-1), q.norm(dim=-1))
    torch.testing.assert_close(turned_k[..., 0, :], k[..., 0, :])


def test_rope_refuses_an_odd_width():
    with pytest.raises(ValueError, match="left over"):
        tiny_lm.apply_rope(torch.zeros(1, 3), torch.zeros(1, 3), torch.arange(1), 10.0)


def test_swiglu_by_hand():
    ffn = tiny_lm.SwiGLU(2, 2)
    with torch.no_grad():
        for linear, weight in (
            (ffn.gate_proj, [[1.0, 0], [0, 2]]),
            (ffn.up_proj, [[3.0, 0], [0, 4]]),
            (ffn.down_proj, [[1.0, 0], [0, 1]]),
        ):
            linear.weight.copy_(torch.tensor(weight))
    torch.testing.assert_close(ffn(torch.ones(2)), torch.tensor([2.193176, 7.046377]))


def test_recording_collects_only_inside_the_block():
    tiny_lm.record("q", torch.ones(1))
    with tiny_lm.recording() as inside:
        tiny_lm.record("q", torch.zeros(2))
    tiny_lm.record("k", torch.ones(1))
    assert list(inside) == ["q"] and torch.equal(inside["q"], torch.zeros(2))


def test_the_stand_ins_have_the_parameters_of_the_real_parts():
    names = [name for name, _ in stand_ins.CausalSelfAttention(8, 2).named_parameters()]
    assert names == ["q_proj.weight", "k_proj.weight", "v_proj.weight", "out_proj.weight"]
    assert [name for name, _ in stand_ins.RMSNorm(8).named_parameters()] == ["scale"]
