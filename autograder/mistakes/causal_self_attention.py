"""What wrong attentions compute."""

import math
from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.mistakes import Mistake


@dataclass(frozen=True)
class Wrong:
    """What a model does otherwise. The defaults are the right attention."""

    # how it is built
    names: str = "q_proj k_proj v_proj out_proj"  # of the layers; `name:3` is three times as tall
    registration: str = "modules"
    arguments: str = "width heads theta"
    biases: str = ""  # which layers have one
    shared: str = ""  # layers that are one object, by their letters
    frozen: bool = False
    width: int = 0  # when it is written down
    # what happens to x and to the projections
    axis: str = "time"
    before: str = ""
    projections: str = "qkvo"  # the layers used for q, k, v and the output; "x" is none
    transposed: str = ""  # the layers whose weights are used the other way round
    fused: str = ""
    heads: str = "given"
    split: str = "right"
    merge: str = "right"
    normalised: bool = False
    # RoPE
    turned: str = "qk"
    turned_at: str = "heads"
    layout: str = "adjacent"
    theta: float = 0.0  # when it is written down
    exponent: str = "2i/d"
    positions: str = "time"
    # the weights
    scores: str = "q·k"
    scale: str = "root of d"
    mask: str = "future"
    fill: float = -math.inf
    mask_size: str = "time"
    mask_by: str = "fill"
    softmax: str = "keys"
    mixing: str = "weights"
    # what comes out, what is kept, what flows back
    added: str = ""
    after: str = ""
    returned: str = "tensor"
    kept: str = ""
    longest: int = 0
    dropout: tuple[str, float, bool] = ("", 0.0, False)  # where, how much, also in eval
    detached: str = ""
    device: str = ""


def variant(**options: Any) -> dict[str, Any]:
    """The names that a submission with these options defines; no options give the right attention."""
    arguments = options.get("arguments", "")
    base = {"width heads": WithoutTheta, "heads width": HeadsFirst}.get(arguments, CausalSelfAttention)
    return {"CausalSelfAttention": type("CausalSelfAttention", (base,), {"wrong": Wrong(**options)})}


class CausalSelfAttention(nn.Module):
    wrong = Wrong()

    def __init__(self, width: int, heads: int, theta: float = 10000.0) -> None:
        wrong = self.wrong
        if wrong.registration != "no super":
            super().__init__()
        self.theta = wrong.theta or theta
        width = wrong.width or width
        self.heads = heads
        if wrong.heads == "one":
            self.heads = 1
        elif wrong.heads == "d":
            self.heads = width // heads
        elif wrong.heads != "given":
            self.heads = int(wrong.heads)
        self.kept: dict[str, Tensor] = {}
        layers = {} if wrong.registration == "in forward" else self.layers(width)
        if wrong.registration in ("list", "tensors"):
            self.loose = list(layers.values())
        elif wrong.registration == "no out_proj":
            layers.pop("out_proj")
        if wrong.registration not in ("list", "tensors"):
            for name, layer in layers.items():
                setattr(self, name, layer)
        if wrong.frozen:
            self.requires_grad_(False)

    def layers(self, width: int) -> dict[str, nn.Linear]:
        made: dict[str, nn.Linear] = {}
        for spec in self.wrong.names.split():
            name, _, times = spec.partition(":")
            if self.wrong.shared and name[0] in self.wrong.shared[1:]:
                made[name] = next(layer for key, layer in made.items() if key[0] == self.wrong.shared[0])
            else:
                bias = name[0] in self.wrong.biases
                made[name] = nn.Linear(width, width * int(times or 1), bias=bias)
        return made

    def weights_by_letter(self, width: int) -> dict[str, tuple[Tensor, Tensor | None]]:
        wrong = self.wrong
        if wrong.registration in ("list", "tensors"):
            layers = self.loose
        elif wrong.registration == "in forward":
            layers = list(self.layers(width).values())
        else:
            layers = list(self._modules.values())
        if wrong.registration == "no out_proj":
            layers = [*layers, nn.Linear(width, width, bias=False)]
        if len(layers) == 4:
            pairs = [(layer.weight, layer.bias) for layer in layers]
        else:
            pairs = [(part, None) for layer in layers for part in layer.weight.split(width)]
        if wrong.fused:
            stacked = torch.cat([weight for weight, _ in pairs[:3]])
            shape = {"H 3 d": (self.heads, 3, -1), "H d 3": (self.heads, -1, 3)}[wrong.fused]
            parts = stacked.unflatten(0, shape).unbind(shape.index(3))
            pairs[:3] = [(part.flatten(0, 1), None) for part in parts]
        return {
            letter: (weight.T if letter in wrong.transposed else weight, bias)
            for letter, (weight, bias) in zip("qkvo", pairs, strict=True)
        }

    def forward(self, x: Tensor) -> Tensor:
        wrong, given = self.wrong, x
        if wrong.device:
            x = x.to(wrong.device)
        if wrong.kept == "output" and "output" in self.kept:
            return self.kept["output"]
        if wrong.detached == "x":
            x = x.detach()
        if wrong.before == "layer norm":
            x = F.layer_norm(x, x.shape[-1:])
        elif wrong.before == "RMS norm":
            x = F.rms_norm(x, x.shape[-1:])
        if wrong.axis == "batch":
            x = x.transpose(0, 1)
        elif wrong.axis == "all samples as one":
            x = x.flatten(0, 1)[None]
        if "x" in wrong.turned:
            x = self.turn(x)
        layers = self.weights_by_letter(x.shape[-1])
        y = self.leave(self.attend(*self.split_all(x, layers)), layers)
        if wrong.axis == "batch":
            y = y.transpose(0, 1)
        elif wrong.axis == "all samples as one":
            y = y.reshape(given.shape)
        return self.returned(self.finished(y, given))

    def split_all(self, x: Tensor, layers: dict[str, tuple[Tensor, Tensor | None]]) -> list[Tensor]:
        """q, k and v as heads, turned: three of [B, H, T, d]."""
        wrong, parts = self.wrong, []
        self.angles_of: dict[int, tuple[Tensor, Tensor]] = {}
        for role, letter in zip("qkv", wrong.projections, strict=False):
            part = x if letter == "x" else F.linear(x, *layers[letter])
            if wrong.turned_at == "whole width" and role in wrong.turned:
                part = self.turn(part)
            part = self.split(part)
            if wrong.turned_at == "heads":
                for _ in range(wrong.turned.count(role)):
                    part = self.turn(part, role)
            if wrong.normalised and role in "qk":
                part = F.normalize(part, dim=-1)
            parts.append(part.detach() if role in wrong.detached.split(" ")[0] else part)
        return parts

    def split(self, x: Tensor) -> Tensor:
        batch, time, width = x.shape
        heads, head_width = self.heads, width // self.heads
        if width % heads:
            raise ValueError(f"a width of {width} does not divide into {heads} heads")
        if self.wrong.split == "reshape":
            return x.reshape(batch, heads, time, head_width)
        if self.wrong.split == "d H":
            return x.reshape(batch, time, head_width, heads).permute(0, 3, 1, 2)
        heads_last = x.reshape(batch, time, heads, head_width)
        return heads_last if self.wrong.split == "B T H d" else heads_last.transpose(1, 2)

    # -- RoPE -------------------------------------------------------------------------------------

    def turn(self, x: Tensor, role: str = "") -> Tensor:
        layout = self.wrong.layout
        cos, sin = self.tables(x, role)  # [T, d/2] each
        if layout.startswith("sum"):
            first, second = (sin, cos) if "sin first" in layout else (cos, sin)
            joined = torch.stack((first, second), dim=-1).flatten(-2) if "pairs" in layout else None
            return x + (torch.cat((first, second), dim=-1) if joined is None else joined)
        if layout == "opposite":
            sin = -sin
        if layout.startswith("halves"):
            one, other = x.chunk(2, dim=-1)
            if layout == "halves opposite":
                sin = -sin
            minus = other if layout == "halves no minus" else -other
            if layout == "halves, tables in pairs":
                cos, sin = (table.repeat_interleave(2, dim=-1) for table in (cos, sin))
            else:
                cos, sin = (torch.cat((table, table), dim=-1) for table in (cos, sin))
            return x * cos + torch.cat((minus, one), dim=-1) * sin
        even, odd = x[..., 0::2], x[..., 1::2]
        if layout == "pairs, tables in halves":
            cos, sin = (torch.cat((table, table), dim=-1) for table in (cos, sin))
            return x * cos + torch.stack((-odd, even), dim=-1).flatten(-2) * sin
        if layout == "no exchange":
            return torch.stack((even * (cos + sin), odd * (cos + sin)), dim=-1).flatten(-2)
        if layout == "same sign":
            return torch.stack((even * cos - odd * sin, odd * cos - even * sin), dim=-1).flatten(-2)
        new_even = even * cos + odd * sin if layout == "no minus" else even * cos - odd * sin
        new_odd = (new_even if layout == "overwritten" else even) * sin + odd * cos
        if layout == "half of the pairs":
            still = torch.arange(even.shape[-1]) >= even.shape[-1] // 2
            new_even, new_odd = torch.where(still, even, new_even), torch.where(still, odd, new_odd)
        if layout == "even only":
            new_odd = odd
        return torch.stack((new_even, new_odd), dim=-1).flatten(-2)

    def tables(self, x: Tensor, role: str) -> tuple[Tensor, Tensor]:
        """cos and sin of the angles, [T, d/2] each."""
        wrong, (time, width) = self.wrong, x.shape[-2:]
        if wrong.kept == "angles" and "cos" in self.kept:
            return self.kept["cos"][:time], self.kept["sin"][:time]
        pairs = torch.arange(width // 2)
        exponents = {
            "2i/d": 2 * pairs / width,
            "2i/D": 2 * pairs / (width * self.heads),
            "i/d": pairs / width,
            "4i/d": 4 * pairs / width,
            "-2i/d": -2 * pairs / width,
            "2(i+1)/d": 2 * (pairs + 1) / width,
            "backwards": 2 * pairs.flip(0) / width,
            "0": 0.0 * pairs,
        }[wrong.exponent]
        steps = torch.arange(time, dtype=torch.float32)
        if wrong.positions == "zero":
            steps = 0 * steps
        elif wrong.positions == "batch":
            steps = steps.new_tensor(range(x.shape[0]))
        elif wrong.positions == "heads":
            steps = steps.new_tensor(range(x.shape[1]))
        elif wrong.positions == "share":
            steps = steps / time
        elif wrong.positions == "k behind":
            steps = steps + (role == "q")
        if wrong.longest and wrong.kept == "":
            steps = torch.arange(min(time, wrong.longest), dtype=torch.float32)
        angles = steps[:, None] * self.theta**-exponents
        cos, sin = angles.cos(), angles.sin()
        if wrong.kept == "angles":
            self.kept |= {"cos": cos, "sin": sin}
        return cos, sin

    # -- the weights ------------------------------------------------------------------------------

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        wrong = self.wrong
        if wrong.kept == "keys":
            if "k" in self.kept:
                k, v = (torch.cat((self.kept[name], new), dim=2) for name, new in (("k", k), ("v", v)))
            self.kept |= {"k": k, "v": v}
        if wrong.axis == "features":
            q, k, v = q.mT, k.mT, v.mT
        scores = k @ q.mT if wrong.scores == "k·q" else q @ k.mT
        weights = self.softmax(self.masked(scores * self.scale(q)))
        if wrong.scale == "after the softmax":
            weights = weights * q.shape[-1] ** -0.5
        if wrong.mask == "late":
            weights = weights.tril()
        elif wrong.mask == "late, filled":
            weights = weights.masked_fill(torch.ones_like(weights).triu(1).bool(), -math.inf)
        if wrong.dropout[0] == "weights":
            weights = self.drop(weights)
        if wrong.detached == " weights":
            weights = weights.detach()
        if wrong.mixing == "returned weights":
            return weights
        context = (weights.mT if wrong.mixing == "transposed" else weights) @ v
        return context.mT if wrong.axis == "features" else context

    def scale(self, q: Tensor) -> float:
        time, d = q.shape[-2:]
        return {
            "root of d": d**-0.5,
            "none": 1.0,
            "after the softmax": 1.0,
            "root of D": (d * self.heads) ** -0.5,
            "d": 1 / d,
            "D": 1 / (d * self.heads),
            "root of H": self.heads**-0.5,
            "root of T": time**-0.5,
            "times root of d": d**0.5,
            "fourth root of d": d**-0.25,
        }[self.wrong.scale]

    def masked(self, scores: Tensor) -> Tensor:
        wrong, time = self.wrong, scores.shape[-2]
        if wrong.mask in ("none", "late", "late, filled"):
            return scores
        if wrong.mask_size != "time":
            time = {"D": self.heads * self.head_width, "H": self.heads, "d": self.head_width}[wrong.mask_size]
        if wrong.longest and wrong.kept == "mask":
            time = min(time, wrong.longest)
        ones = torch.ones(time, time, dtype=torch.bool)
        if wrong.mask == "nan":
            return scores + (1 - ones.float().tril()) * -math.inf
        if wrong.mask == "one added":
            return scores + ones.tril()
        hidden = {
            "future": lambda: ones.triu(1),
            "future and self": lambda: ones.triu(),
            "past and self": lambda: ones.tril(),
            "past": lambda: ones.tril(-1),
            "future but one": lambda: ones.triu(2),
            "others": lambda: ~torch.eye(time, dtype=torch.bool),
            "rows": lambda: ones.triu(1).any(dim=-1, keepdim=True),
            "corner": lambda: ones.triu(1).flip(-1),
        }[wrong.mask]()
        if wrong.kept == "mask" and not wrong.longest:
            hidden = self.kept.setdefault("mask", hidden)
        if wrong.mask_by == "where":
            return torch.where(hidden, scores.new_tensor(wrong.fill), scores)
        return scores.masked_fill(hidden, wrong.fill)

    def softmax(self, scores: Tensor) -> Tensor:
        kind = self.wrong.softmax
        if kind in ("keys", "queries", "heads", "samples"):
            return scores.softmax({"keys": -1, "queries": -2, "heads": 1, "samples": 0}[kind])
        if kind == "zero for nan":
            return scores.softmax(-1).nan_to_num()
        if kind == "all":
            return scores.flatten(-2).softmax(-1).unflatten(-1, scores.shape[-2:])
        if kind == "twice":
            return scores.softmax(-1).softmax(-1)
        if kind == "twice, masked":
            return self.masked(scores.softmax(-1)).softmax(-1)
        if kind == "sigmoid":
            return scores.sigmoid()
        if kind == "log":
            return scores.log_softmax(-1)
        if kind == "relu":
            return scores.relu()
        if kind == "none":
            return scores
        if kind == "none, zeros":
            return scores.masked_fill(scores == -math.inf, 0.0)
        if kind == "shares":
            shares = scores.masked_fill(scores == -math.inf, 0.0)
            return shares / shares.sum(dim=-1, keepdim=True)
        exps = scores.exp()
        return exps if kind == "exp" else exps / exps.sum(dim=-1, keepdim=True)

    # -- the way out ------------------------------------------------------------------------------

    @property
    def head_width(self) -> int:
        return self.q_proj.in_features // self.heads

    def leave(self, context: Tensor, layers: dict[str, tuple[Tensor, Tensor | None]]) -> Tensor:
        """[B, H, T, d] -> [B, T, D], through the output projection."""
        wrong = self.wrong
        if wrong.detached == " context":
            context = context.detach()
        y = self.merged(context)
        for letter in wrong.projections[3:]:
            if letter != "x":
                y = F.linear(y, *layers[letter])
        return y

    def merged(self, context: Tensor) -> Tensor:
        kind = self.wrong.merge
        if self.wrong.split == "B T H d":
            return context.flatten(-2)
        batch, heads, time, width = context.shape
        if kind == "missing":
            return context
        if kind == "reshape":
            return context.reshape(batch, time, heads * width)
        if kind == "d H":
            return context.permute(0, 2, 3, 1).reshape(batch, time, heads * width)
        if kind == "transpose d":
            return context.transpose(-1, -2).reshape(batch, time, heads * width)
        if kind == "backwards":
            context = context.flip(1)
        elif kind == "mean":
            context = context.mean(dim=1, keepdim=True).expand_as(context)
        return context.transpose(1, 2).reshape(batch, time, heads * width)

    def finished(self, y: Tensor, x: Tensor) -> Tensor:
        wrong = self.wrong
        if wrong.dropout[0] == "output":
            y = self.drop(y)
        if wrong.added == "x":
            y = x + y
        elif wrong.added == "x in place":
            x += y
            y = x
        if wrong.after == "RMS norm":
            y = F.rms_norm(y, y.shape[-1:])
        elif wrong.after == "layer norm":
            y = F.layer_norm(y, y.shape[-1:])
        elif wrong.after in ("relu", "gelu", "silu", "tanh"):
            y = getattr(torch if wrong.after == "tanh" else F, wrong.after)(y)
        if wrong.detached == " output":
            y = y.detach()
        if wrong.kept == "output":
            self.kept["output"] = y
        return y

    def returned(self, y: Tensor) -> Any:
        kind = self.wrong.returned
        return {"tensor": y, "tuple": (y, y), "nothing": None, "first sample": y[0]}[kind]

    def drop(self, x: Tensor) -> Tensor:
        _, share, always = self.wrong.dropout
        return F.dropout(x, share, training=always or self.training)


class WithoutTheta(CausalSelfAttention):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__(width, heads)


class HeadsFirst(CausalSelfAttention):
    def __init__(self, heads: int, width: int, theta: float = 10000.0) -> None:
        super().__init__(width, heads, theta)


WithoutTheta.__init__.__qualname__ = "CausalSelfAttention.__init__"  # as in the message of a TypeError


def also(mistake: Mistake, *others: dict[str, Any]) -> list[Mistake]:
    """The same mistake, made in more than one way."""
    return [mistake, *(replace(mistake, options=options) for options in others)]


HEADS = "2. Heads: where does an element come from?"
ROPE = "3. RoPE: a position is an angle"
DISTANCE = "What does the score see of it?"
MASK = "4. The mask comes before the softmax"
SCALE = "5. Why the scores are divided"
WRITE = "6. Write it"
CAUSALITY = "8. Causality as a picture"
PARTS = "9. Three experiments that isolate parts"

MISTAKES: list[Mistake] = []
