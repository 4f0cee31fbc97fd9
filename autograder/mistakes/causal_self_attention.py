"""What wrong attentions compute."""

import math
from dataclasses import dataclass, replace
from functools import cache
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
    detached: str = ""  # which of x, q, k and v
    cut: str = ""  # where else the gradient ends
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
        layers = self.layers(width)
        if wrong.registration == "list":
            self.loose = list(layers.values())
            layers.clear()
        elif wrong.registration == "no out_proj":
            layers.pop("out_proj")
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
        layers = self.loose if wrong.registration == "list" else list(self._modules.values())
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
            parts.append(part.detach() if role in wrong.detached else part)
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
        layout, width = self.wrong.layout, x.shape[-1]
        if width % 2:  # as the given helper says it
            raise ValueError(f"RoPE turns pairs of features, and a head of width {width} has one left over")
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
        rows = {"batch": x.shape[0], "heads": x.shape[1]}.get(wrong.positions, time)
        if wrong.longest and not wrong.kept:
            rows = min(rows, wrong.longest)
        first = int(wrong.positions == "k behind" and role == "q")
        cos, sin = tables(wrong.exponent, wrong.positions, self.theta, self.heads, width, rows, first)
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
        if wrong.cut == "weights":
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
        if wrong.cut == "context":
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
        if wrong.cut == "output":
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


@cache
def tables(
    exponent: str, positions: str, theta: float, heads: int, width: int, time: int, first: int
) -> tuple[Tensor, Tensor]:
    """cos and sin of position * theta ** -exponent, [T, d/2] each."""
    pairs = torch.arange(width // 2)
    numerators = {"2(i+1)/d": 2 * pairs + 2, "backwards": 2 * pairs.flip(0)}.get(exponent, 2 * pairs)
    factor = {"2i/D": 1 / heads, "i/d": 0.5, "4i/d": 2.0, "-2i/d": -1.0, "0": 0.0}.get(exponent, 1.0)
    steps = first + torch.arange(time) * (1 / time if positions == "share" else 1)
    angles = steps[:, None] * theta ** -(numerators * (factor / width))
    return angles.cos(), angles.sin()


class WithoutTheta(CausalSelfAttention):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__(width, heads)


class HeadsFirst(CausalSelfAttention):
    def __init__(self, heads: int, width: int, theta: float = 10000.0) -> None:
        super().__init__(width, heads, theta)


WithoutTheta.__init__.__qualname__ = "CausalSelfAttention.__init__"  # as in the message of a TypeError


def also(mistake: Mistake, *others: dict[str, Any]) -> list[Mistake]:
    """The same mistake, made in more than one way; the first way is the one that is looked for in pairs."""
    return [mistake, *(replace(mistake, options=options, family="alone") for options in others)]


HEADS = "2. Heads: where does an element come from?"
ROPE = "3. RoPE: a position is an angle"
DISTANCE = "What does the score see of it?"
MASK = "4. The mask comes before the softmax"
SCALE = "5. Why the scores are divided"
WRITE = "6. Write it"
CAUSALITY = "8. Causality as a picture"
PARTS = "9. Three experiments that isolate parts"


MISTAKES = [
    # -- the common ones; pairs of these are looked for first
    Mistake(
        slug="no-mask",
        title="nothing hides the future",
        hint="How much of its weight does position 0 give to the positions after it?",
        explanation="Every position averages over the whole sequence, so a model can copy the next token "
        "instead of predicting it. Only the last position, which has no future, comes out as it should.",
        formula="weights = softmax(q·k / √d) over all positions",
        section=MASK,
        group="mask",
        options={"mask": "none"},
    ),
    Mistake(
        slug="no-scale",
        title="the scores are not divided",
        hint="How large does a sum of d products become when d grows?",
        explanation="The scores are √d times too large. The softmax settles on one position and hardly "
        "passes a gradient.",
        formula="softmax(q·k)",
        section=SCALE,
        group="scores",
        options={"scale": "none"},
    ),
    Mistake(
        slug="no-rope",
        title="nothing is turned: positions play no part",
        hint="What changes for the last token when two earlier tokens trade places?",
        explanation="Without RoPE a score does not know how far apart two tokens are. apply_rope returns "
        "new tensors, so what it returns has to be used.",
        formula="scores from q and k as they are",
        section=ROPE,
        group="rope",
        options={"turned": ""},
    ),
    Mistake(
        slug="mask-after-softmax",
        title="the future is hidden after the softmax",
        hint="What do the weights of row 0 add up to when the others are removed afterwards?",
        explanation="The softmax has already shared out the weights among all positions. What the future "
        "got is missing afterwards: rows add up to less than 1, and how much less depends on the future.",
        formula="weights = softmax(scores), then the future set to 0",
        section=MASK,
        group="mask",
        options={"mask": "late"},
    ),
    Mistake(
        slug="hidden-scores-are-zero",
        title="the scores of the future are set to 0",
        hint="What is e to the power of 0?",
        explanation="A score of 0 is an ordinary score, and its weight is not zero. The future keeps a "
        "share that does not even depend on what it says.",
        formula="scores = 0 for the future, before the softmax",
        section=MASK,
        group="mask",
        options={"fill": 0.0},
    ),
    *also(
        Mistake(
            slug="diagonal-hidden",
            title="the diagonal is hidden too: a position does not read itself",
            hint="What is left to read for position 0?",
            explanation="Position 0 has nothing but itself. With everything hidden its row is NaN, or an "
            "average over the very positions that should be hidden.",
            formula="hidden where j ≥ i",
            section=MASK,
            group="mask",
            options={"mask": "future and self"},
        ),
        {"mask": "future and self", "fill": -1e9},
        {"mask": "future and self", "softmax": "zero for nan"},
    ),
    Mistake(
        slug="scaled-by-model-width",
        title="the scores are divided by the root of the whole width D",
        hint="How many products are summed in one score of one head?",
        explanation="Each head sums over its own features only. Divided by the root of all of them, the "
        "weights are too flat, and with one head nobody notices.",
        formula="softmax(q·k / √D)",
        section=SCALE,
        group="scores",
        options={"scale": "root of D"},
    ),
    *also(
        Mistake(
            slug="rope-on-v",
            title="v is turned",
            hint="Which of q, k and v say where to look, and which says what is found there?",
            explanation="A value is what a token says, not where it stands. Turned values point elsewhere "
            "at every position, and nothing turns them back.",
            formula="context = weights · turned v",
            section=DISTANCE,
            group="mask",
            options={"turned": "qkv"},
        ),
        {"turned": "kv"},
        {"turned": "qv"},
        {"turned": "v"},
    ),
    Mistake(
        slug="pairs-are-halves",
        title="this is the other convention: pairs are made of the two halves of a head",
        hint="Which feature turns together with feature 0?",
        explanation="Both conventions are in use: neighbouring features, or feature i with feature i + d/2. "
        "They need differently ordered weights, and this notebook pairs neighbours.",
        formula="pairs (i, i + d/2)",
        section=ROPE,
        group="rope",
        options={"layout": "halves"},
    ),
    Mistake(
        slug="q-and-k-swapped",
        title="q and k have changed places",
        hint="Row i asks: whose query is it, and whose key does it meet?",
        explanation="Every score is that of the opposite pair. Look at the order in which names are "
        "assigned, and at the order in which a function returns its results.",
        formula="q = k_proj(x), k = q_proj(x)",
        section=WRITE,
        group="scores",
        options={"projections": "kqvo"},
    ),
    Mistake(
        slug="out-proj-missing",
        title="the output projection is not used",
        hint="What is the last thing that happens to the merged heads?",
        explanation="The heads are merged but never mixed: no head's result can reach the features of "
        "another.",
        formula="y = merged heads",
        section=PARTS,
        group="projections",
        options={"projections": "qkv"},
    ),
    *also(
        Mistake(
            slug="theta-ignored",
            title="theta is a fixed number, and the argument is not used",
            hint="Where does the value that the class is given go?",
            explanation="With theta at its default everything looks right. Another theta must change the "
            "angles.",
            formula="angle = p · 10000^(-2i/d), whatever theta is",
            section=ROPE,
            group="rope",
            options={"theta": 10000.0},
        ),
        {"theta": 1000.0},
        {"theta": 500000.0},
    ),
    Mistake(
        slug="residual-inside",
        title="x is added to the output",
        hint="With out_proj at zero, what comes out?",
        explanation="The residual connection belongs to the block around attention. Added here too, x "
        "counts twice.",
        formula="y = x + attention(x)",
        section=PARTS,
        group="projections",
        options={"added": "x"},
    ),
    Mistake(
        slug="merge-without-transpose",
        title="the heads are merged by a reshape alone",
        hint="Which axis must stand before the features of the heads when they are laid side by side?",
        explanation="The shape is right, but a row of the result holds several positions of one head "
        "instead of one position of all heads. The future leaks.",
        formula="context.reshape(B, T, D) from [B, H, T, d]",
        section=HEADS,
        group="projections",
        options={"merge": "reshape"},
    ),
    Mistake(
        slug="split-without-transpose",
        title="the heads are made by a reshape alone",
        hint="Reshape reads in memory order: whose numbers does head 0 get?",
        explanation="The shape is right, but a head holds slices of a few tokens instead of a slice of "
        "every token. Tokens and features are mixed, and the future leaks.",
        formula="x.reshape(B, H, T, d)",
        section=HEADS,
        group="projections",
        options={"split": "reshape"},
    ),
    Mistake(
        slug="softmax-over-queries",
        title="the softmax runs over the positions that read, not over those that are read",
        hint="Do the rows of your weights add up to 1, or the columns?",
        explanation="A row should share out 1 among what it reads. Here columns do, and so a later query "
        "changes the output of an earlier one.",
        formula="softmax(scores, dim=-2)",
        section=MASK,
        group="mask",
        options={"softmax": "queries"},
    ),
    *also(
        Mistake(
            slug="mask-inverted",
            title="the mask is the wrong way round: it hides the past",
            hint="Which positions does the last row read, and which the first?",
            explanation="The condition tells which scores to replace, and here it picks those that should "
            "stay. The first position reads the future, and the last one has nothing left.",
            formula="hidden where j ≤ i",
            section=MASK,
            group="mask",
            options={"mask": "past and self"},
        ),
        {"mask": "past and self", "fill": -1e9},
        {"mask": "past and self", "softmax": "zero for nan"},
    ),
    Mistake(
        slug="scaled-by-d",
        title="the scores are divided by d, without the root",
        hint="Does the typical size of a sum of d random terms grow like d, or more slowly?",
        explanation="The scores become √d times too small, and attention is nearly a plain average.",
        formula="softmax(q·k / d)",
        section=SCALE,
        group="scores",
        options={"scale": "d"},
    ),
    Mistake(
        slug="rope-only-q",
        title="only q is turned",
        hint="A query has been turned. What does it meet?",
        explanation="The angle between query and key should grow with their distance. With one of them "
        "standing still it depends on the place in the sequence instead.",
        formula="scores from turned q and plain k",
        section=DISTANCE,
        group="rope",
        options={"turned": "q"},
    ),
    *also(
        Mistake(
            slug="rope-opposite-direction",
            title="the pairs are turned the other way round",
            hint="Where does the pair [1, 0] point after a small positive turn: up or down?",
            explanation="With the minus sign in the other place the clock hands run backwards. Scores then "
            "see the distance with the wrong sign.",
            formula="angle = -p · theta^(-2i/d)",
            section=ROPE,
            group="rope",
            options={"layout": "opposite"},
        ),
        {"layout": "halves opposite"},
    ),
    Mistake(
        slug="exponent-of-model-width",
        title="the exponent has the whole width D in it, not a head's",
        hint="By what do you divide 2i, and how far does i run?",
        explanation="The exponents stop far below 1, so the slow pairs of each head turn too fast.",
        formula="angle = p · theta^(-2i/D)",
        section=ROPE,
        group="rope",
        options={"exponent": "2i/D"},
    ),
    Mistake(
        slug="one-head",
        title="everything happens in one head: the number of heads has no effect",
        hint="What shape have your queries when they are compared?",
        explanation="Without a split, one wide dot product compares all features at once. There is one "
        "table of weights where there should be several.",
        formula="softmax(q·k / √D) over the whole width",
        section=HEADS,
        group="scores",
        options={"heads": "one"},
    ),
    *also(
        Mistake(
            slug="rope-no-minus",
            title="a minus sign is missing in the rotation",
            hint="How long is a pair before the turn, and how long after it?",
            explanation="A rotation has one plus and one minus. Without the minus it stretches and squeezes "
            "the pairs instead of turning them.",
            formula="(a·cos + b·sin, a·sin + b·cos)",
            section=ROPE,
            group="rope",
            options={"layout": "no minus"},
        ),
        {"layout": "halves no minus"},
        {"layout": "same sign"},
    ),
    Mistake(
        slug="mask-one-ahead",
        title="the mask lets one future position through",
        hint="What is the last column that row 0 reads?",
        explanation="The boundary of the triangle is one diagonal off. Each position reads its successor, "
        "which is exactly the token that a language model has to predict.",
        formula="hidden where j > i + 1",
        section=MASK,
        group="mask",
        options={"mask": "future but one"},
    ),
    # -- other names for the same computation
    Mistake(
        slug="mask-result-dropped",
        title="the hidden scores are computed, but the unhidden ones go on",
        hint="Does masked_fill change the tensor it is called on, or does it return a new one?",
        explanation="Operations without an underscore leave their tensor alone. A result that is not kept "
        "is lost, and the softmax sees all scores.",
        formula="scores.masked_fill(...) as a line of its own; then softmax(scores)",
        section=MASK,
        group="mask",
        options={"mask": "none"},
    ),
    Mistake(
        slug="turned-along-heads",
        title="RoPE turns along the heads, not along time",
        hint="Which axis is the last but one when RoPE sees the tensor?",
        explanation="Every position of a head is turned by the same angle, which a score does not notice. "
        "The result is that of no RoPE at all.",
        formula="angle = head · theta^(-2i/d)",
        section=ROPE,
        group="rope",
        options={"turned": ""},
    ),
    Mistake(
        slug="positions-all-zero",
        title="all positions are 0, or one and the same number",
        hint="What does your tensor of positions hold?",
        explanation="Equal positions mean equal angles, and only differences of angles reach the scores.",
        formula="angle = 0 everywhere",
        section=DISTANCE,
        group="rope",
        options={"turned": ""},
    ),
    Mistake(
        slug="scores-times-mask",
        title="the scores are multiplied by a mask of ones and zeros",
        hint="Which score has a position that is multiplied by 0, and what does the softmax make of it?",
        explanation="Multiplied by 0, a score becomes 0 and not minus infinity. To the softmax that is a "
        "score like any other.",
        formula="softmax(scores * tril)",
        section=MASK,
        group="mask",
        options={"fill": 0.0},
    ),
    Mistake(
        slug="fill-is-tiny",
        title="the scores of the future are set to a tiny number instead of a very negative one",
        hint="Is -1e-9 far below 0, or almost 0?",
        explanation="The sign of an exponent decides between -1000000000 and -0.000000001. The second is as "
        "good as 0, so the future keeps its share.",
        formula="scores = -1e-9 for the future",
        section=MASK,
        group="mask",
        options={"fill": 0.0},
    ),
    Mistake(
        slug="scores-transposed",
        title="the table of scores is transposed",
        hint="Which of the two is transposed in the product, and what do the rows stand for?",
        explanation="Rows ask and columns answer. Transposed, position i is weighed by what the others ask "
        "of it.",
        formula="scores = k qᵀ",
        section=WRITE,
        group="scores",
        options={"projections": "kqvo"},
    ),
    Mistake(
        slug="scaled-twice",
        title="the scores are divided twice",
        hint="Who divides in your class, and who divides in the function that you call?",
        explanation="The helper divides already, and so do library functions. Divided once more, in the "
        "queries or in the scores, attention is nearly a plain average.",
        formula="softmax(q·k / √d / √d)",
        section=SCALE,
        group="scores",
        options={"scale": "d"},
    ),
    Mistake(
        slug="cos-and-sin-swapped",
        title="cos and sin are exchanged",
        hint="What are the cosine and the sine of the angle at position 0?",
        explanation="At position 0 nothing should move, but here every pair makes a quarter turn. Between "
        "two positions, the direction is the opposite one.",
        formula="(a·sin - b·cos, a·cos + b·sin)",
        section=ROPE,
        group="rope",
        options={"layout": "opposite"},
    ),
    Mistake(
        slug="positions-reversed",
        title="the positions count backwards",
        hint="Which position is 0: the first or the last?",
        explanation="Scores see only differences of positions, and these have the wrong sign here.",
        formula="angle = (T - 1 - p) · theta^(-2i/d)",
        section=DISTANCE,
        group="rope",
        options={"layout": "opposite"},
    ),
    # -- all others
    *also(
        Mistake(
            slug="fill-too-small",
            title="the scores of the future are lowered, but not enough",
            hint="How large can a score become, and how far below it is your number?",
            explanation="A score that is merely low keeps a small weight, and with large scores even a "
            "large one. The future leaks a little, and more the louder the sequence is.",
            formula="scores = -1, -10 or -100 for the future",
            section=MASK,
            group="mask",
            options={"fill": -1.0},
        ),
        {"fill": -10.0},
        {"fill": -100.0},
        {"mask": "one added"},
    ),
    *also(
        Mistake(
            slug="fill-positive",
            title="the scores of the future become huge instead of very negative",
            hint="Which sign must a score have for its weight to vanish?",
            explanation="The largest score gets the largest weight, so the future takes everything. Only "
            "the last position has no future and reads what it should.",
            formula="scores = +1e9 or +inf for the future",
            section=MASK,
            group="mask",
            options={"fill": math.inf},
        ),
        {"fill": 1e9},
    ),
    Mistake(
        slug="mask-mirrored",
        title="the mask is mirrored: a position reads itself and the future",
        hint="Is row i the position that reads, or the one that is read?",
        explanation="Rows ask and columns answer. With the two exchanged, or triu in the place of tril, the "
        "last position reads only itself and the first one everything.",
        formula="hidden where j < i",
        section=MASK,
        group="mask",
        options={"mask": "past"},
    ),
    Mistake(
        slug="reads-only-itself",
        title="every position reads only itself",
        hint="Which scores survive your mask: a triangle, or only its edge?",
        explanation="The past is hidden together with the future. Nothing moves between positions, so this "
        "is a layer for single tokens.",
        formula="hidden where j ≠ i",
        section=MASK,
        group="mask",
        options={"mask": "others"},
    ),
    Mistake(
        slug="mask-hides-rows",
        title="the mask hides whole rows instead of single scores",
        hint="Which axis of your mask belongs to the positions that are read?",
        explanation="A mask that is broadcast along the wrong axis treats all scores of a row alike. The "
        "softmax of equal numbers is the plain average of all positions.",
        formula="all scores of a row replaced",
        section=MASK,
        group="mask",
        options={"mask": "rows", "fill": -1e9},
    ),
    Mistake(
        slug="mask-on-the-other-diagonal",
        title="the triangle hangs on the other diagonal",
        hint="Does your mask start in the upper left corner?",
        explanation="A flipped triangle hides too little at the beginning and too much at the end.",
        formula="hidden where i + j < T - 1",
        section=MASK,
        group="mask",
        options={"mask": "corner"},
        family="alone",
    ),
    Mistake(
        slug="zero-times-infinity",
        title="the mask multiplies by infinity, and 0 · ∞ is NaN",
        hint="What does your mask hold at the places that should stay as they are?",
        explanation="Where nothing is to be hidden, the product is 0 times minus infinity, and that is not "
        "0. NaN spreads from there into every output.",
        formula="scores + (1 - tril) * (-inf)",
        section=MASK,
        group="mask",
        options={"mask": "nan"},
        family="alone",
    ),
    Mistake(
        slug="weights-filled-with-infinity",
        title="minus infinity is written into the weights, after the softmax",
        hint="At which station does minus infinity turn into zero?",
        explanation="Only the softmax makes a zero of minus infinity. Written into the weights, it is "
        "multiplied with the values and destroys the output.",
        formula="weights = softmax(scores), then -inf for the future",
        section=MASK,
        group="mask",
        options={"mask": "late, filled"},
        family="alone",
    ),
    *also(
        Mistake(
            slug="mask-from-wrong-axis",
            title="the mask is built from an axis that is not time",
            hint="Which of B, T, D, H and d tells how many positions there are?",
            explanation="Scores are a table of positions by positions. A mask with the size of another axis "
            "fits only when the two happen to be equal.",
            formula="mask of D × D, d × d or H × H",
            section=MASK,
            group="mask",
            options={"mask_size": "D"},
            family="alone",
        ),
        {"mask_size": "d"},
        {"mask_size": "H"},
        {"mask_size": "D", "mask_by": "where"},
        {"mask_size": "d", "mask_by": "where"},
        {"mask_size": "H", "mask_by": "where"},
    ),
    Mistake(
        slug="scaled-by-heads",
        title="the scores are divided by the root of the number of heads",
        hint="Which letter says how long the dot product is?",
        explanation="The number of heads has no part in a single score. It goes unnoticed where H and d are "
        "equal.",
        formula="softmax(q·k / √H)",
        section=SCALE,
        group="scores",
        options={"scale": "root of H"},
    ),
    Mistake(
        slug="multiplied-by-root",
        title="the scores are multiplied by the root of d instead of divided",
        hint="Should the scores become larger or smaller when heads get wider?",
        explanation="The scores are d times too large, and the softmax picks one position and ignores the "
        "others.",
        formula="softmax(q·k · √d)",
        section=SCALE,
        group="scores",
        options={"scale": "times root of d"},
    ),
    Mistake(
        slug="scaled-after-softmax",
        title="the weights are divided, after the softmax, instead of the scores",
        hint="What do the weights of a row add up to in the end?",
        explanation="The softmax sees scores that are too large, and what comes out is too small: the "
        "weights no longer add up to 1.",
        formula="softmax(q·k) / √d",
        section=SCALE,
        group="mask",
        options={"scale": "after the softmax"},
    ),
    *also(
        Mistake(
            slug="scaled-by-another-size",
            title="the scores are divided by a number that has little to do with the head's width",
            hint="Which size of a tensor does your divisor come from?",
            explanation="The divisor keeps the scores of a head at a size of about 1, whatever the head's "
            "width. With another number the weights are too flat or too sharp.",
            formula="softmax(q·k / D), / √T or / d^(1/4)",
            section=SCALE,
            group="scores",
            options={"scale": "fourth root of d"},
        ),
        {"scale": "root of T"},
        {"scale": "D"},
    ),
    Mistake(
        slug="rope-only-k",
        title="only k is turned",
        hint="A key has been turned. What does it meet?",
        explanation="The angle between query and key should grow with their distance. With one of them "
        "standing still it depends on the place in the sequence instead.",
        formula="scores from plain q and turned k",
        section=DISTANCE,
        group="rope",
        options={"turned": "k"},
    ),
    Mistake(
        slug="rope-on-x",
        title="x is turned before the projections",
        hint="Is a score of two projected tokens still a matter of their distance when the turn came first?",
        explanation="A projection mixes the features of different pairs. After it the turn is no longer a "
        "turn, and shifting both tokens changes the score.",
        formula="q = q_proj(turned x), and so k and v",
        section=DISTANCE,
        group="mask",
        options={"turned": "x"},
    ),
    Mistake(
        slug="rope-before-split",
        title="q and k are turned over the whole width, before they are split into heads",
        hint="How many pairs does a head have, and how fast does the first pair of the second head turn?",
        explanation="The frequencies fall over all features of the width. Only the first head has fast "
        "pairs, and the last one hardly notices positions.",
        formula="angle = p · theta^(-2i/D), i over all heads",
        section=ROPE,
        group="rope",
        options={"turned_at": "whole width"},
    ),
    Mistake(
        slug="rope-twice",
        title="q and k are turned twice",
        hint="How often does a query pass through RoPE on its way?",
        explanation="Every angle is twice as large, so the scores see twice the distance.",
        formula="angle = 2p · theta^(-2i/d)",
        section=ROPE,
        group="rope",
        options={"turned": "qqkk"},
    ),
    Mistake(
        slug="rope-twice-on-one",
        title="one of q and k is turned twice",
        hint="How often does a key pass through RoPE, and how often a query?",
        explanation="With one turn more on one side, the angle between query and key depends on the place "
        "in the sequence and not only on the distance.",
        formula="angle of k = 2p · theta^(-2i/d)",
        section=DISTANCE,
        group="rope",
        options={"turned": "qkk"},
    ),
    *also(
        Mistake(
            slug="rope-conventions-mixed",
            title="the pairs are of one convention and the angles of the other",
            hint="Do both features of a pair turn by the same angle?",
            explanation="Neighbouring features need tables that repeat each angle, and halves need tables "
            "that are laid one behind the other. Mixed, it is no rotation, and lengths change.",
            formula="partners from one convention, cos and sin from the other",
            section=ROPE,
            group="rope",
            options={"layout": "pairs, tables in halves"},
        ),
        {"layout": "halves, tables in pairs"},
    ),
    Mistake(
        slug="rope-overwritten",
        title="the second feature of a pair is computed from the first one's new value",
        hint="When the odd feature is computed, which value does the even one have by then?",
        explanation="Both new features come from both old ones. Written into the same tensor one after the "
        "other, the second sees what the first has become.",
        formula="b' = a'·sin + b·cos",
        section=ROPE,
        group="rope",
        options={"layout": "overwritten"},
    ),
    *also(
        Mistake(
            slug="rope-no-partner",
            title="a feature is not combined with the other one of its pair",
            hint="Which two numbers does the first feature of a turned pair depend on?",
            explanation="A turn mixes the two features of a pair. A feature on its own can only be "
            "stretched, and then the length changes.",
            formula="(a·cos + a·sin, b·cos + b·sin), or b left as it is",
            section=ROPE,
            group="rope",
            options={"layout": "no exchange"},
        ),
        {"layout": "even only"},
    ),
    Mistake(
        slug="rope-on-half-the-pairs",
        title="only the first half of the pairs is turned",
        hint="How many pairs does a head have, and how many angles have you computed?",
        explanation="The slow pairs stand still, so far distances cannot be told apart. Some models do this "
        "on purpose; here all pairs turn.",
        formula="pairs i < d/4 are turned",
        section=ROPE,
        group="rope",
        options={"layout": "half of the pairs"},
    ),
    *also(
        Mistake(
            slug="exponent-off",
            title="the exponent runs too slowly or too fast",
            hint="Which exponents do the first and the last pair have?",
            explanation="Pair 0 turns by one radian a step, and the exponents grow from 0 to just below 1. "
            "A forgotten or doubled factor changes all the others.",
            formula="angle = p · theta^(-i/d), theta^(-4i/d) or theta^(-2(i+1)/d)",
            section=ROPE,
            group="rope",
            options={"exponent": "i/d"},
        ),
        {"exponent": "4i/d"},
        {"exponent": "2(i+1)/d"},
    ),
    Mistake(
        slug="exponent-sign",
        title="the exponent has the wrong sign: later pairs turn faster",
        hint="Should the last pair be the fastest hand of the clock, or the slowest?",
        explanation="Angles in the thousands wrap around many times, and neighbours become as different as "
        "strangers.",
        formula="angle = p · theta^(2i/d)",
        section=ROPE,
        group="rope",
        options={"exponent": "-2i/d"},
    ),
    Mistake(
        slug="frequencies-backwards",
        title="the frequencies are in the opposite order",
        hint="Which pair of a head is the fast hand?",
        explanation="The set of angles is right, but the first pair gets the slow one. The weights have "
        "been trained, or here chosen, for the other order.",
        formula="pair i has the frequency of pair d/2 - 1 - i",
        section=ROPE,
        group="rope",
        options={"exponent": "backwards"},
    ),
    Mistake(
        slug="one-frequency",
        title="all pairs turn equally fast",
        hint="On what does the angle depend besides the position?",
        explanation="Without the pair's number in the exponent all hands are fast ones, and far distances "
        "repeat.",
        formula="angle = p for every pair",
        section=ROPE,
        group="rope",
        options={"exponent": "0"},
    ),
    *also(
        Mistake(
            slug="positions-from-wrong-axis",
            title="the positions are counted along an axis that is not time",
            hint="Which entry of the shape says how many positions there are?",
            explanation="The table of angles gets the length of another axis. It fits only where the sizes "
            "happen to be equal, or where that size is 1 and nothing turns.",
            formula="positions 0 to B - 1, or 0 to H - 1",
            section=ROPE,
            group="rope",
            options={"positions": "batch"},
            family="alone",
        ),
        {"positions": "heads"},
    ),
    Mistake(
        slug="positions-as-share",
        title="the positions are divided by the length",
        hint="By how much does the fast pair turn from one position to the next?",
        explanation="Positions are whole numbers. As shares of the length all angles are small, and the "
        "same distance means something else in a longer sequence.",
        formula="angle = p / T · theta^(-2i/d)",
        section=ROPE,
        group="rope",
        options={"positions": "share"},
    ),
    Mistake(
        slug="q-and-k-count-differently",
        title="the positions of q and k are one apart",
        hint="By how much has a token's own key been turned when its query meets it?",
        explanation="A position has distance 0 from itself. When q and k start to count at different "
        "numbers, every distance is off by one.",
        formula="angle of q = (p + 1) · ..., angle of k = p · ...",
        section=DISTANCE,
        group="rope",
        options={"positions": "k behind"},
    ),
    *also(
        Mistake(
            slug="sinusoid-added",
            title="sines and cosines are added, not used to turn",
            hint="What should become of a zero vector when it is turned?",
            explanation="This is the position code of the first transformer. RoPE multiplies: it keeps "
            "lengths and leaves a zero vector zero.",
            formula="q + (sin, cos), k + (sin, cos)",
            section=ROPE,
            group="rope",
            options={"layout": "sum of pairs, sin first"},
        ),
        {"layout": "sum of pairs"},
        {"layout": "sum of parts, sin first"},
        {"layout": "sum of parts"},
        {"layout": "sum of pairs, sin first", "turned": "x"},
        {"layout": "sum of pairs", "turned": "x"},
        {"layout": "sum of parts, sin first", "turned": "x"},
    ),
    *also(
        Mistake(
            slug="softmax-over-wrong-axis",
            title="the softmax runs over heads, samples or all scores together",
            hint="Which axis of [B, H, T, T] holds the positions that are read?",
            explanation="Weights should add up to 1 along each row of each head. Over another axis, heads "
            "or samples compete with each other.",
            formula="softmax over H, over B or over T · T",
            section=MASK,
            group="mask",
            options={"softmax": "heads"},
        ),
        {"softmax": "samples"},
        {"softmax": "all"},
    ),
    *also(
        Mistake(
            slug="softmax-twice",
            title="the softmax is applied twice",
            hint="Which numbers go into your last softmax: scores, or weights already?",
            explanation="Weights lie between 0 and 1, and the softmax of such numbers is nearly flat. What "
            "was hidden gets e to the 0, a share again.",
            formula="softmax(softmax(scores))",
            section=MASK,
            group="scores",
            options={"softmax": "twice, masked"},
        ),
        {"softmax": "twice"},
    ),
    Mistake(
        slug="softmax-overflows",
        title="exp without subtracting the largest score overflows",
        hint="What is exp(100) in float32?",
        explanation="The formula is right on paper. Above a score of about 88 exp is infinite, and infinity "
        "divided by infinity is NaN.",
        formula="exp(scores) / sum(exp(scores))",
        section=MASK,
        group="mask",
        options={"softmax": "naive"},
    ),
    *also(
        Mistake(
            slug="no-softmax",
            title="the weights are not made by a softmax",
            hint="What do the weights of a row add up to?",
            explanation="Without it the weights of a row do not add up to 1, may be negative, and grow with "
            "the scores. The output is no average of values any more.",
            formula="weights = scores, exp, sigmoid, relu or log of a softmax",
            section=MASK,
            group="mask",
            options={"softmax": "none"},
        ),
        {"softmax": "none, zeros"},
        {"softmax": "none", "fill": 0.0},
        {"softmax": "shares"},
        {"softmax": "exp"},
        {"softmax": "sigmoid"},
        {"softmax": "relu"},
        {"softmax": "log"},
    ),
    Mistake(
        slug="reshaped-there-and-back",
        title="the heads are made by a reshape alone, and undone by one",
        hint="The way back undoes the way there. What did attention see in between?",
        explanation="Merging after splitting gives the input again, and still the heads in between hold "
        "slices of a few tokens. Positions average over the wrong things.",
        formula="x.reshape(B, H, T, d), then context.reshape(B, T, D)",
        section=HEADS,
        group="mask",
        options={"split": "reshape", "merge": "reshape"},
    ),
    Mistake(
        slug="split-interleaved",
        title="the features go to the heads in turn, not in blocks",
        hint="Which features does head 0 get: the first d, or every H-th?",
        explanation="The width is cut as d × H instead of H × d. It goes unnoticed with one head.",
        formula="heads[b, h, t, j] = x[b, t, j·H + h]",
        section=HEADS,
        group="projections",
        options={"split": "d H"},
    ),
    Mistake(
        slug="merge-interleaved",
        title="the heads are merged feature by feature, not head by head",
        hint="Which features of the result come from head 0: the first d, or every H-th?",
        explanation="The features of the heads alternate in the result, so out_proj finds them in other "
        "places than its weights are made for.",
        formula="y[b, t, j·H + h] = context[b, h, t, j]",
        section=HEADS,
        group="projections",
        options={"merge": "d H"},
    ),
    Mistake(
        slug="heads-interleaved",
        title="the features are dealt out to the heads in turn, there and back",
        hint="Which features of q does head 0 compare?",
        explanation="The way back undoes the way there, so single tokens look right. But every head "
        "compares features that belong to different heads.",
        formula="heads[b, h, t, j] = x[b, t, j·H + h], and back",
        section=HEADS,
        group="scores",
        options={"split": "d H", "merge": "d H"},
    ),
    *also(
        Mistake(
            slug="heads-in-wrong-order",
            title="the heads do not come back as they went",
            hint="Which axis is flattened together with the heads, and in which order do they lie?",
            explanation="Every head has its place in the input of out_proj. Flipped, averaged or "
            "transposed, they meet weights that were made for something else.",
            formula="heads flipped, averaged or transposed before merging",
            section=HEADS,
            group="projections",
            options={"merge": "transpose d"},
        ),
        {"merge": "backwards"},
        {"merge": "mean"},
    ),
    Mistake(
        slug="merge-missing",
        title="the heads are not merged before the output projection",
        hint="How long is the last axis when out_proj gets the tensor?",
        explanation="out_proj expects all features of a position side by side, and gets the few of one head.",
        formula="out_proj(context) with [B, H, T, d]",
        section=HEADS,
        group="projections",
        options={"merge": "missing"},
        family="alone",
    ),
    Mistake(
        slug="heads-and-width-exchanged",
        title="the number of heads and their width are exchanged",
        hint="Into how many parts is the width cut, and how wide is each?",
        explanation="The features are cut into d heads of width H. It goes unnoticed where the two are "
        "equal.",
        formula="d heads of width H",
        section=HEADS,
        group="scores",
        options={"heads": "d"},
    ),
    *also(
        Mistake(
            slug="heads-written-down",
            title="the number of heads is written down, or a global name",
            hint="Where does forward get the number of heads from?",
            explanation="It works for the sizes at hand and for no others. The class has to use what it is "
            "given.",
            formula="a fixed number of heads",
            section=WRITE,
            group="shapes",
            options={"heads": "4"},
            family="alone",
        ),
        {"heads": "2"},
        {"heads": "3"},
        {"heads": "8"},
        {"heads": "12"},
    ),
    *also(
        Mistake(
            slug="attends-over-heads",
            title="attention runs over the heads of one position, not over positions",
            hint="Which axis is the last but one in the tensors that are compared?",
            explanation="With shape [B, T, H, d] the product compares the heads of one position with each "
            "other. Time must stand next to the features.",
            formula="scores of shape [B, T, H, H]",
            section=HEADS,
            group="projections",
            options={"split": "B T H d"},
            family="alone",
        ),
        {"split": "B T H d", "turned_at": "whole width"},
        {"split": "B T H d", "turned": ""},
        {"split": "B T H d", "positions": "heads"},
    ),
    *also(
        Mistake(
            slug="v-from-another-projection",
            title="v comes from another projection than v_proj",
            hint="Which projection makes the tensor that is averaged in the end?",
            explanation="Probably a line was copied and one name not changed, or names were assigned in "
            "another order. A projection that is not used gets no gradient.",
            formula="v = k_proj(x) or q_proj(x)",
            section=WRITE,
            group="projections",
            options={"projections": "qkko"},
        ),
        {"projections": "qkqo"},
        {"projections": "qvko"},
        {"projections": "vkqo"},
        {"projections": "qqqo"},
        {"projections": "kkko"},
        {"projections": "kvqo"},
        {"projections": "vqko"},
        {"projections": "qkov"},
    ),
    *also(
        Mistake(
            slug="q-or-k-from-another-projection",
            title="q or k comes from another projection than its own",
            hint="Which tensor comes from which projection, line by line?",
            explanation="Probably a line was copied and one name not changed. The projection that is not "
            "used gets no gradient.",
            formula="two of q, k and v from the same projection",
            section=WRITE,
            group="scores",
            options={"projections": "qqvo"},
        ),
        {"projections": "kkvo"},
        {"projections": "qvvo"},
        {"projections": "vkvo"},
        {"projections": "vvvo"},
    ),
    *also(
        Mistake(
            slug="projection-left-out",
            title="q, k or v is x itself, without its projection",
            hint="Through which layers does x pass before it is split?",
            explanation="The layer is there, but nothing goes through it, so it never learns.",
            formula="v = x, or q = x, or k = x",
            section=WRITE,
            group="projections",
            options={"projections": "qkxo"},
        ),
        {"projections": "xxxo"},
        {"projections": "xkvo"},
        {"projections": "qxvo"},
        {"projections": "xxvo"},
    ),
    Mistake(
        slug="out-proj-twice",
        title="the output projection is used twice",
        hint="How often does out_proj stand in forward?",
        explanation="Its weights are applied to its own result. With the identity in it nobody would notice.",
        formula="y = out_proj(out_proj(merged heads))",
        section=PARTS,
        group="projections",
        options={"projections": "qkvoo"},
    ),
    *also(
        Mistake(
            slug="weight-transposed",
            title="a weight is used the other way round",
            hint="nn.Linear keeps its weight as [out, in]. Which axis meets the features of x?",
            explanation="The layer computes x Wᵀ. With x W a square weight raises no error, and only a "
            "symmetric one hides it.",
            formula="x @ weight",
            section=WRITE,
            group="projections",
            options={"transposed": "o"},
        ),
        {"transposed": "qkv"},
        {"transposed": "qkvo"},
        {"transposed": "qk"},
        {"transposed": "v"},
        {"transposed": "q"},
        {"transposed": "k"},
    ),
    *also(
        Mistake(
            slug="fused-in-wrong-order",
            title="the stacked projections are cut in another order than they were stacked",
            hint="After stacking q, k and v, which rows belong to the first head?",
            explanation="The rows of the stack are all of q, then all of k, then all of v. Read head by "
            "head, each head gets rows of the wrong projections.",
            formula="stack viewed as [H, 3, d]",
            section=WRITE,
            group="projections",
            options={"fused": "H 3 d"},
        ),
        {"fused": "H d 3"},
    ),
    Mistake(
        slug="queries-normalised",
        title="q and k are normalised before they are compared",
        hint="What decides how sharp the weights are: only the direction of q, or its length too?",
        explanation="Some models do this, and with a learned scale. Here loud queries should make sharp "
        "weights, and without lengths all scores lie between -1 and 1.",
        formula="scores from q / |q| and k / |k|",
        section=WRITE,
        group="scores",
        options={"normalised": True},
    ),
    Mistake(
        slug="weights-transposed",
        title="the weights are transposed before they meet the values",
        hint="Row i of the weights: is it what i takes, or what i gives?",
        explanation="Every position gets what others take from it. The future speaks to the past, and the "
        "sums are no averages.",
        formula="context = weightsᵀ · v",
        section=MASK,
        group="mask",
        options={"mixing": "transposed"},
    ),
    Mistake(
        slug="weights-taken-for-context",
        title="the weights are taken for the context",
        hint="attention_2d returns two things. In which order?",
        explanation="The table of weights has T columns and goes on in the place of the values, so the next "
        "layer finds the wrong width.",
        formula="merge(weights)",
        section=WRITE,
        group="projections",
        options={"mixing": "returned weights"},
        family="alone",
    ),
    Mistake(
        slug="residual-in-place",
        title="the output is written into x",
        hint="Who else still needs the tensor that your class was given?",
        explanation="An operation that ends in = or an underscore changes the caller's tensor. The residual "
        "connection belongs to the block, and it needs x as it was.",
        formula="x += attention(x)",
        section=WRITE,
        group="independence",
        options={"added": "x in place"},
        family="alone",
    ),
    *also(
        Mistake(
            slug="norm-inside",
            title="x is normalised before the projections",
            hint="What happens to the output when x is doubled?",
            explanation="The block has a norm of its own in front of attention. Inside, the length of x is "
            "lost.",
            formula="attention(norm(x))",
            section=WRITE,
            group="projections",
            options={"before": "RMS norm"},
            family="alone",
        ),
        {"before": "layer norm"},
    ),
    *also(
        Mistake(
            slug="output-reshaped-by-function",
            title="something is done to the output after out_proj, or it is normalised",
            hint="Is the output linear in the weights of out_proj?",
            explanation="Attention ends with a linear layer. A nonlinearity or a norm after it belongs "
            "elsewhere in the model.",
            formula="relu, gelu, silu, tanh or a norm of the output",
            section=WRITE,
            group="projections",
            options={"after": "relu"},
            family="alone",
        ),
        {"after": "gelu"},
        {"after": "silu"},
        {"after": "tanh"},
        {"after": "RMS norm"},
        {"after": "layer norm"},
    ),
    *also(
        Mistake(
            slug="attends-over-samples",
            title="attention runs over the samples of the batch, not over time",
            hint="Which axis of x is time, and which one do your scores compare?",
            explanation="Some library layers expect time first. Here each position reads the same position "
            "of the samples before it.",
            formula="B and T exchanged",
            section=CAUSALITY,
            group="independence",
            options={"axis": "batch"},
            family="alone",
        ),
        {"axis": "all samples as one"},
    ),
    Mistake(
        slug="attends-over-features",
        title="features are compared with features, not positions with positions",
        hint="What shape do your scores have?",
        explanation="Transposed before the product, q and k give a table of d × d. The mask then hides "
        "features.",
        formula="scores = qᵀ k",
        section=WRITE,
        group="projections",
        options={"axis": "features"},
        family="alone",
    ),
    *also(
        Mistake(
            slug="biases",
            title="the projections have biases",
            hint="What comes out for x = 0?",
            explanation="nn.Linear adds a bias unless told otherwise. The agreed parameters are four "
            "weights.",
            formula="y = W x + b",
            section=WRITE,
            group="interface",
            options={"biases": "qkvo"},
            family="alone",
        ),
        {"biases": "o"},
        {"biases": "qkv"},
        {"biases": "qk"},
        {"biases": "v"},
        {"biases": "qv"},
    ),
    *also(
        Mistake(
            slug="shared-projection",
            title="two names stand for one layer",
            hint="How many layers do you create, and how many names do you give?",
            explanation="An assignment does not copy a layer. Under two names it is one weight, which "
            "cannot learn two things.",
            formula="k_proj is q_proj",
            section=WRITE,
            group="interface",
            options={"shared": "qk"},
            family="alone",
        ),
        {"shared": "qv"},
        {"shared": "kv"},
        {"shared": "qkv"},
        {"shared": "qkvo"},
        {"shared": "vo"},
        {"shared": "qo"},
    ),
    Mistake(
        slug="plain-list",
        title="the layers are kept in a plain list or dict",
        hint="How does a module find out what it contains?",
        explanation="A module notices layers that are assigned to an attribute. In a list they are "
        "invisible: not trained, not saved, not moved.",
        formula="self.layers = [nn.Linear(...), ...]",
        section=WRITE,
        group="interface",
        options={"registration": "list"},
        family="alone",
    ),
    Mistake(
        slug="plain-tensors",
        title="the weights are plain tensors",
        hint="What makes a tensor a parameter of a module?",
        explanation="A tensor that is not a parameter is not found: not trained, not saved, not moved.",
        formula="self.weight = torch.randn(...)",
        section=WRITE,
        group="interface",
        options={"registration": "list"},
        family="alone",
    ),
    Mistake(
        slug="layers-built-in-forward",
        title="the layers are built in forward",
        hint="Which weights does the second call use?",
        explanation="Every call makes new layers with new random weights. Nothing is learned, and the same "
        "input gives another output each time.",
        formula="nn.Linear(...) inside forward",
        section=WRITE,
        group="interface",
        options={"registration": "list"},
        family="alone",
    ),
    Mistake(
        slug="out-proj-not-built",
        title="there is no layer out_proj, or only a new one in each call",
        hint="How many layers does __init__ create?",
        explanation="The agreed parameters are those of four projections. One that is not created in "
        "__init__ cannot learn.",
        formula="parameters of q_proj, k_proj and v_proj only",
        section=WRITE,
        group="interface",
        options={"registration": "no out_proj"},
        family="alone",
    ),
    Mistake(
        slug="no-super",
        title="super().__init__() is missing",
        hint="Who prepares a module for keeping layers?",
        explanation="nn.Module sets up its registers in its own __init__, which has to run first.",
        formula="__init__ without super().__init__()",
        section=WRITE,
        group="interface",
        options={"registration": "no super"},
        family="alone",
    ),
    Mistake(
        slug="frozen",
        title="the weights do not ask for a gradient",
        hint="What does requires_grad say about your weights?",
        explanation="Frozen weights stay as random as they began.",
        formula="requires_grad = False",
        section=WRITE,
        group="interface",
        options={"frozen": True},
        family="alone",
    ),
    *also(
        Mistake(
            slug="other-names",
            title="the layers have other names or are stacked into one",
            hint="Which four names does the table of fixed names give?",
            explanation="The checks, and everybody who loads saved weights, find layers by their names. "
            "Other names hold the same mathematics, but not the agreed interface.",
            formula="other names than q_proj, k_proj, v_proj, out_proj",
            section=WRITE,
            group="interface",
            options={"names": "q_proj k_proj v_proj o_proj"},
            family="alone",
        ),
        *(
            {"names": names}
            for names in (
                "wq wk wv wo",
                "w_q w_k w_v w_o",
                "W_q W_k W_v W_o",
                "Wq Wk Wv Wo",
                "W_Q W_K W_V W_O",
                "q k v o",
                "q k v out",
                "q k v proj",
                "query key value out",
                "query key value proj",
                "W_query W_key W_value out_proj",
                "q_proj k_proj v_proj proj",
                "q_proj k_proj v_proj output_proj",
                "q_linear k_linear v_linear out",
                "to_q to_k to_v to_out",
                "qkv:3 proj",
                "qkv:3 out",
                "qkv:3 out_proj",
                "qkv_proj:3 out_proj",
                "qkv_proj:3 o_proj",
                "c_attn:3 c_proj",
                "in_proj:3 out_proj",
                "to_qkv:3 to_out",
            )
        ),
    ),
    Mistake(
        slug="no-theta-argument",
        title="the class takes no theta",
        hint="Which three arguments does the class take, and under which names?",
        explanation="theta is an argument with a default and belongs to the agreed interface.",
        formula="__init__(self, width, heads)",
        section=WRITE,
        group="interface",
        options={"arguments": "width heads"},
        family="alone",
    ),
    Mistake(
        slug="arguments-exchanged",
        title="the arguments come in another order",
        hint="Which argument comes first: the width, or the number of heads?",
        explanation="Called by position, the two change places, and the layers get the wrong size.",
        formula="__init__(self, heads, width)",
        section=WRITE,
        group="interface",
        options={"arguments": "heads width"},
        family="alone",
    ),
    *also(
        Mistake(
            slug="width-written-down",
            title="the width is written down, or a global name",
            hint="Where do your layers get their size from?",
            explanation="It works for the sizes at hand and for no others. The class has to use what it is "
            "given.",
            formula="nn.Linear of a fixed size",
            section=WRITE,
            group="interface",
            options={"width": 64},
            family="alone",
        ),
        {"width": 12},
        {"width": 32},
    ),
    *also(
        Mistake(
            slug="mask-kept",
            title="the mask of the first call is kept",
            hint="How long was the sequence when your mask was made?",
            explanation="A mask fits one length. Kept on the object without asking for the length again, it "
            "is wrong for the next sequence.",
            formula="self.mask made once, in the first call",
            section=WRITE,
            group="shapes",
            options={"kept": "mask"},
            family="alone",
        ),
        {"kept": "mask", "mask_by": "where"},
    ),
    Mistake(
        slug="angles-kept",
        title="RoPE's table of the first call is kept",
        hint="How many positions were there when your table was made?",
        explanation="A table of angles that is kept without asking for the length again is too short for a "
        "longer sequence.",
        formula="self.cos and self.sin made once, in the first call",
        section=WRITE,
        group="shapes",
        options={"kept": "angles"},
        family="alone",
    ),
    *also(
        Mistake(
            slug="mask-too-short",
            title="the mask has a fixed size and ends before a long sequence does",
            hint="What does your class do with one token more than your mask has rows?",
            explanation="Nothing in the constructor limits the length, so the mask has to fit every T.",
            formula="mask of 64 × 64, or another fixed size",
            section=WRITE,
            group="shapes",
            options={"kept": "mask", "longest": 64},
            family="alone",
        ),
        {"kept": "mask", "longest": 64, "mask_by": "where"},
        {"kept": "mask", "longest": 32},
        {"kept": "mask", "longest": 32, "mask_by": "where"},
        {"kept": "mask", "longest": 16},
        {"kept": "mask", "longest": 16, "mask_by": "where"},
    ),
    *also(
        Mistake(
            slug="angles-too-short",
            title="RoPE's table has a fixed size and ends before a long sequence does",
            hint="What does your class do with one token more than your table has rows?",
            explanation="Nothing in the constructor limits the length, so the table of angles has to fit "
            "every T.",
            formula="angles for 64 positions, or another fixed number",
            section=WRITE,
            group="shapes",
            options={"longest": 64},
            family="alone",
        ),
        {"longest": 32},
        {"longest": 16},
    ),
    Mistake(
        slug="keys-kept",
        title="keys and values of the call before are still there",
        hint="Does the second call know anything of the first?",
        explanation="A cache is for generating token by token. Here each call is a sequence of its own.",
        formula="k = cat(old k, new k)",
        section=WRITE,
        group="shapes",
        options={"kept": "keys"},
        family="alone",
    ),
    Mistake(
        slug="output-kept",
        title="the first output is returned again and again",
        hint="Does the second call look at its input?",
        explanation="Something that depends on x was kept on the object.",
        formula="y of the first call",
        section=WRITE,
        group="mask",
        options={"kept": "output"},
        family="alone",
    ),
    Mistake(
        slug="returns-more",
        title="forward returns a tuple",
        hint="What does the block add to x?",
        explanation="The block adds the output to x, which works with one tensor. For looking at the "
        "weights there is record.",
        formula="return y, weights",
        section=WRITE,
        group="interface",
        options={"returned": "tuple"},
        family="alone",
    ),
    Mistake(
        slug="returns-nothing",
        title="forward returns nothing",
        hint="What is the last line of forward?",
        explanation="A function without return gives None.",
        formula="no return",
        section=WRITE,
        group="interface",
        options={"returned": "nothing"},
        family="alone",
    ),
    Mistake(
        slug="returns-first-sample",
        title="only the first sample is returned",
        hint="Where did the batch axis go?",
        explanation="An index or a squeeze removed the axis of the samples.",
        formula="y[0]",
        section=WRITE,
        group="interface",
        options={"returned": "first sample"},
        family="alone",
    ),
    *also(
        Mistake(
            slug="dropout",
            title="there is a dropout",
            hint="Do two calls with the same input agree, in train and in eval mode?",
            explanation="This attention has no randomness. F.dropout, and dropout_p of torch's attention, "
            "even go on after .eval() unless told otherwise.",
            formula="dropout(weights) or dropout(y)",
            section=WRITE,
            group="independence",
            options={"dropout": ("weights", 0.1, True)},
            family="alone",
        ),
        *(
            {"dropout": (where, share, always)}
            for where in ("weights", "output")
            for share in (0.1, 0.2, 0.5)
            for always in (True, False)
            if (where, share, always) != ("weights", 0.1, True)
        ),
    ),
    Mistake(
        slug="detached-context",
        title="the gradient ends before the output projection",
        hint="Which parameters learn when everything before out_proj is cut off?",
        explanation="The numbers are right, but no gradient passes: only out_proj learns. Look for detach, "
        ".data and torch.no_grad().",
        formula="out_proj(context.detach())",
        section=WRITE,
        group="gradients",
        options={"cut": "context"},
        family="alone",
    ),
    Mistake(
        slug="detached-weights",
        title="the weights are cut off from the gradient",
        hint="How do q_proj and k_proj learn where to look?",
        explanation="The numbers are right, but queries and keys get no gradient through the weights.",
        formula="weights.detach() · v",
        section=WRITE,
        group="gradients",
        options={"cut": "weights"},
        family="alone",
    ),
    Mistake(
        slug="detached-q-and-k",
        title="q and k are cut off from the gradient",
        hint="Is RoPE, or anything else on the way to the scores, inside torch.no_grad()?",
        explanation="The numbers are right, but queries and keys never learn.",
        formula="scores from q.detach() and k.detach()",
        section=WRITE,
        group="gradients",
        options={"cut": "weights"},
        family="alone",
    ),
    *also(
        Mistake(
            slug="detached-part",
            title="one of q, k and v is cut off from the gradient",
            hint="Which projection gets no gradient?",
            explanation="The numbers are right, but a projection whose result is detached never learns.",
            formula="q.detach(), k.detach() or v.detach()",
            section=WRITE,
            group="gradients",
            options={"detached": "k"},
            family="alone",
        ),
        {"detached": "q"},
        {"detached": "v"},
        {"detached": "kv"},
        {"detached": "qv"},
    ),
    Mistake(
        slug="detached-input",
        title="x is cut off from the gradient",
        hint="What does the layer before this one learn from?",
        explanation="The projections learn, but nothing flows back to x, so the layers before never learn.",
        formula="attention(x.detach())",
        section=WRITE,
        group="gradients",
        options={"detached": "x"},
        family="alone",
    ),
    Mistake(
        slug="detached-output",
        title="the output is cut off from the gradient",
        hint="Does anything in this class learn?",
        explanation="Under torch.no_grad(), or with a detach at the end, no gradient reaches anything.",
        formula="y.detach()",
        section=WRITE,
        group="gradients",
        options={"cut": "output"},
        family="alone",
    ),
    Mistake(
        slug="device-written-down",
        title="a device is written down",
        hint="On which device does x lie?",
        explanation="A class that asks x for its device works everywhere.",
        formula="x.cuda()",
        section=WRITE,
        group="interface",
        options={"device": "cuda"},
        family="alone",
    ),
]
MISTAKES.sort(key=lambda mistake: mistake.family == "alone")  # pairs of the others are looked for first
