"""The Pre-Norm block: h = x + attention(norm1(x)); y = h + ffn(norm2(h)).

Only the wiring is tested here. The checks build the block from the given stand-ins, or put stubs in the
places of its parts that compute factor * z + offset and remember z; every way of wiring leaves numbers of
its own. So a wrong norm or a wrong attention costs nothing in this exercise.
"""

import itertools
import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import torch

from autograder import oracle
from autograder.bank import graded
from autograder.expect import agree, answered, differing
from autograder.failure import Failure, Raised, show_numbers
from autograder.submission import Given

ASSIGNMENT, POSITION, CLASS = "transformer_block", 3, "TransformerBlock"
AFTERWORD = (
    "Two norms, an attention and a feed-forward network made from the config; the forward pass adds to the stream "
    "what the attention says about its normalised copy, and then what the network says about the normalised copy "
    "of that sum. Two lines, and the stream itself is never normalised.",
    "The first transformer normalised after each sum, which needs a slow start of training when there are many "
    "blocks. Some models let both branches read one normalised copy and add both at once; some multiply each branch "
    "by a learned factor that starts near zero, or drop parts of it while training.",
)
BATCH, TIME, HEADS = 3, 5, 4
SIZES = {"d_model": 24, "n_heads": HEADS, "d_ff": 40, "norm_eps": 0.5, "rope_theta": 100.0}
STUBS = {"norm1": (2.0, 0.1), "attention": (5.0, 0.0), "norm2": (3.0, 0.0), "ffn": (7.0, 0.0)}
SHAPES = {
    "norm1.scale": (24,),
    "attention.q_proj.weight": (24, 24),
    "attention.k_proj.weight": (24, 24),
    "attention.v_proj.weight": (24, 24),
    "attention.out_proj.weight": (24, 24),
    "norm2.scale": (24,),
    "ffn.gate_proj.weight": (40, 24),
    "ffn.up_proj.weight": (40, 24),
    "ffn.down_proj.weight": (24, 40),
}


def build(submission, **sizes):
    return built(submission, Given("ModelConfig", SIZES | sizes))


def built(submission, config):
    try:
        return submission.build("TransformerBlock", config, parts=True)
    except Raised as error:
        if "positional argument" not in error.came:
            raise
    return submission.build("TransformerBlock", config=config, parts=True)  # def __init__(self, *, config)


def require_names(submission, block):
    """Fail unless there are parameters in the four parts. Returns the names of all parameters."""
    parameters = [row["name"] for row in block.parameters()]
    if not set(STUBS) <= {name.split(".")[0] for name in parameters}:
        names = [row["name"] for row in block.children()]
        if not names:
            block.call(loud_x(submission))  # tells the diagnosis whether the parts are built in forward
        raise Failure(
            "The names of the parts are fixed, each has parameters, and a module in a plain list is not found.",
            f"{block.called}.named_parameters()",
            ", ".join(parameters) or "no parameters",
            "those of " + ", ".join(STUBS),
        )
    return parameters


def require_scales(submission, block):
    """Fail unless each norm has a parameter called scale."""
    names = require_names(submission, block)
    for name in ("norm1.scale", "norm2.scale"):
        if name not in names:
            sentence = "Each norm has a parameter called scale."
            raise Failure(
                sentence, f"{block.called}.named_parameters()", ", ".join(names), f"{name} among them"
            )


def stubbed(submission, **stubs):
    """A block in eval mode whose four parts are stubs: {name: (factor, offset)}."""
    block = build(submission).train(False)
    for name, (factor, offset) in (STUBS | stubs).items():
        block.stub(name, factor, offset)
    return block


@contextmanager
def unless_the_numbers_are_right(submission) -> Iterator[None]:
    """Let a block go on whose parts could not be replaced, when it is right with loud weights.

    A scripted block does not let its parts be replaced, nor one that keeps them in an nn.Sequential or a
    list besides. A wrong wiring is wrong with loud weights too.
    """
    try:
        yield
    except Failure:
        if all_stubs_are_heard(submission):
            raise
        require_names(submission, build(submission))
        if not right_with_loud_weights(submission):
            raise


def all_stubs_are_heard(submission) -> bool:
    """Whether stubs in the places of the four parts are called.

    Their numbers are odd, so that this answer also tells the diagnosis one wrong wiring from another.
    """
    odd = {"norm1": (2.3, 0.17), "attention": (5.1, -0.3), "norm2": (3.7, 0.41), "ffn": (-7.9, 0.23)}
    try:
        block = stubbed(submission, **odd)
        block.call(loud_x(submission))
        return all(block.received(name) for name in STUBS)
    except Failure:
        return False


def right_with_loud_weights(submission) -> bool:
    try:
        block, weights, expected = loud_block(submission)
        x = loud_x(submission)
        agree(block.call(x).output, expected(x, weights), "", "")
    except Failure:
        return False
    return True


def loud_block(submission):
    """A block of stand-ins in eval mode, its loud weights, and the function that it should compute."""
    block = build(submission).train(False)
    require_scales(submission, block)
    weights = {name: submission.draw(*shape, size=0.3) for name, shape in SHAPES.items()}
    signs = torch.tensor([1.0, -1.0]).repeat(12)
    weights["norm1.scale"] = signs * submission.draw(24, size=0.2, mean=1.0)
    weights["norm2.scale"] = submission.draw(24, size=0.2, mean=0.5)
    block.load(weights)
    return block, weights, oracle_for(submission, block, weights)


def oracle_for(submission, block, weights):
    """The function that the block should compute: with stand-ins, from which it is built.

    Somebody may have built the block from parts under other names; then each part may be the real one.
    """
    real_norm = partial(oracle.rms_norm, eps=SIZES["norm_eps"])
    real_attention = partial(oracle.attention, heads=HEADS, theta=SIZES["rope_theta"])
    norms, attentions = (torch.mul, real_norm), (oracle.stand_in_attention, real_attention)
    x = loud_x(submission)
    came = block(x)
    for norm, attention in itertools.product(norms, attentions):
        expected = partial(block_of, norm=norm, attention=attention)
        if came.shape == x.shape and not differing(came, expected(x, weights)).any():
            return expected
    return oracle.stand_in_block


def block_of(x, weights, norm, attention):
    """The Pre-Norm block with this norm and this attention: [B, T, D] -> [B, T, D]."""
    h = x + attention(norm(x, weights["norm1.scale"]), oracle.part(weights, "attention"))
    return h + oracle.swiglu(norm(h, weights["norm2.scale"]), oracle.part(weights, "ffn"))


def keeps_shape(answer, x):
    came, expected = list(answer.output.shape), list(x.shape)
    if came != expected:
        raise Failure("The stream keeps its shape.", answer.called, f"shape {came}", f"shape {expected}")


def loud_x(submission, *shape):
    return submission.draw(*(shape or (BATCH, TIME, 24)), mean=0.4)


# -- interface -------------------------------------------------------------------------------------


@graded(1, "interface", "norm1, attention, norm2 and ffn")
def test_four_parts(submission):
    """The block has four parts under their fixed names, and keeps the shape."""
    block = build(submission)
    require_names(submission, block)
    block.constructions()  # tells the diagnosis which config it was built from
    x = loud_x(submission)
    answer = block.call(x)
    keeps_shape(answer, x)


@graded(1, "interface", "41,088 parameters at the default sizes")
def test_number_of_parameters(submission):
    """Two norms of 64, four projections of 64 x 64, three matrices of 64 x 128: 41,088."""
    block = built(submission, Given("ModelConfig", {}))
    rows = {row["same"]: row for row in block.parameters()}.values()
    count = sum(row["tensor"].numel() for row in rows)
    if count != 41_088:
        block.children()  # tells the diagnosis which parts are there at all
        raise Failure(
            "2 * 64 + 4 * 64 * 64 + 3 * 64 * 128 = 41,088. Which part is missing, shared, or has biases?",
            f"{block.called}.parameters()",
            f"{count:,} numbers in " + ", ".join(row["name"] for row in rows),
            "41,088",
        )


# -- wiring ----------------------------------------------------------------------------------------


def wired(submission, x, expected, sentence, name="", exactly=False, **stubs):
    """Fail unless the block gives `expected` when its parts are STUBS, changed by `stubs`."""
    with unless_the_numbers_are_right(submission):
        block = stubbed(submission, **stubs)
        answer = block.call(x, name=name)
        called = f"{answer.called} with {shown(**stubs)}"
        agree(answer.output, expected, called, sentence)
        if exactly and not torch.equal(answer.output, expected):
            rounding = sentence + " Not even rounding should happen there."
            raise Failure(rounding, called, "x, but for rounding", "x exactly")


def shown(**stubs):
    """The stubs as a student would write them."""
    changed = {part: stubs.get(part, stub) for part, stub in STUBS.items()}
    return ", ".join(f"{part}(z) = {formula(*stub)}" for part, stub in changed.items())


def formula(factor, offset):
    terms = [f"{factor:g}z"] * bool(factor) + [f"{offset:g}"] * bool(offset)
    return (" + ".join(terms) or "0").replace("1z", "z")


@graded(1, "wiring", "both branches silent: x comes out, bit for bit")
def test_silent_branches(submission):
    """When attention and ffn return zeros, nothing is added to x."""
    x = loud_x(submission)
    sentence = "With attention and ffn silent, what is left on the road from x to y?"
    wired(submission, x, x, sentence, exactly=True, attention=(0.0, 0.0), ffn=(0.0, 0.0))


@graded(1, "wiring", "the attention branch is added to x")
def test_attention_branch(submission):
    """With the ffn silent, y = x + attention(norm1(x))."""
    x = loud_x(submission)
    sentence = "Then y should be x + attention(norm1(x)) = 11 x + 0.5. What is added to what?"
    wired(submission, x, x + 5 * (2 * x + 0.1), sentence, ffn=(0.0, 0.0))


@graded(1, "wiring", "the ffn branch is added to the stream")
def test_ffn_branch(submission):
    """With the attention silent, y = x + ffn(norm2(x))."""
    x = loud_x(submission)
    sentence = "Then y should be x + ffn(norm2(x)) = 22 x. What is added to what?"
    wired(submission, x, x + 7 * 3 * x, sentence, attention=(0.0, 0.0))


@graded(2, "wiring", "attention first, then the ffn on what it wrote")
def test_both_branches(submission):
    """With all four stubs, each wiring of the block gives a number of its own."""
    y = 11.5 + 21 * 11.5
    sentence = (
        f"h = 1 + 5 * 2.1 = 11.5, and y = h + 7 * 3 * h = {y:g}. "
        "From which variable does each half read, and to which does it add?"
    )
    wired(submission, torch.ones(1, 2, 24), torch.full((1, 2, 24), y), sentence, name="ones")


@graded(1, "wiring", "what each part receives")
def test_what_each_part_receives(submission):
    """norm1 receives x, attention what norm1 gives, norm2 the stream h, ffn what norm2 gives."""
    with unless_the_numbers_are_right(submission):
        block = stubbed(submission)
        answer = block.call(torch.ones(1, 2, 24), name="ones")
        for name, number in {"norm1": 1.0, "attention": 2.1, "norm2": 11.5, "ffn": 34.5}.items():
            numbers = [z.flatten()[0].item() for z in block.received(name)]
            if not numbers or not all(math.isclose(n, number, rel_tol=1e-4) for n in numbers):
                raise Failure(
                    f"Every part is called once, and {name} should read {number:g} here.",
                    f"{answer.called} with {shown()}",
                    f"{name} received " + (" and ".join(show_numbers(n) for n in numbers) or "nothing"),
                    f"{name} received {number:g}",
                )


# -- norms -----------------------------------------------------------------------------------------


@graded(2, "norms", "two norms, each with a scale of its own")
def test_two_norms(submission):
    """norm1 and norm2 are two objects, so that each can learn its own scale."""
    block = build(submission)
    require_scales(submission, block)
    same = {row["name"]: row["same"] for row in block.parameters()}
    called = f"{block.called}.named_parameters()"
    if same["norm1.scale"] == same["norm2.scale"]:
        raise Failure(
            "norm1 and norm2 are one and the same object.", called, "one scale under two names", "two scales"
        )


@graded(2, "norms", "norm1 before the attention, norm2 before the ffn")
def test_norms_in_their_places(submission):
    """Each norm is used once, in its own half."""
    x = loud_x(submission)
    for silent, heard, other in (("ffn", "norm1", "norm2"), ("attention", "norm2", "norm1")):
        branch = "attention" if silent == "ffn" else "ffn"
        stubs = {silent: (0.0, 0.0), heard: (1.0, 0.0), other: (0.0, 9.0)}
        sentence = f"The {branch} should read what {heard} gives, and {heard} should read the stream."
        wired(submission, x, x + STUBS[branch][0] * x, sentence, **stubs)


# -- config ----------------------------------------------------------------------------------------


def passed_on(submission, part, names, sizes, question):
    """Fail unless every `part` was built with the config's values; how many of them there were."""
    block = build(submission, **sizes)
    rows = [row for row in block.constructions() if row["part"] == part]
    wanted = {argument: (SIZES | sizes)[field] for argument, field in names.items()}
    for row in rows:
        given = {argument: row["arguments"].get(argument) for argument in wanted}
        if given != wanted:
            raise Failure(
                question,
                block.called,
                f"{part} built with " + ", ".join(f"{key} = {value}" for key, value in given.items()),
                ", ".join(f"{key} = {value}" for key, value in wanted.items()),
            )
    return len(rows)


@graded(1, "config", "the norms get norm_eps")
def test_norm_eps_is_passed_on(submission):
    """Both norms are built with the width and the eps of the config."""
    names = {"width": "d_model", "eps": "norm_eps"}
    question = "Which number of the config belongs to the norms?"
    if passed_on(submission, "RMSNorm", names, {"norm_eps": 0.25}, question) < 2:
        with_own_parts(submission)


@graded(2, "config", "the attention gets its heads and rope_theta")
def test_heads_and_theta_are_passed_on(submission):
    """The attention is built with the width, the number of heads and the theta of the config."""
    names = {"width": "d_model", "heads": "n_heads", "theta": "rope_theta"}
    sizes = {"rope_theta": 500.0, "n_heads": 3, "d_model": 30}
    question = "Which numbers of the config belong to the attention?"
    if passed_on(submission, "CausalSelfAttention", names, sizes, question) < 1:
        with_own_parts(submission)


@graded(1, "config", "the ffn gets d_ff")
def test_d_ff_is_passed_on(submission):
    """The feed-forward network is built with both widths of the config, and other sizes work."""
    for d_model, d_ff in ((24, 40), (16, 56)):
        block = build(submission, d_model=d_model, d_ff=d_ff)
        shapes = {row["name"]: list(row["tensor"].shape) for row in block.parameters()}
        came = shapes.get("ffn.down_proj.weight")
        if came != [d_model, d_ff]:
            raise Failure(
                "Which numbers of the config belong to the ffn?",
                block.called,
                f"ffn.down_proj.weight {came}",
                f"[{d_model}, {d_ff}]",
            )


def with_own_parts(submission):
    """A block that was not built from the given parts must compute what real ones with these numbers do."""
    block, weights, expected = loud_block(submission)
    x = loud_x(submission)
    answer = block.call(x)
    sentence = "The block is built from parts of its own: do they get the numbers of the config?"
    agree(answer.output, expected(x, weights), answer.called, sentence)


# -- behaviour -------------------------------------------------------------------------------------


@graded(1, "behaviour", "every number of the output")
def test_values(submission):
    """The whole block with loud weights, built from the given stand-ins."""
    block, weights, expected = loud_block(submission)
    x = loud_x(submission)
    answer = block.call(x)
    agree(answer.output, expected(x, weights), answer.called, "The group “wiring” says which half differs.")


@graded(1, "behaviour", "no position hears the future")
def test_causal_as_a_whole(submission):
    """Changing position p leaves all outputs before p as they were, and changes the output at p."""
    block, _, _ = loud_block(submission)
    x = loud_x(submission)
    first = block.call(x)
    before = first.output
    keeps_shape(first, x)
    for position in range(TIME):
        changed = x.clone()
        changed[:, position] += 5
        answer = block.call(changed)
        keeps_shape(answer, x)
        moved = differing(answer.output, before).any(dim=-1).any(dim=0)
        if moved[:position].any() or not moved[position]:
            raise Failure(
                "Only the attention lets positions speak to each other, and only about the past.",
                answer.called,
                f"adding 5 at position {position} moved {torch.nonzero(moved).flatten().tolist()}",
                f"position {position} and later ones move",
            )


@graded(1, "behaviour", "other sizes")
def test_other_sizes(submission):
    """One token, one sample, gaps in memory."""
    block, weights, expected = loud_block(submission)
    for shape in ((1, 1, 24), (1, 9, 24), (4, 2, 24)):
        x = loud_x(submission, *shape)
        answer = block.call(x, spread=True)
        agree(answer.output, expected(x, weights), answer.called, "Which size is written down in the code?")


@graded(1, "behaviour", "the input stays, and the answer is the same each time")
def test_no_traces(submission):
    """The argument is left alone; train, eval and a second call give the same numbers."""
    block, weights, expected = loud_block(submission)
    x = loud_x(submission)
    for training in (False, False, True):
        answer = block.train(training).call(x)
        if answer.changed_input:
            raise Failure(
                "x += ... writes into the caller's tensor. What does x = x + ... do?",
                answer.called,
                "x is changed after the call",
                "x as it was",
            )
        if answer.used_randomness:
            raise Failure(
                "Nothing here is random. Is there a dropout, or a layer built inside forward?",
                answer.called,
                "torch's random state moved",
            )
        mode = "train" if training else "eval"
        agree(
            answer.output,
            expected(x, weights),
            answer.called,
            f"This was a call in {mode} mode; the numbers are the same each time.",
        )


# -- gradients -------------------------------------------------------------------------------------


def gradients(submission):
    """The answer with its gradients, and the oracle's: of x and by parameter name."""
    block, weights, expected = loud_block(submission)
    x, cotangent = loud_x(submission), submission.draw(BATCH, TIME, 24)
    answer = block.call(x, cotangent=cotangent)
    x = x.double().requires_grad_()
    weights = {name: value.double().requires_grad_() for name, value in weights.items()}
    output = expected(x, weights)
    keeps_shape(answer, x)
    (output * cotangent).sum().backward()
    return answer, x.grad, {name: value.grad for name, value in weights.items() if value.grad is not None}


@graded(2, "gradients", "the gradient of the input, by value")
def test_input_gradient(submission):
    """The direct road carries the gradient past both branches, and both branches add theirs."""
    answer, expected, _ = gradients(submission)
    agree(
        answer.input_gradient,
        expected,
        answer.called,
        "Is a branch, or the road itself, cut off from the gradient?",
        "gradient of x: ",
    )


@graded(2, "gradients", "the gradient of every part, by value")
def test_parameter_gradients(submission):
    """Every part of the block learns, and by the right amount."""
    answer, _, expected = gradients(submission)
    for name, gradient in expected.items():
        agree(
            answer.parameter_gradient(name),
            gradient,
            answer.called,
            f"{name} would learn in a wrong direction.",
            f"gradient of {name}: ",
        )


# -- the question ----------------------------------------------------------------------------------


@graded(0.5, "zero-branches", "both branches return zeros", about="y_zero")
def test_y_zero(submission):
    """Nothing is added to [3, 4]."""
    answered(submission, "y_zero", [3.0, 4.0], "x = [3, 4], and a branch adds [0, 0] to it.")


@graded(0.5, "zero-branches", "a branch that doubles", about="y_double")
def test_y_double(submission):
    """x + 2x."""
    answered(
        submission,
        "y_double",
        [9.0, 12.0],
        "The branch gives 2x, and the road still carries x: y = x + F(x).",
    )


@graded(0.5, "zero-branches", "the slope with a branch that doubles", about="slope_double")
def test_slope_double(submission):
    """dy/dx = 1 + F'(x)."""
    answered(
        submission, "slope_double", 3.0, "y = x + F(x), so dy/dx = 1 + F'(x). What is F'(x) for F(x) = 2x?"
    )


@graded(0.5, "zero-branches", "the slope with a branch that takes x away", about="slope_minus")
def test_slope_minus(submission):
    """The direct road is no guarantee."""
    answered(submission, "slope_minus", 0.0, "What is 1 + F'(x) for F(x) = -x?")
