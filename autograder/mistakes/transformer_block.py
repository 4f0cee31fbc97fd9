"""What wrong blocks compute.

A block is two halves, and most mistakes happen in one of them or in both: `HALVES` holds what a half may
do wrong with its stream, its norm, its part and the norm of the other half. `WHOLE` holds the wirings
that cannot be told half by half.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.mistakes import Mistake

GIVEN_EPS = attrgetter("norm_eps")
PARTS = ("norm1", "attention", "norm2", "ffn")
Part = Callable[[Tensor], Tensor]


def right(s: Tensor, n: Part, p: Part, m: Part) -> Tensor:
    return s + p(n(s))


def unpacked(pair: Tensor) -> Tensor:
    first, _ = pair
    return first


# s is the stream, n the half's own norm, p its part, m the norm of the other half
HALVES: dict[str, Callable[[Tensor, Part, Part, Part], Tensor]] = {
    "right": right,
    "post-norm": lambda s, n, p, m: n(s + p(s)),
    "no-residual": lambda s, n, p, m: p(n(s)),
    "residual-normed": lambda s, n, p, m: n(s) + p(n(s)),
    "no-norm": lambda s, n, p, m: s + p(s),
    "norm-on-branch": lambda s, n, p, m: s + n(p(s)),
    "other-norm": lambda s, n, p, m: s + p(m(s)),
    "norm-on-sum-too": lambda s, n, p, m: n(s + p(n(s))),
    "norm-after-part-too": lambda s, n, p, m: s + n(p(n(s))),
    "norm-twice": lambda s, n, p, m: s + p(n(n(s))),
    "branch-doubled": lambda s, n, p, m: 2 * p(n(s)),
    "minus": lambda s, n, p, m: s - p(n(s)),
    "minus-stream": lambda s, n, p, m: p(n(s)) - s,
    "times": lambda s, n, p, m: s * p(n(s)),
    "average": lambda s, n, p, m: (s + p(n(s))) / 2,
    "over-root-2": lambda s, n, p, m: (s + p(n(s))) * 0.5**0.5,
    "branch-halved": lambda s, n, p, m: s + p(n(s)) / 2,
    "residual-twice": lambda s, n, p, m: s + s + p(n(s)),
    "norm-added": lambda s, n, p, m: s + n(s) + p(n(s)),
    "part-missing": lambda s, n, p, m: s + n(s),
    "branch-lost": lambda s, n, p, m: (p(n(s)), s)[1],
    "half-missing": lambda s, n, p, m: s,
    "part-twice": lambda s, n, p, m: s + p(p(n(s))),
    "branch-added-twice": lambda s, n, p, m: s + 2 * p(n(s)),
    "branch-reads-raw": lambda s, n, p, m: n(s) + p(s),
    "part-alone": lambda s, n, p, m: p(s),
    "norm-of-part": lambda s, n, p, m: n(p(s)),
    "relu-on-sum": lambda s, n, p, m: (s + p(n(s))).relu(),
    "relu-on-branch": lambda s, n, p, m: s + p(n(s)).relu(),
    "gelu-on-branch": lambda s, n, p, m: s + F.gelu(p(n(s))),
    "other-axis": lambda s, n, p, m: s + p(n(s).transpose(0, 1)).transpose(0, 1),
    "first-sample": lambda s, n, p, m: s + p(n(s))[0],
    "unpacked": lambda s, n, p, m: s + unpacked(p(n(s))),
    "in-place": lambda s, n, p, m: s.add_(p(n(s))),
    "residual-detached": lambda s, n, p, m: s.detach() + p(n(s)),
    "branch-detached": lambda s, n, p, m: s + p(n(s)).detach(),
    "norm-detached": lambda s, n, p, m: s + p(n(s).detach()),
    "reads-detached": lambda s, n, p, m: s + p(n(s.detach())),
    "sum-detached": lambda s, n, p, m: (s + p(n(s))).detach(),
}

# x is the input, n and m are norm1 and norm2, a the attention, f the ffn
WHOLE: dict[str, Callable[[Tensor, Part, Part, Part, Part], Tensor]] = {
    "second-adds-x": lambda x, n, a, m, f: x + f(m(right(x, n, a, m))),
    "norm2-reads-x": lambda x, n, a, m, f: x + a(n(x)) + f(m(x)),
    "parallel-one-norm": lambda x, n, a, m, f: x + a(n(x)) + f(n(x)),
    "parallel-no-residual": lambda x, n, a, m, f: a(n(x)) + f(m(x)),
    "one-residual": lambda x, n, a, m, f: x + f(m(a(n(x)))),
    "one-residual-one-norm": lambda x, n, a, m, f: x + f(a(n(x))),
    "second-adds-attention": lambda x, n, a, m, f: a(n(x)) + f(m(right(x, n, a, m))),
    "second-adds-norm1": lambda x, n, a, m, f: n(x) + f(m(right(x, n, a, m))),
    "norm2-reads-attention": lambda x, n, a, m, f: right(x, n, a, m) + f(m(a(n(x)))),
    "norm2-reads-norm1": lambda x, n, a, m, f: right(x, n, a, m) + f(m(n(x))),
    "ffn-reads-attention": lambda x, n, a, m, f: right(x, n, a, m) + f(a(n(x))),
    "x-added-again": lambda x, n, a, m, f: x + right(right(x, n, a, m), m, f, n),
    "ffn-first": lambda x, n, a, m, f: right(right(x, m, f, n), n, a, m),
    "parts-exchanged": lambda x, n, a, m, f: right(right(x, n, f, m), m, a, n),
    "attention-in-both": lambda x, n, a, m, f: right(right(x, n, a, m), m, a, n),
    "ffn-in-both": lambda x, n, a, m, f: right(right(x, n, f, m), m, f, n),
    "norms-in-a-row": lambda x, n, a, m, f: HALVES["no-norm"](x + a(m(n(x))), m, f, n),
    "block-twice": lambda x, n, a, m, f: right(right(right(right(x, n, a, m), m, f, n), n, a, m), m, f, n),
    "concatenated": lambda x, n, a, m, f: torch.cat([right(x, n, a, m), f(m(right(x, n, a, m)))], dim=-1),
}


RETURNED: dict[str, Callable[[Tensor], Any]] = {
    "tensor": lambda y: y,
    "pair": lambda y: (y, None),
    "list": lambda y: [y],
    "nothing": lambda y: None,
    "squeezed": lambda y: y.squeeze(0),
    "squeezed everywhere": lambda y: y.squeeze(),
    "mean over positions": lambda y: y.mean(dim=1),
    "last position": lambda y: y[:, -1],
}


@dataclass(frozen=True)
class Wrong:
    """What a model does otherwise. The defaults are the right block.

    What the parts are built with is a function of the config, a number, or None where it is left out.
    """

    first: str = "right"  # a name in HALVES
    second: str = "right"
    whole: str = ""  # a name in WHOLE
    detached: str = ""
    dropout: tuple[str, float, bool] = ("", 0.0, False)  # where, how much, also in eval
    kept: str = ""  # what of the first call is used again
    returned: str = "tensor"
    registration: str = "modules"
    renamed: tuple[tuple[str, str], ...] = ()
    extra: tuple[str, str] = ("", "")  # the name of one more part, and what it is
    norms: str = "two"
    attention: str = "given"
    ffn: str = "given"
    config: str = "given"
    norm_width: Any = attrgetter("d_model")
    eps1: Any = GIVEN_EPS
    eps2: Any = GIVEN_EPS
    heads: Any = attrgetter("n_heads")
    theta: Any = attrgetter("rope_theta")
    d_ff: Any = attrgetter("d_ff")


def variant(**options: Any) -> dict[str, Any]:
    """The names that a submission with these options defines; no options give the right block."""
    namespace: dict[str, Any] = {}
    facts = {"wrong": Wrong(**options), "namespace": namespace}
    namespace["TransformerBlock"] = type("TransformerBlock", (Block,), facts)
    return namespace


class Block(nn.Module):
    wrong: Wrong
    namespace: dict[str, Any]

    def __init__(self, config: Any) -> None:
        wrong = self.wrong
        if wrong.registration != "no super":
            super().__init__()
        if wrong.config == "defaults":
            config = type(config)()
        elif wrong.config == "width 64":
            config = type(config)(**{**vars(config), "d_model": 64})
        if wrong.registration == "in forward":
            self.config = config
            return
        parts = self.make_parts(config)
        if wrong.registration == "list":
            self.layers = list(parts.values())
        elif wrong.registration == "module list":
            self.layers = nn.ModuleList(parts.values())
        else:
            for name, part in parts.items():
                setattr(self, dict(wrong.renamed).get(name, name), part)
        if wrong.registration == "frozen":
            self.requires_grad_(False)
        name, kind = wrong.extra
        if kind == "norm":
            setattr(self, name, self.part("RMSNorm")(config.d_model, config.norm_eps))
        elif kind == "projection":
            setattr(self, name, nn.Linear(config.d_model, config.d_model, bias=False))

    def part(self, name: str) -> Any:
        """What the name means: while the block is built a noting stand-in, later the plain one."""
        if name in self.namespace:
            return self.namespace[name]
        return getattr(importlib.import_module("tiny_lm" if name == "SwiGLU" else "tiny_lm.stand_ins"), name)

    def make_parts(self, config: Any) -> dict[str, nn.Module]:
        wrong = self.wrong
        parts = {
            "norm1": self.make_norm(config, wrong.eps1),
            "attention": self.make_attention(config),
            "norm2": self.make_norm(config, wrong.eps2) if wrong.norms not in ("shared", "one") else None,
            "ffn": self.make_ffn(config),
        }
        if wrong.norms == "shared":
            parts["norm2"] = parts["norm1"]
        return {name: part for name, part in parts.items() if part is not None}

    def make_norm(self, config: Any, eps: Any) -> nn.Module | None:
        width, eps = value(config, self.wrong.norm_width), value(config, eps)
        match self.wrong.norms:
            case "none":
                return None
            case "layer":
                return nn.LayerNorm(width)
            case "layer without parameters":
                return nn.LayerNorm(width, elementwise_affine=False)
            case "torch":
                return nn.RMSNorm(width)
        return self.part("RMSNorm")(width, *([] if eps is None else [eps]))

    def make_attention(self, config: Any) -> nn.Module:
        if self.wrong.attention == "torch":
            return nn.MultiheadAttention(config.d_model, config.n_heads, batch_first=True)
        heads, theta = value(config, self.wrong.heads), value(config, self.wrong.theta)
        return self.part("CausalSelfAttention")(config.d_model, heads, *([] if theta is None else [theta]))

    def make_ffn(self, config: Any) -> nn.Module:
        width, inner = config.d_model, value(config, self.wrong.d_ff)
        match self.wrong.ffn:
            case "exchanged":
                return self.part("SwiGLU")(inner, width)
            case "mlp":
                return nn.Sequential(nn.Linear(width, inner), nn.GELU(), nn.Linear(inner, width))
            case "mlp without bias":
                layers = nn.Linear(width, inner, bias=False), nn.GELU(), nn.Linear(inner, width, bias=False)
                return nn.Sequential(*layers)
        return self.part("SwiGLU")(width, inner)

    def forward(self, x: Tensor) -> Any:
        wrong = self.wrong
        if wrong.detached == "everything":
            with torch.no_grad():
                y = self.wiring(x)
        else:
            y = self.wiring(x.detach() if wrong.detached == "input" else x)
        if wrong.kept == "output":
            y = self.__dict__.setdefault("first_output", y)
        if wrong.extra[1]:
            y = getattr(self, wrong.extra[0])(y)
        place, rate, always = wrong.dropout
        if place == "end":
            y = F.dropout(y, rate, self.training or always)
        return RETURNED[wrong.returned](y)

    def wiring(self, x: Tensor) -> Tensor:
        norm1, attention, norm2, ffn = self.callables()
        if self.wrong.whole:
            return WHOLE[self.wrong.whole](x, norm1, attention, norm2, ffn)
        h = HALVES[self.wrong.first](x, norm1, attention, norm2)
        return HALVES[self.wrong.second](h, norm2, ffn, norm1)

    def callables(self) -> list[Part]:
        """norm1, attention, norm2 and ffn as this model calls them."""
        wrong = self.wrong
        if wrong.registration == "in forward":
            parts = self.make_parts(self.config)
        elif wrong.registration in ("list", "module list"):
            parts = dict(zip(PARTS, self.layers, strict=True))
        else:
            parts = {name: getattr(self, dict(wrong.renamed).get(name, name), None) for name in PARTS}
        return [self.callable(name, parts[name]) for name in PARTS]

    def callable(self, name: str, part: nn.Module) -> Part:
        wrong = self.wrong
        place, rate, always = wrong.dropout
        if name == "attention" and wrong.attention == "torch":
            return lambda z: part(z, z, z)[0]
        if wrong.kept == name:
            return lambda z: self.__dict__.setdefault("first_" + name, part(z))
        if place == name or (place == "branches" and name in ("attention", "ffn")):
            return lambda z: F.dropout(part(z), rate, self.training or always)
        return part


def value(config: Any, wanted: Any) -> Any:
    return wanted(config) if callable(wanted) else wanted


# -- the sentences ---------------------------------------------------------------------------------

# For a mistake in one half: {n} its norm, {p} its part, {s} the stream that arrives, {o} what leaves,
# {m} the other norm, {half} its name.
NAMES = {
    "first": {"n": "norm1", "p": "attention", "s": "x", "o": "h", "m": "norm2", "half": "attention half"},
    "second": {"n": "norm2", "p": "ffn", "s": "h", "o": "y", "m": "norm1", "half": "ffn half"},
}
ROAD, WORTH, WRITE = "1. A road with two side streets", "2. What the road is good for", "3. Write it"
GRADIENT, DEPTH, SAW = "The gradient on the road", "5. Thirty-two blocks deep", "Which norm saw what"
COUNT, GIVEN, WIDTH = "6. Count the parameters", "The parts you are given", "Same width, or no addition"
SILENT, SWITCHES = "A branch that says nothing", "Switch branches off"

# kind, title, hint, explanation, formula, section, group
HALF_SENTENCES = [
    (
        "post-norm",
        "this is Post-Norm: {n} stands on the road, after the sum",
        "Walk straight from {s} to {o} without turning off. Do you pass a norm?",
        "The norm rescales the stream itself, so nothing arrives unchanged, and the {p} reads raw numbers.",
        "{o} = {n}({s} + {p}({s}))",
        DEPTH,
        "wiring",
    ),
    (
        "no-residual",
        "the {half} has no residual connection",
        "What is left of {s} when the {p} writes zeros?",
        "The branch replaces the stream instead of adding to it. A silent branch then wipes everything out.",
        "{o} = {p}({n}({s}))",
        WORTH,
        "wiring",
    ),
    (
        "residual-normed",
        "the residual of the {half} is taken from the normalised stream",
        "Which variable holds the stream after you called {n}: the raw one or its copy?",
        "The norm has moved onto the road, and the size of the stream is lost. Often {s} was overwritten.",
        "{o} = {n}({s}) + {p}({n}({s}))",
        ROAD,
        "wiring",
    ),
    (
        "no-norm",
        "the {p} reads the stream without {n}",
        "What does the {p} receive, and how large is that in block 32?",
        "{n} is never used, so its scale gets no gradient, and the branch sees a stream that grows.",
        "{o} = {s} + {p}({s})",
        SAW,
        "wiring",
    ),
    (
        "norm-on-branch",
        "{n} is applied to what the {p} writes, not to what it reads",
        "Which comes first on the side street: the norm or the part?",
        "The {p} reads raw numbers, and everything it writes is set to the same size. "
        "With silent branches this looks right.",
        "{o} = {s} + {n}({p}({s}))",
        ROAD,
        "wiring",
    ),
    (
        "other-norm",
        "the {half} uses {m}",
        "Both norms start with the same numbers. When would you notice that the {p} reads the wrong one?",
        "Before training nothing is to be seen. Later the {p} is fed with a scale that is not its own.",
        "{o} = {s} + {p}({m}({s}))",
        SAW,
        "norms",
    ),
    (
        "in-place",
        "the {half} adds in place, into {s} itself",
        "Who else holds the tensor that += writes into?",
        "What += changes is the tensor itself, not only the name: the caller, and autograd, still need {s}.",
        "{s} += {p}({n}({s}))",
        GRADIENT,
        "gradients",
    ),
    (
        "norm-on-sum-too",
        "{n} is applied once more, to the sum of the {half}",
        "How many norms do you pass on the straight way from {s} to {o}?",
        "The stream is normalised on the road, so nothing arrives unchanged.",
        "{o} = {n}({s} + {p}({n}({s})))",
        ROAD,
        "wiring",
    ),
    (
        "norm-after-part-too",
        "{n} is applied before and after the {p}",
        "How often does the side street of the {p} pass a norm?",
        "What the {p} writes is set to the same size again, so a quiet branch cannot stay quiet.",
        "{o} = {s} + {n}({p}({n}({s})))",
        ROAD,
        "wiring",
    ),
    (
        "norm-twice",
        "{n} is applied twice in a row",
        "How often is {n} called in one pass?",
        "The second time changes nothing while scale is 1, and multiplies by scale once more afterwards.",
        "{o} = {s} + {p}({n}({n}({s})))",
        SAW,
        "wiring",
    ),
    (
        "branch-doubled",
        "the branch of the {half} is added to itself instead of to the stream",
        "After you have overwritten a variable with what the {p} gave, what does it still know of {s}?",
        "The stream is gone and the branch counts twice, as in x = x + x.",
        "{o} = {p}({n}({s})) + {p}({n}({s}))",
        ROAD,
        "wiring",
    ),
    (
        "minus",
        "the {half} subtracts its branch",
        "With which sign does the branch arrive on the road?",
        "Training could learn the opposite sign, but with given weights every number is off.",
        "{o} = {s} - {p}({n}({s}))",
        ROAD,
        "wiring",
    ),
    (
        "minus-stream",
        "the {half} subtracts the stream",
        "With which sign does {s} arrive in {o}?",
        "A silent branch then turns the stream around.",
        "{o} = {p}({n}({s})) - {s}",
        SILENT,
        "wiring",
    ),
    (
        "times",
        "the {half} multiplies stream and branch",
        "What comes out when the branch writes zeros?",
        "A silent branch wipes the stream out, and gradients are multiplied instead of added.",
        "{o} = {s} * {p}({n}({s}))",
        SILENT,
        "wiring",
    ),
    (
        "average",
        "the {half} averages stream and branch",
        "Is a half of the stream still the stream?",
        "Every half block shrinks what is on the road by two; after 32 blocks it is gone.",
        "{o} = ({s} + {p}({n}({s}))) / 2",
        WORTH,
        "wiring",
    ),
    (
        "over-root-2",
        "the sum of the {half} is divided by √2",
        "What comes out of the half when its branch is silent?",
        "It keeps the size of the sum, but the stream no longer passes unchanged.",
        "{o} = ({s} + {p}({n}({s}))) / √2",
        WORTH,
        "wiring",
    ),
    (
        "branch-halved",
        "the branch of the {half} is halved before it is added",
        "Is there a factor between the {p} and the sum?",
        "The block has no factors of its own; the size of a branch is learned in its weights.",
        "{o} = {s} + {p}({n}({s})) / 2",
        ROAD,
        "wiring",
    ),
    (
        "residual-twice",
        "the stream is added twice in the {half}",
        "How often does {s} occur outside of the branch?",
        "The stream doubles in every block, whatever the branches do.",
        "{o} = {s} + {s} + {p}({n}({s}))",
        WORTH,
        "wiring",
    ),
    (
        "norm-added",
        "the normalised copy is added to the stream as well",
        "How many terms has the sum of the {half}?",
        "The copy is meant for the {p} only. With silent branches the stream still changes.",
        "{o} = {s} + {n}({s}) + {p}({n}({s}))",
        ROAD,
        "wiring",
    ),
    (
        "part-missing",
        "the {p} is never called: the normalised copy itself is added",
        "Who reads what {n} returns?",
        "The parameters of the {p} get no gradient and never learn.",
        "{o} = {s} + {n}({s})",
        SWITCHES,
        "wiring",
    ),
    (
        "branch-lost",
        "what the {p} writes never reaches the stream",
        "Is the result of the {half} used after it was computed, or multiplied by something that is 0?",
        "The half changes nothing, and its parameters get no gradient.",
        "{o} = {s}",
        SWITCHES,
        "wiring",
    ),
    (
        "half-missing",
        "the {half} is missing",
        "Which two parts are never called?",
        "The half changes nothing, and its parameters get no gradient.",
        "{o} = {s}",
        SWITCHES,
        "wiring",
    ),
    (
        "part-twice",
        "the {p} is applied twice in a row",
        "How often is the {p} called in one pass?",
        "It reads its own output, which no norm has touched.",
        "{o} = {s} + {p}({p}({n}({s})))",
        SWITCHES,
        "wiring",
    ),
    (
        "branch-added-twice",
        "the branch of the {half} is added twice",
        "How many terms has the sum of the {half}?",
        "The branch counts double against the stream.",
        "{o} = {s} + {p}({n}({s})) + {p}({n}({s}))",
        SWITCHES,
        "wiring",
    ),
    (
        "branch-reads-raw",
        "road and side street are exchanged in the {half}: the norm is on the road",
        "Which of the two terms of the sum has been through the norm?",
        "The {p} reads raw numbers, and the stream loses its size.",
        "{o} = {n}({s}) + {p}({s})",
        ROAD,
        "wiring",
    ),
    (
        "part-alone",
        "the {half} is the {p} alone, without norm and without residual",
        "What happens to 32 such parts in a row?",
        "Nothing carries the stream past the {p}, and nothing sets the size of what it reads.",
        "{o} = {p}({s})",
        DEPTH,
        "wiring",
    ),
    (
        "norm-of-part",
        "{n} of what the {p} writes replaces the stream",
        "What is left of {s} when the {p} writes zeros?",
        "There is no residual connection, and the norm comes after the part.",
        "{o} = {n}({p}({s}))",
        WORTH,
        "wiring",
    ),
    (
        "relu-on-sum",
        "there is a ReLU on the road of the {half}",
        "Can the stream be negative after this half?",
        "Negative numbers are cut off, so a silent branch no longer leaves the stream alone.",
        "{o} = relu({s} + {p}({n}({s})))",
        ROAD,
        "wiring",
    ),
    (
        "relu-on-branch",
        "there is a ReLU behind the {p}",
        "Can the branch take something away from the stream?",
        "The branch can only ever add positive numbers. The nonlinearity of the block lives inside the ffn.",
        "{o} = {s} + relu({p}({n}({s})))",
        ROAD,
        "wiring",
    ),
    (
        "gelu-on-branch",
        "there is a GELU behind the {p}",
        "Is there something between the {p} and the sum?",
        "The branch can hardly take anything away from the stream. "
        "The nonlinearity of the block lives inside the ffn.",
        "{o} = {s} + gelu({p}({n}({s})))",
        ROAD,
        "wiring",
    ),
    (
        "other-axis",
        "the {p} is given samples and positions exchanged",
        "Which axis does the {p} take for the positions in [B, T, D]?",
        "It mixes the samples of a batch and leaves positions apart. With one sample this is hard to see.",
        "{o} = {s} + {p}({n}({s}).transpose(0, 1)).transpose(0, 1)",
        GIVEN,
        "behaviour",
    ),
    (
        "first-sample",
        "only the first sample of what the {p} returns is added, to all samples",
        "Does the {p} return a tensor or a pair? What does [0] take out of a tensor?",
        "Indexing takes sample 0, and broadcasting adds it to every sample without a word.",
        "{o} = {s} + {p}({n}({s}))[0]",
        WIDTH,
        "wiring",
    ),
    (
        "unpacked",
        "what the {p} returns is unpacked like a pair",
        "Does the {p} return one tensor or two?",
        "A tensor of B samples unpacks into B tensors, which works only by accident.",
        "{p}, _ = {p}({n}({s}))",
        GIVEN,
        "wiring",
    ),
    (
        "residual-detached",
        "the road of the {half} is cut off from the gradient",
        "Which path should carry the gradient past the {p} unchanged?",
        "The numbers are right, but the 1 in dy/dx = 1 + F'(x) is missing.",
        "{o} = {s}.detach() + {p}({n}({s}))",
        GRADIENT,
        "gradients",
    ),
    (
        "branch-detached",
        "the branch of the {half} is detached",
        "Which parameters get no gradient?",
        "The numbers are right, but nothing on this side street ever learns.",
        "{o} = {s} + {p}({n}({s})).detach()",
        GRADIENT,
        "gradients",
    ),
    (
        "norm-detached",
        "what {n} returns is detached",
        "Does the scale of {n} get a gradient?",
        "The {p} learns, but {n} does not, and the stream gets no gradient through this branch.",
        "{o} = {s} + {p}({n}({s}).detach())",
        GRADIENT,
        "gradients",
    ),
    (
        "reads-detached",
        "the {half} reads a detached stream",
        "Does the gradient of x hear of this branch?",
        "All parameters learn, but F'(x) is missing in dy/dx = 1 + F'(x).",
        "{o} = {s} + {p}({n}({s}.detach()))",
        GRADIENT,
        "gradients",
    ),
    (
        "sum-detached",
        "everything up to {o} is detached",
        "How far back does the gradient get?",
        "Nothing before this place learns.",
        "{o} = ({s} + {p}({n}({s}))).detach()",
        GRADIENT,
        "gradients",
    ),
]

# What the titles of HALF_SENTENCES become when both halves do it.
BOTH_TITLES = {
    "post-norm": "this is Post-Norm: both norms stand on the road, after the sums",
    "no-residual": "there is no residual connection at all",
    "residual-normed": "both residuals are taken from the normalised stream",
    "no-norm": "neither norm is used",
    "norm-on-branch": "the norms are applied to what the parts write, not to what they read",
    "other-norm": "norm1 and norm2 are exchanged",
    "norm-on-sum-too": "both norms are applied once more, to the sums",
    "norm-after-part-too": "the norms are applied before and after their parts",
    "norm-twice": "both norms are applied twice in a row",
    "branch-doubled": "both branches are added to themselves instead of to the stream",
    "minus": "both branches are subtracted",
    "minus-stream": "the stream is subtracted in both halves",
    "times": "streams and branches are multiplied",
    "average": "streams and branches are averaged",
    "over-root-2": "both sums are divided by √2",
    "branch-halved": "both branches are halved before they are added",
    "residual-twice": "the stream is added twice in both halves",
    "norm-added": "the normalised copies are added to the stream as well",
    "part-missing": "neither attention nor ffn is called",
    "branch-lost": "what the parts write never reaches the stream",
    "branch-added-twice": "both branches are added twice",
    "half-missing": "the block returns its input: no part is ever called",
    "branch-reads-raw": "road and side streets are exchanged: the norms are on the road",
    "part-alone": "the parts are chained without norms and without residuals",
    "norm-of-part": "the norm of what each part writes replaces the stream",
    "relu-on-sum": "there is a ReLU on the road after both sums",
    "relu-on-branch": "there is a ReLU behind both parts",
    "gelu-on-branch": "there is a GELU behind both parts",
    "in-place": "both halves add in place",
    "residual-detached": "the road is cut off from the gradient",
    "branch-detached": "both branches are detached",
    "norm-detached": "what the norms return is detached",
    "reads-detached": "both halves read a detached stream",
}
# Two of these are not looked for together.
RARE = {
    *("minus-stream", "times", "average", "over-root-2", "branch-halved", "residual-twice", "norm-added"),
    *("branch-added-twice", "part-twice", "part-alone", "norm-of-part", "half-missing", "relu-on-sum"),
    *("relu-on-branch", "gelu-on-branch", "other-axis", "first-sample", "unpacked", "residual-detached"),
    *("norm-detached", "reads-detached", "sum-detached"),
}
SLUGS = {
    "other-norm-both": "norms-exchanged",
    "post-norm-both": "post-norm",
    "no-residual-both": "no-residual",
}


def in_halves() -> list[Mistake]:
    """Every mistake of HALF_SENTENCES in both halves, in the first and in the second."""
    found = []
    for both in (True, False):
        for kind, title, hint, explanation, formula, section, group in HALF_SENTENCES:
            rows = {half: formula.format(**names) for half, names in NAMES.items()}
            if both and kind in BOTH_TITLES:
                texts = [text.format(**NAMES["second"]) for text in (hint, explanation)]
                slug = SLUGS.get(f"{kind}-both", f"{kind}-both")
                options = {"first": kind, "second": kind}
                formulas = ", ".join(rows.values())
                found.append(Mistake(slug, BOTH_TITLES[kind], *texts, formulas, section, group, options))
            if not both:
                for half, names in NAMES.items():
                    if (kind, half) == ("other-axis", "second"):
                        continue  # the ffn takes every position by itself, so this is right
                    texts = [text.format(**names) for text in (title, hint, explanation)]
                    slug = kind if kind == "unpacked" else f"{kind}-{names['p']}"
                    family = "rare" if kind in RARE else ""
                    found.append(Mistake(slug, *texts, rows[half], section, group, {half: kind}, family))
    return found


ALONE = {"first": "right", "second": "right"}  # options of mistakes that need no pairs with a wiring


def alone(slug, title, hint, explanation, formula, section, group, **options: Any) -> Mistake:
    return Mistake(slug, title, hint, explanation, formula, section, group, ALONE | options)


# a name in WHOLE, title, hint, explanation, formula, section
WHOLE_SENTENCES = [
    (
        "second-adds-x",
        "the second sum starts from x, not from h",
        "What has the attention written by then, and where is it kept?",
        "What the attention added is lost on the road; it reaches y only through the ffn.",
        "y = x + ffn(norm2(h))",
        ROAD,
    ),
    (
        "norm2-reads-x",
        "norm2 reads x, so attention and ffn stand side by side (a parallel block)",
        "When the second branch turns off the road, what is the stream called?",
        "The ffn never sees what the attention found out. With quiet weights the difference is tiny.",
        "y = x + attention(norm1(x)) + ffn(norm2(x))",
        ROAD,
    ),
    (
        "parallel-one-norm",
        "this is a parallel block with one norm, as in GPT-J",
        "Who reads what norm2 returns?",
        "Both parts read norm1(x); the ffn does not see the attention, and norm2 never learns.",
        "y = x + attention(norm1(x)) + ffn(norm1(x))",
        ROAD,
    ),
    (
        "parallel-no-residual",
        "the two branches are added to each other, and to nothing else",
        "What comes out when both branches write zeros?",
        "Both read x, and x itself is not passed on.",
        "y = attention(norm1(x)) + ffn(norm2(x))",
        WORTH,
    ),
    (
        "one-residual",
        "one residual connection around both parts",
        "How many additions are there on the straight way?",
        "The ffn reads the attention's output alone; it never sees the stream.",
        "y = x + ffn(norm2(attention(norm1(x))))",
        ROAD,
    ),
    (
        "one-residual-one-norm",
        "one residual connection and one norm around both parts",
        "How many additions and how many norms does the drawing of the road show?",
        "The ffn reads what the attention writes, raw; norm2 never learns.",
        "y = x + ffn(attention(norm1(x)))",
        ROAD,
    ),
    (
        "second-adds-attention",
        "the second sum starts from what the attention wrote, without x",
        "Which variable holds the whole stream after the first sum?",
        "x reaches y only through the ffn. With silent branches nothing comes out.",
        "y = attention(norm1(x)) + ffn(norm2(h))",
        ROAD,
    ),
    (
        "second-adds-norm1",
        "the second sum starts from norm1(x)",
        "Has the term that stays on the road passed a norm?",
        "The stream is lost, and a normalised copy of the input takes its place.",
        "y = norm1(x) + ffn(norm2(h))",
        ROAD,
    ),
    (
        "norm2-reads-attention",
        "norm2 reads what the attention wrote, not the stream",
        "What is on the road when the second branch turns off?",
        "The ffn sees only what was added, not what it was added to.",
        "y = h + ffn(norm2(attention(norm1(x))))",
        ROAD,
    ),
    (
        "norm2-reads-norm1",
        "norm2 reads norm1(x)",
        "What is on the road when the second branch turns off?",
        "The ffn sees neither the stream nor what the attention added.",
        "y = h + ffn(norm2(norm1(x)))",
        SAW,
    ),
    (
        "ffn-reads-attention",
        "the ffn reads what the attention wrote, without a norm",
        "What does the ffn receive, and who normalised it?",
        "norm2 is never used, and the ffn does not see the stream.",
        "y = h + ffn(attention(norm1(x)))",
        SAW,
    ),
    (
        "x-added-again",
        "x is added once more at the end",
        "Does h know of x already?",
        "The input counts twice, so the stream doubles in every block.",
        "y = x + h + ffn(norm2(h))",
        ROAD,
    ),
    (
        "ffn-first",
        "the ffn half comes before the attention half",
        "Which half comes first on the road?",
        "Both halves are right, in the wrong order: the attention reads what the ffn has added.",
        "h = x + ffn(norm2(x)), y = h + attention(norm1(h))",
        ROAD,
    ),
    (
        "parts-exchanged",
        "attention and ffn are exchanged",
        "Which part turns off behind norm1?",
        "Each part reads the norm of the other, and the ffn comes first.",
        "h = x + ffn(norm1(x)), y = h + attention(norm2(h))",
        ROAD,
    ),
    (
        "attention-in-both",
        "the attention is used in both halves",
        "Which part should read what norm2 returns?",
        "The ffn never learns, and the attention does two jobs.",
        "y = h + attention(norm2(h))",
        SAW,
    ),
    (
        "ffn-in-both",
        "the ffn is used in both halves",
        "Which part lets positions speak to each other?",
        "The attention is never called, so no position hears of another.",
        "h = x + ffn(norm1(x)), y = h + ffn(norm2(h))",
        SWITCHES,
    ),
    (
        "norms-in-a-row",
        "both norms stand before the attention, none before the ffn",
        "Which norm belongs to which part?",
        "The attention reads a copy that was normalised twice, the ffn reads raw numbers.",
        "h = x + attention(norm2(norm1(x))), y = h + ffn(h)",
        SAW,
    ),
    (
        "block-twice",
        "the whole pass is made twice",
        "How often is each part called?",
        "Every part reads, a second time, what it has written itself.",
        "y = block(block(x))",
        SAW,
    ),
    (
        "concatenated",
        "the branch is laid beside the stream instead of added",
        "How wide is the stream after this half?",
        "The width doubles, so the next block cannot read it.",
        "y = [h, ffn(norm2(h))]",
        WIDTH,
    ),
]

OTHER_NAMES = [
    {"attention": "attn"},
    {"attention": "attn", "ffn": "mlp"},
    {"ffn": "mlp"},
    {"ffn": "feed_forward"},
    {"attention": "attn", "norm1": "ln1", "norm2": "ln2", "ffn": "mlp"},
    {"norm1": "ln1", "norm2": "ln2"},
    {"norm1": "attention_norm", "norm2": "ffn_norm"},
    {"attention": "self_attention"},
]

STRUCTURE = [
    *(
        Mistake(
            "norm2-not-built",
            "there is no norm2",
            "How many norms does the drawing of the road show?",
            "The ffn reads raw numbers, or a norm that learns for the attention. Parameters are missing.",
            formula + ", without a norm2",
            COUNT,
            "interface",
            {"first": "right", "second": second, "norms": "one"},
        )
        for second, formula in (("other-norm", "y = h + ffn(norm1(h))"), ("no-norm", "y = h + ffn(h)"))
    ),
    Mistake(
        "norms-not-built",
        "there are no norms",
        "Which parts set the size of what attention and ffn read?",
        "Both parts read raw numbers, and the block has too few parameters.",
        "h = x + attention(x), y = h + ffn(h), without norms",
        COUNT,
        "interface",
        {"first": "no-norm", "second": "no-norm", "norms": "none"},
    ),
    *(
        alone(
            "layer-norm",
            "the norms are nn.LayerNorm",
            "Which of the two subtracts the mean and carries a bias: LayerNorm or RMSNorm?",
            "LayerNorm keeps only what differs from the mean. Its parameters are called weight and bias, and "
            "not scale.",
            "norm(z) = weight * (z - mean(z)) / std(z) + bias",
            GIVEN,
            "norms",
            norms=kind,
        )
        for kind in ("layer", "layer without parameters")
    ),
    alone(
        "norm-with-weight",
        "the norms are torch's own: their parameter is called weight, not scale",
        "What is the parameter of the given RMSNorm called?",
        "nn.RMSNorm may compute the same, but the weights of the course do not fit into it, and the given "
        "parts are not used.",
        "norm1 = nn.RMSNorm(d_model)",
        GIVEN,
        "norms",
        norms="torch",
    ),
    *(
        alone(
            "ffn-is-mlp",
            "the ffn is a plain stack of two linear layers, not SwiGLU",
            "How many matrices has the given feed-forward network?",
            "The gate is missing, so the parameters have other names and another number.",
            "ffn(z) = W2 gelu(W1 z)",
            GIVEN,
            "interface",
            ffn=kind,
        )
        for kind in ("mlp", "mlp without bias")
    ),
    Mistake(
        "torch-attention",
        "the attention is nn.MultiheadAttention",
        "Is anything said about the future in nn.MultiheadAttention(z, z, z)?",
        "It has biases, other parameter names, no RoPE, and no causal mask unless it is handed one.",
        "attention = nn.MultiheadAttention(d_model, n_heads)",
        GIVEN,
        "interface",
        {"first": "right", "second": "right", "attention": "torch"},
    ),
    alone(
        "parts-in-a-list",
        "the parts are kept in a plain Python list",
        "Does named_parameters() know of your parts?",
        "nn.Module registers only modules that are attributes. An optimiser would find nothing to train.",
        "self.layers = [norm1, attention, norm2, ffn]",
        WRITE,
        "interface",
        registration="list",
    ),
    alone(
        "parts-in-a-module-list",
        "the parts are kept in an nn.ModuleList",
        "Under which names does named_children() show your parts?",
        "They are registered, but not under the names that the course, and saved weights, use.",
        "self.layers = nn.ModuleList([norm1, attention, norm2, ffn])",
        WRITE,
        "interface",
        registration="module list",
    ),
    alone(
        "built-in-forward",
        "the parts are built inside forward",
        "How often does forward run, and what are the weights each time?",
        "Every call starts with new random weights, and nothing is registered that could learn.",
        "forward: norm1 = RMSNorm(...), attention = CausalSelfAttention(...), ...",
        WRITE,
        "interface",
        registration="in forward",
    ),
    alone(
        "frozen",
        "the parameters are frozen",
        "Which of your parameters does an optimiser change?",
        "With requires_grad switched off nothing in the block learns.",
        "requires_grad_(False)",
        GRADIENT,
        "gradients",
        registration="frozen",
    ),
    alone(
        "no-super",
        "super().__init__() is not called",
        "What must happen before a module can take in its first part?",
        "nn.Module keeps its parts in tables that super().__init__() creates.",
        "def __init__: self.norm1 = ...",
        WRITE,
        "interface",
        registration="no super",
    ),
    *(
        alone(
            "other-names",
            "the parts have names of their own",
            "Which four names does the card at the top of the notebook fix?",
            "Saved weights and the checks find the parts by name.",
            "self." + ", self.".join(names.values()),
            "The transformer block",
            "interface",
            renamed=tuple(names.items()),
        )
        for names in OTHER_NAMES
    ),
    *(
        alone(
            "third-norm",
            "the block has a third norm, at its end",
            "Walk straight from x to y. How many norms do you pass?",
            "What leaves the block has lost its size. A model has such a norm once, after its last block.",
            f"y = {name}(h + ffn(norm2(h)))",
            COUNT,
            "interface",
            extra=(name, "norm"),
        )
        for name in ("norm3", "norm", "final_norm", "norm_out")
    ),
    *(
        alone(
            "projection-at-the-end",
            "there is one more linear layer at the end of the block",
            "What comes out when both branches are silent?",
            "The road leads through a matrix, so the stream does not arrive unchanged.",
            f"y = {name}(h + ffn(norm2(h)))",
            COUNT,
            "interface",
            extra=(name, "projection"),
        )
        for name in ("proj", "out_proj", "out")
    ),
]

# These stand first in the list, so that they are looked for together with others.
FIRST = [
    Mistake(
        "norm-shared",
        "one norm under two names: norm1 and norm2 are the same object",
        "The two norms start with the same values. Must they stay equal when the block learns?",
        "Before training nothing is to be seen. Both halves then share one scale, and the block has too few "
        "parameters.",
        "norm2 = norm1",
        COUNT,
        "norms",
        {"norms": "shared"},
    ),
    Mistake(
        "theta-not-passed",
        "rope_theta of the config does not reach the attention",
        "With which theta does the attention turn when nobody tells it?",
        "With the default config nothing is to be seen; with another theta the attention keeps 10000.",
        "CausalSelfAttention(d_model, n_heads)",
        WRITE,
        "config",
        {"theta": None},
    ),
    *(
        alone(
            "heads-written-down",
            "the number of heads is written down",
            "How many heads has the attention when the config says something else?",
            "The block is right for one number of heads only.",
            f"CausalSelfAttention(d_model, {heads}, rope_theta)",
            WRITE,
            "config",
            heads=heads,
        )
        for heads in (1, 2, 4, 8)
    ),
]

CONFIG = [
    *(
        alone(
            "theta-written-down",
            "rope_theta is written down as a number",
            "Which number does the attention get when the config says something else?",
            "The block is right for one value of theta only.",
            f"CausalSelfAttention(d_model, n_heads, {theta:g})",
            WRITE,
            "config",
            theta=theta,
        )
        for theta in (500000.0, 1000000.0)
    ),
    alone(
        "eps-not-passed",
        "norm_eps of the config does not reach the norms",
        "Which eps do the norms use when nobody tells them?",
        "With the default config the difference is below 4e-6; with another eps every number is off.",
        "RMSNorm(d_model)",
        WRITE,
        "config",
        eps1=None,
        eps2=None,
    ),
    alone(
        "eps-passed-to-one-norm",
        "norm_eps of the config reaches norm2 but not norm1",
        "Are both norms built alike?",
        "norm1 keeps its default, whatever the config says.",
        "norm1 = RMSNorm(d_model)",
        WRITE,
        "config",
        eps1=None,
    ),
    alone(
        "eps-passed-to-one-norm",
        "norm_eps of the config reaches norm1 but not norm2",
        "Are both norms built alike?",
        "norm2 keeps its default, whatever the config says.",
        "norm2 = RMSNorm(d_model)",
        WRITE,
        "config",
        eps2=None,
    ),
    *(
        alone(
            "eps-written-down",
            "eps is written down as a number",
            "Which eps do the norms get when the config says something else?",
            "The block is right for one value of eps only.",
            f"RMSNorm(d_model, {eps:g})",
            WRITE,
            "config",
            eps1=eps,
            eps2=eps,
        )
        for eps in (1e-6, 1e-8, 1e-3)
    ),
    alone(
        "heads-is-head-width",
        "the attention gets the width of a head for the number of heads",
        "What is the second argument of CausalSelfAttention: how many heads, or how wide?",
        "The features are cut into another number of heads. Where both numbers are equal, nothing is seen.",
        "CausalSelfAttention(d_model, d_model // n_heads, rope_theta)",
        GIVEN,
        "config",
        heads=lambda config: config.d_model // config.n_heads,
    ),
    alone(
        "heads-and-theta-exchanged",
        "the number of heads and theta are exchanged",
        "In which order does CausalSelfAttention take its numbers?",
        "The attention would be cut into theta heads and turned with a tiny theta.",
        "CausalSelfAttention(d_model, rope_theta, n_heads)",
        GIVEN,
        "config",
        heads=attrgetter("rope_theta"),
        theta=attrgetter("n_heads"),
    ),
    alone(
        "theta-gets-eps",
        "the attention gets norm_eps for theta",
        "Which of the five numbers belongs to the attention?",
        "theta would be almost 0, and the frequencies of RoPE senseless.",
        "CausalSelfAttention(d_model, n_heads, norm_eps)",
        WRITE,
        "config",
        theta=attrgetter("norm_eps"),
    ),
    alone(
        "eps-gets-theta",
        "the norms get rope_theta for eps",
        "Which of the five numbers belongs to the norms?",
        "The norms would divide by about 100.",
        "RMSNorm(d_model, rope_theta)",
        WRITE,
        "config",
        eps1=attrgetter("rope_theta"),
        eps2=attrgetter("rope_theta"),
    ),
    *(
        alone(
            "d-ff-ignored",
            "d_ff of the config does not reach the ffn",
            "How wide is the ffn inside, and who decides that?",
            "The ffn has another number of parameters than the config asks for.",
            f"SwiGLU(d_model, {text})",
            WRITE,
            "config",
            d_ff=inner,
        )
        for text, inner in (
            ("4 * d_model", lambda config: 4 * config.d_model),
            ("2 * d_model", lambda config: 2 * config.d_model),
            ("d_model", attrgetter("d_model")),
            ("128", 128),
            ("8 / 3 * d_model", lambda config: 8 * config.d_model // 3),
            ("256", 256),
        )
    ),
    alone(
        "d-ff-exchanged",
        "the two widths of the ffn are exchanged",
        "In which order does SwiGLU take its widths?",
        "The ffn would read d_ff features and cannot read the stream.",
        "SwiGLU(d_ff, d_model)",
        GIVEN,
        "config",
        ffn="exchanged",
    ),
    alone(
        "norm-width-d-ff",
        "the norms are built with d_ff",
        "How wide is what the norms read?",
        "The scale has another width than the stream.",
        "RMSNorm(d_ff, norm_eps)",
        WRITE,
        "config",
        norm_width=attrgetter("d_ff"),
    ),
    alone(
        "width-written-down",
        "the width 64 is written down",
        "What happens with a config of another width?",
        "The block fits one model only.",
        "RMSNorm(64), CausalSelfAttention(64, ...), SwiGLU(64, ...)",
        WRITE,
        "config",
        config="width 64",
    ),
    alone(
        "config-ignored",
        "the block is built from a config of its own, not from its argument",
        "Which config do your parts read: the argument, or one that lies around in the notebook?",
        "All five numbers are those of the default config, whatever the caller asks for.",
        "ModelConfig().d_model, ModelConfig().n_heads, ...",
        WRITE,
        "config",
        config="defaults",
    ),
]

BEHAVIOUR = [
    alone(
        "input-detached",
        "x is detached at the door",
        "Does the gradient reach the block before this one?",
        "The parameters of this block learn, but nothing before it does.",
        "x = x.detach()",
        GRADIENT,
        "gradients",
        detached="input",
    ),
    alone(
        "no-grad",
        "the pass runs under torch.no_grad()",
        "What does autograd note down in there?",
        "The numbers are right and nothing learns.",
        "with torch.no_grad(): ...",
        GRADIENT,
        "gradients",
        detached="everything",
    ),
    *(
        alone(
            slug,
            title,
            "Is anything in the road, the norms or the branches meant to be random?",
            explanation,
            f"dropout({rate:g}) behind {'both parts' if place == 'branches' else 'the ' + place}",
            WRITE,
            "behaviour",
            dropout=(place, rate, always),
        )
        for slug, title, explanation, always in (
            (
                "dropout",
                "there is a dropout in the block",
                "While training, two calls with the same x give two answers. This block has no dropout.",
                False,
            ),
            (
                "dropout-in-eval",
                "there is a dropout that stays on in eval mode",
                "F.dropout is on unless it is told otherwise, so even in eval two calls differ.",
                True,
            ),
        )
        for place, rate in (
            *(("branches", 0.1), ("branches", 0.5), ("branches", 0.2)),
            *(("attention", 0.1), ("ffn", 0.1), ("end", 0.1)),
        )
    ),
    *(
        alone(
            "keeps-first-call",
            f"what {what} gave in the first call is used in every later one",
            "What is still kept in self when the second x arrives?",
            "The first answer is right; all later ones speak about the first input.",
            f"if self.kept is None: self.kept = {what}",
            WRITE,
            "behaviour",
            kept=kept,
        )
        for kept, what in (("attention", "the attention"), ("output", "the block"), ("norm1", "norm1"))
    ),
    *(
        alone(
            slug,
            title,
            "What would the next block receive?",
            explanation,
            formula,
            WRITE,
            "behaviour" if slug == "squeezed" else "interface",
            returned=returned,
        )
        for slug, title, explanation, formula, returned in (
            (
                "returns-pair",
                "a pair is returned",
                "The next block needs one tensor.",
                "return y, weights",
                "pair",
            ),
            (
                "returns-nothing",
                "nothing is returned",
                "A function without return gives None.",
                "",
                "nothing",
            ),
            ("returns-list", "a list is returned", "The next block needs one tensor.", "return [y]", "list"),
            *(
                (
                    "squeezed",
                    "an axis of size 1 is squeezed away",
                    "A batch of one sample, or a text of one token, comes out with another shape.",
                    "return y.squeeze()",
                    returned,
                )
                for returned in ("squeezed", "squeezed everywhere")
            ),
            *(
                (
                    "positions-lost",
                    "the positions are reduced to one",
                    "A block keeps the shape [B, T, D]; what is done with the positions is decided after the "
                    "last block.",
                    formula,
                    returned,
                )
                for formula, returned in (
                    ("return y.mean(dim=1)", "mean over positions"),
                    ("return y[:, -1]", "last position"),
                )
            ),
        )
    ),
]

MISTAKES = [
    *FIRST,
    *in_halves(),
    *(
        alone(slug, title, hint, explanation, formula, section, "wiring", whole=slug)
        for slug, title, hint, explanation, formula, section in WHOLE_SENTENCES
    ),
    *STRUCTURE,
    *BEHAVIOUR,
    *CONFIG,
]
