"""Programs put together at random: every step in one of its right spellings, or with a mistake in one or two steps.

    python tests/compositions.py 2000     prints how many are accepted, caught and named

The text of the steps is written here, without any model of `autograder.mistakes`, so that neither can hide a
fault of the other.
"""

import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograder.loading import Work, checks_for, open_here
from autograder.notebook import Cell
from autograder.runner import run_all


@dataclass(frozen=True)
class Step:
    """One line of a program: its right spellings, and wrong ones with the beginnings of the slugs that name them."""

    right: tuple[str, ...]
    wrong: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Composed:
    """A program. `names` holds, for each of its mistakes, the beginnings of the slugs that may name it."""

    exercise: str
    text: str
    wrong: tuple[str, ...]
    names: tuple[str, ...]


HEAD = "import math\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\nfrom tiny_lm import *\n"

NORM = (
    Step(
        ("class RMSNorm(nn.Module):\n    def __init__(self, width, eps=1e-5):\n        super().__init__()",)
    ),
    Step(("        self.eps = eps",), {"        self.eps = 1e-6": "eps-ignored"}),
    Step(
        (
            "        self.scale = nn.Parameter(torch.ones(width))",
            "        self.scale = nn.Parameter(torch.full((width,), 1.0))",
            "        self.register_parameter('scale', nn.Parameter(torch.ones((width,))))",
        ),
        {
            "        self.scale = nn.Parameter(torch.zeros(width))": "scale-starts-at-zero",
            "        self.scale = nn.Parameter(torch.randn(width))": "scale-starts-random",
            "        self.scale = torch.ones(width)": "scale-not-a-parameter",
            "        self.scale = nn.Parameter(torch.ones(1))": "scale-is-one-number scale-shape",
        },
    ),
    Step(("    def forward(self, x):",)),
    Step(
        ("        a = x", "        a = x.to(x.dtype)", "        a = 1 * x"),
        {
            "        a = x - x.mean(-1, keepdim=True)": "subtracts-mean standard-deviation",
            "        a = x.detach()": "input-detached",
        },
    ),
    Step(
        (
            "        m = a.pow(2).mean(-1, keepdim=True)",
            "        m = (a * a).mean(dim=-1, keepdim=True)",
            "        m = a.square().sum(-1, keepdim=True) / a.shape[-1]",
            "        m = torch.mean(a**2, -1).unsqueeze(-1)",
            "        m = torch.einsum('...d,...d->...', a, a)[..., None] / a.size(-1)",
        ),
        {
            "        m = a.pow(2).sum(-1, keepdim=True)": "sum-not-mean unit-length",
            "        m = a.pow(2).sum(-1, keepdim=True) / (a.shape[-1] - 1)": "divides-by-n-minus-1",
            "        m = a.pow(2).mean()": "one-mean-for-all",
            "        m = a.pow(2).mean(-1)": "keepdim-missing",
        },
    ),
    Step(
        (
            "        r = (m + self.eps).sqrt()",
            "        r = torch.sqrt(self.eps + m)",
            "        r = (m + self.eps) ** 0.5",
            "        r = 1 / torch.rsqrt(m + self.eps)",
        ),
        {
            "        r = m.sqrt() + self.eps": "eps-outside-root",
            "        r = m.sqrt()": "eps-missing",
            "        r = m + self.eps": "no-root",
            "        r = (m.detach() + self.eps).sqrt()": "denominator-detached",
            "        r = (m + self.eps**2).sqrt()": "eps-squared",
            "        r = m.clamp(min=self.eps).sqrt()": "eps-as-floor",
        },
    ),
    Step(
        (
            "        return self.scale * (a / r)",
            "        return a / r * self.scale",
            "        return torch.mul(self.scale, a) / r",
            "        y = a * (1 / r)\n        return y * self.scale",
        ),
        {
            "        return a / r": "scale-ignored",
            "        return a * r * self.scale": "multiplies-by-root",
            "        return a / r + self.scale": "scale-added",
            "        return a / r * (1 + self.scale)": "one-plus-scale",
        },
    ),
)

ATTENTION = (
    Step(("class CausalSelfAttention(nn.Module):\n    def __init__(self, width, heads, theta=10000.0):",)),
    Step(("        super().__init__()\n        self.heads, self.width = heads, width",)),
    Step(("        self.theta = theta",), {"        self.theta = 10000.0": "theta-ignored"}),
    Step(
        (
            "        for name in ('q', 'k', 'v', 'out'):\n"
            "            setattr(self, f'{name}_proj', nn.Linear(width, width, bias=False))",
            "        self.q_proj = nn.Linear(width, width, bias=False)\n"
            "        self.k_proj = nn.Linear(width, width, bias=False)\n"
            "        self.v_proj = nn.Linear(width, width, bias=False)\n"
            "        self.out_proj = nn.Linear(width, width, bias=False)",
        ),
        {
            "        for name in ('q', 'k', 'v', 'out'):\n"
            "            setattr(self, f'{name}_proj', nn.Linear(width, width))": "biases",
        },
    ),
    Step(
        ("    def forward(self, x):\n        B, T, D = x.shape\n        H, d = self.heads, D // self.heads",)
    ),
    Step(
        (
            "        q, k, v = (split_heads(p(x), H) for p in (self.q_proj, self.k_proj, self.v_proj))",
            "        q = self.q_proj(x).reshape(B, T, H, d).transpose(1, 2)\n"
            "        k = self.k_proj(x).reshape(B, T, H, d).transpose(1, 2)\n"
            "        v = self.v_proj(x).reshape(B, T, H, d).transpose(1, 2)",
            "        q, k, v = (F.linear(x, p.weight).unflatten(-1, (H, d)).permute(0, 2, 1, 3)\n"
            "                   for p in (self.q_proj, self.k_proj, self.v_proj))",
        ),
        {
            "        q, k, v = (p(x).reshape(B, H, T, d) for p in (self.q_proj, self.k_proj, self.v_proj))": (
                "split-without-transpose"
            ),
            "        q, k, v = (p(x).reshape(B, T, d, H).permute(0, 3, 1, 2)\n"
            "                   for p in (self.q_proj, self.k_proj, self.v_proj))": (
                "split-interleaved heads-interleaved"
            ),
            "        q, k, v = (split_heads(p(x), H) for p in (self.q_proj, self.k_proj, self.k_proj))": (
                "v-from-another-projection shared-projection"
            ),
            "        q, k, v = (split_heads(p(x), H) for p in (self.k_proj, self.q_proj, self.v_proj))": (
                "q-and-k-swapped"
            ),
        },
    ),
    Step(
        (
            "        q, k = apply_rope(q, k, torch.arange(T), self.theta)",
            "        q, k = apply_rope(q, k, torch.arange(T, device=x.device) + 1, theta=self.theta)",
        ),
        {
            "        pass": "no-rope positions-all-zero turned-along-heads",
            "        q, _ = apply_rope(q, k, torch.arange(T), self.theta)": "rope-only-q",
            "        _, k = apply_rope(q, k, torch.arange(T), self.theta)": "rope-only-k",
            "        q, k = apply_rope(q, k, torch.arange(T), self.theta)\n"
            "        v, _ = apply_rope(v, v, torch.arange(T), self.theta)": "rope-on-v",
            "        q, k = apply_rope(q, k, -torch.arange(T), self.theta)": (
                "rope-opposite-direction cos-and-sin-swapped positions-reversed"
            ),
            "        q, k = apply_rope(*apply_rope(q, k, torch.arange(T), self.theta), torch.arange(T), self.theta)": (
                "rope-twice"
            ),
        },
    ),
    Step(
        (
            "        s = q @ k.transpose(-2, -1) / math.sqrt(d)",
            "        s = torch.einsum('bhid,bhjd->bhij', q, k) * d**-0.5",
            "        s = torch.matmul(q / d**0.25, (k / d**0.25).mT)",
        ),
        {
            "        s = q @ k.mT": "no-scale",
            "        s = q @ k.mT / d": "scaled-by-d scaled-twice",
            "        s = q @ k.mT / math.sqrt(D)": "scaled-by-model-width",
            "        s = q @ k.mT * math.sqrt(d)": "multiplied-by-root",
        },
    ),
    Step(
        (
            "        s = s.masked_fill(torch.ones(T, T, dtype=torch.bool).triu(1), float('-inf'))",
            "        s = torch.where(torch.arange(T)[:, None] >= torch.arange(T), s, -torch.inf)",
            "        s = s + torch.full((T, T), -torch.inf).triu(1).to(s.dtype)",
            "        s = s.masked_fill(torch.tril(torch.ones(T, T)) == 0, torch.finfo(s.dtype).min)",
        ),
        {
            "        pass  # nothing is hidden": "no-mask mask-result-dropped",
            "        s = s.masked_fill(torch.ones(T, T, dtype=torch.bool).triu(2), float('-inf'))": "mask-one-ahead",
            "        s = s * torch.ones(T, T).tril().to(s.dtype)": (
                "scores-times-mask hidden-scores-are-zero fill-is-tiny"
            ),
            "        s = s.masked_fill(torch.ones(T, T, dtype=torch.bool).tril(-1), float('-inf'))": (
                "mask-inverted mask-mirrored mask-on-the-other-diagonal"
            ),
        },
    ),
    Step(
        (
            "        w = s.softmax(-1)",
            "        w = F.softmax(s, dim=-1)",
            "        e = (s - s.amax(-1, keepdim=True)).exp()\n        w = e / e.sum(-1, keepdim=True)",
        ),
        {
            "        w = s.softmax(-2)": "softmax-over-queries",
            "        w = s.softmax(-1).softmax(-1)": "softmax-twice",
        },
    ),
    Step(
        (
            "        c = merge_heads(w @ v)",
            "        c = (w @ v).transpose(1, 2).reshape(B, T, D)",
            "        c = torch.einsum('bhij,bhjd->bihd', w, v).flatten(2)",
        ),
        {
            "        c = (w @ v).reshape(B, T, D)": "merge-without-transpose",
            "        c = (w @ v).permute(0, 2, 3, 1).reshape(B, T, D)": "merge-interleaved",
        },
    ),
    Step(
        ("        return self.out_proj(c)", "        return F.linear(c, self.out_proj.weight)"),
        {
            "        return c": "out-proj-missing",
            "        return self.out_proj(self.out_proj(c))": "out-proj-twice",
            "        return x + self.out_proj(c)": "residual-inside",
        },
    ),
)


def _half(now: str, after: str, norm: str, part: str) -> Step:
    side = "attention" if part == "attention" else "ffn"
    return Step(
        (
            f"        {after} = {now} + self.{part}(self.{norm}({now}))",
            f"        a = self.{norm}({now})\n        {after} = self.{part}(a) + {now}",
            f"        {after} = torch.add({now}, self.{part}(self.{norm}({now})))",
        ),
        {
            f"        {after} = self.{part}(self.{norm}({now}))": "no-residual",
            f"        {after} = self.{norm}({now} + self.{part}({now}))": "post-norm",
            f"        {after} = {now} + self.{part}({now})": (
                f"no-norm-{side} no-norm-both norm2-not-built norms-not-built"
            ),
            f"        {after} = {now} + self.{norm}(self.{part}({now}))": "norm-on-branch",
            f"        a = self.{norm}({now})\n        {after} = a + self.{part}(a)": "residual-normed",
            f"        {after} = {now} - self.{part}(self.{norm}({now}))": "minus",
            f"        {after} = {now} + self.{part}(self.{norm}({now})).detach()": "branch-detached",
        },
    )


BLOCK = (
    Step(("from tiny_lm.stand_ins import CausalSelfAttention, RMSNorm\nclass TransformerBlock(nn.Module):",)),
    Step(("    def __init__(self, config):\n        super().__init__()",)),
    Step(
        (
            "        self.norm1 = RMSNorm(config.d_model, config.norm_eps)\n"
            "        self.norm2 = RMSNorm(config.d_model, config.norm_eps)",
            "        self.norm1, self.norm2 = (RMSNorm(config.d_model, eps=config.norm_eps) for _ in range(2))",
        ),
        {
            "        self.norm1 = self.norm2 = RMSNorm(config.d_model, config.norm_eps)": "norm-shared",
            "        self.norm1 = RMSNorm(config.d_model)\n        self.norm2 = RMSNorm(config.d_model)": (
                "eps-not-passed"
            ),
        },
    ),
    Step(
        ("        self.attention = CausalSelfAttention(config.d_model, config.n_heads, config.rope_theta)",),
        {
            "        self.attention = CausalSelfAttention(config.d_model, config.n_heads)": "theta-not-passed",
            "        self.attention = CausalSelfAttention(config.d_model, 2, config.rope_theta)": "heads-written-down",
        },
    ),
    Step(
        ("        self.ffn = SwiGLU(config.d_model, config.d_ff)",),
        {"        self.ffn = SwiGLU(config.d_model, 4 * config.d_model)": "d-ff-ignored"},
    ),
    Step(("    def forward(self, x):",)),
    _half("x", "h", "norm1", "attention"),
    _half("h", "y", "norm2", "ffn"),
    Step(
        ("        return y",),
        {"        return y, h": "returns-pair", "        return x + y": "x-added-again"},
    ),
)

EXERCISES = {"rmsnorm": NORM, "causal_self_attention": ATTENTION, "transformer_block": BLOCK}


def composed(exercise: str, mistakes: int, dice: random.Random) -> Composed:
    """A random program with so many mistakes, each in a step of its own."""
    steps = EXERCISES[exercise]
    wrong = dice.sample([number for number, step in enumerate(steps) if step.wrong], mistakes)
    lines, names = [], []
    for number, step in enumerate(steps):
        if number in wrong:
            line = dice.choice(sorted(step.wrong))
            names.append(step.wrong[line])
        else:
            line = dice.choice(step.right)
        lines.append(line)
    return Composed(
        exercise, HEAD + "\n".join(lines), tuple(lines[number].strip() for number in wrong), tuple(names)
    )


def many(count: int, seed: int = 0) -> Iterator[Composed]:
    """So many programs over all exercises: as many right ones as single mistakes and as pairs."""
    dice = random.Random(seed)
    for number in range(count):
        yield composed(list(EXERCISES)[number % 3], number // 3 % 3, dice)


@dataclass(frozen=True)
class Told:
    """What the checks said: whether points were lost, the slugs named, and those of them that are wrong."""

    caught: bool
    named: frozenset[str]
    astray: frozenset[str]


def told(program: Composed) -> Told:
    work = Work(program.exercise, "composed.py", [Cell("composed.py", program.text, "own")], whole=False)
    submission = open_here(work)
    results = run_all(checks_for(work, submission), submission)
    named = frozenset(m.slug for result in results for m in result.mistakes)
    allowed = tuple(" ".join(program.names).split())
    astray = frozenset(slug for slug in named if not slug.startswith(allowed or ("nothing at all",)))
    return Told(any(result.status != "passed" for result in results), named, astray)


def main(count: int) -> None:
    figures: dict[tuple[str, int], Counter[str]] = {}
    for program in many(count):
        answer = told(program)
        row = figures.setdefault((program.exercise, len(program.wrong)), Counter())
        row["programs"] += 1
        row["caught"] += answer.caught
        row["named"] += bool(answer.named) and not answer.astray
        row["astray"] += bool(answer.astray)
        if answer.astray or answer.caught != bool(program.wrong):
            print(program.exercise, *program.wrong, sorted(answer.named), sep="\n    ", flush=True)
    print(f"{'exercise':<24}{'mistakes':>9}{'programs':>9}{'caught':>8}{'named':>8}{'wrongly':>9}")
    for (exercise, mistakes), row in sorted(figures.items()):
        numbers = (row["programs"], row["caught"], row["named"], row["astray"])
        print(f"{exercise:<24}{mistakes:>9}{numbers[0]:>9}{numbers[1]:>8}{numbers[2]:>8}{numbers[3]:>9}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
