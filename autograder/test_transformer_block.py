"""The Pre-Norm block: h = x + attention(norm1(x)); y = h + ffn(norm2(h)).

Only the wiring is tested here. The checks build the block from the given stand-ins, or put stubs in the
places of its parts that compute factor * z + offset and remember z; every way of wiring leaves numbers of
its own. So a wrong norm or a wrong attention costs nothing in this exercise.
"""

import math

import torch

from autograder import oracle
from autograder.bank import graded
from autograder.expect import agree, answered, differing
from autograder.failure import Failure, show_numbers
from autograder.submission import Given

ASSIGNMENT, POSITION, CLASS = "transformer_block", 3, "TransformerBlock"
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
    return submission.build("TransformerBlock", Given("ModelConfig", SIZES | sizes), parts=True)


def stubbed(submission, **stubs):
    """A block whose four parts are stubs: {name: (factor, offset)}."""
    block = build(submission)
    missing = [name for name in STUBS if name not in {row["name"] for row in block.children()}]
    if missing:
        names = ", ".join(row["name"] for row in block.children()) or "none"
        raise Failure("The names of the parts are fixed.", f"{block.called}.named_children()", names, ", ".join(STUBS))
    for name, (factor, offset) in (STUBS | stubs).items():
        block.stub(name, factor, offset)
    return block


def loud_block(submission):
    """A block of stand-ins with loud weights, different scales in the two norms; and what it should compute."""
    block = build(submission)
    weights = {name: submission.draw(*shape, size=0.3) for name, shape in SHAPES.items()}
    signs = torch.tensor([1.0, -1.0]).repeat(12)
    weights["norm1.scale"] = signs * submission.draw(24, size=0.2, mean=1.0)
    weights["norm2.scale"] = submission.draw(24, size=0.2, mean=0.5)
    block.load(weights)
    return block, weights, oracle_for(block)


def oracle_for(block):
    """The function that the block should compute: with stand-ins where it was built from them.

    Somebody may have built the block from parts under other names; then the real parts are expected.
    """
    used = sorted(row["part"] for row in block.constructions())
    if used == ["CausalSelfAttention", "RMSNorm", "RMSNorm", "SwiGLU"]:
        return oracle.stand_in_block
    return lambda x, weights: oracle.block(x, weights, HEADS, SIZES["rope_theta"], SIZES["norm_eps"])


def loud_x(submission, *shape):
    return submission.draw(*(shape or (BATCH, TIME, 24)), mean=0.4)


# -- interface -------------------------------------------------------------------------------------


@graded(1, "interface", "norm1, attention, norm2 and ffn")
def test_four_parts(submission):
    """The block has four parts under their fixed names, and keeps the shape."""
    block = build(submission)
    names = [row["name"] for row in block.children()]
    if not set(STUBS) <= set(names):
        raise Failure(
            "The names of the parts are fixed, and a module in a plain list is not found.",
            f"{block.called}.named_children()",
            ", ".join(names) or "no modules",
            ", ".join(STUBS),
        )
    x = loud_x(submission)
    answer = block.call(x)
    if answer.output.shape != x.shape:
        raise Failure("The stream keeps its shape.", answer.called, f"shape {list(answer.output.shape)}", f"shape {list(x.shape)}")


@graded(1, "interface", "41,088 parameters at the default sizes")
def test_number_of_parameters(submission):
    """Two norms of 64, four projections of 64 x 64, three matrices of 64 x 128: 41,088."""
    block = submission.build("TransformerBlock", Given("ModelConfig", {}), parts=True)
    rows = {row["same"]: row for row in block.parameters()}.values()
    count = sum(row["tensor"].numel() for row in rows)
    if count != 41_088:
        raise Failure(
            "2 * 64 + 4 * 64 * 64 + 3 * 64 * 128 = 41,088. Which part is missing, shared, or has biases?",
            f"{block.called}.parameters()",
            f"{count:,} numbers in " + ", ".join(row["name"] for row in rows),
            "41,088",
        )


# -- wiring ----------------------------------------------------------------------------------------


@graded(1, "wiring", "both branches silent: x comes out, bit for bit")
def test_silent_branches(submission):
    """When attention and ffn return zeros, nothing is added to x."""
    block = stubbed(submission, attention=(0.0, 0.0), ffn=(0.0, 0.0))
    x = loud_x(submission)
    answer = block.call(x)
    sentence = "With attention and ffn silent, what is left on the road from x to y?"
    agree(answer.output, x, answer.called + " with attention and ffn returning zeros", sentence)
    if not torch.equal(answer.output, x):
        raise Failure(sentence + " Not even rounding should happen there.", answer.called, "x, but for rounding", "x exactly")


@graded(1, "wiring", "the attention branch is added to x")
def test_attention_branch(submission):
    """With the ffn silent, y = x + attention(norm1(x))."""
    block = stubbed(submission, ffn=(0.0, 0.0))
    x = loud_x(submission)
    answer = block.call(x)
    agree(
        answer.output,
        x + 5 * (2 * x + 0.1),
        answer.called + " with ffn = 0, norm1(z) = 2z + 0.1, attention(z) = 5z",
        "Then y should be x + attention(norm1(x)) = 11 x + 0.5. What is added to what?",
    )


@graded(1, "wiring", "the ffn branch is added to the stream")
def test_ffn_branch(submission):
    """With the attention silent, y = x + ffn(norm2(x))."""
    block = stubbed(submission, attention=(0.0, 0.0))
    x = loud_x(submission)
    answer = block.call(x)
    agree(
        answer.output,
        x + 7 * 3 * x,
        answer.called + " with attention = 0, norm2(z) = 3z, ffn(z) = 7z",
        "Then y should be x + ffn(norm2(x)) = 22 x. What is added to what?",
    )


@graded(2, "wiring", "attention first, then the ffn on what it wrote")
def test_both_branches(submission):
    """With all four stubs, each wiring of the block gives a number of its own."""
    block = stubbed(submission)
    answer = block.call(torch.ones(1, 2, 24), name="ones")
    agree(
        answer.output,
        torch.full((1, 2, 24), 11.5 + 21 * 11.5),
        answer.called + " with norm1(z) = 2z + 0.1, attention(z) = 5z, norm2(z) = 3z, ffn(z) = 7z",
        f"h = 1 + 5 * 2.1 = 11.5, and y = h + 7 * 3 * h = {11.5 + 21 * 11.5:g}. "
        "From which variable does each half read, and to which does it add?",
    )


@graded(1, "wiring", "what each part receives")
def test_what_each_part_receives(submission):
    """norm1 receives x, attention what norm1 gives, norm2 the stream after attention, ffn what norm2 gives."""
    block = stubbed(submission)
    answer = block.call(torch.ones(1, 2, 24), name="ones")
    expected = {"norm1": 1.0, "attention": 2.1, "norm2": 11.5, "ffn": 34.5}
    for name, number in expected.items():
        received = block.received(name)
        numbers = [z.flatten()[0].item() for z in received]
        if len(numbers) != 1 or not math.isclose(numbers[0], number, rel_tol=1e-4):
            raise Failure(
                f"Every part is called once, and {name} should read {number:g} here.",
                answer.called + " with norm1(z) = 2z + 0.1, attention(z) = 5z, norm2(z) = 3z, ffn(z) = 7z",
                f"{name} received " + (" and ".join(show_numbers(n) for n in numbers) or "nothing"),
                f"{name} received {number:g}",
            )


# -- norms -----------------------------------------------------------------------------------------


@graded(2, "norms", "two norms, each with a scale of its own")
def test_two_norms(submission):
    """norm1 and norm2 are two objects, so that each can learn its own scale."""
    block = build(submission)
    same = {row["name"]: row["same"] for row in block.parameters()}
    called = f"{block.called}.named_parameters()"
    for name in ("norm1.scale", "norm2.scale"):
        if name not in same:
            raise Failure("Each norm has a parameter called scale.", called, ", ".join(same), f"{name} among them")
    if same["norm1.scale"] == same["norm2.scale"]:
        raise Failure("norm1 and norm2 are one and the same object.", called, "one scale under two names", "two scales")


@graded(2, "norms", "norm1 before the attention, norm2 before the ffn")
def test_norms_in_their_places(submission):
    """Each norm is used once, in its own half."""
    for silent, heard, other in (("ffn", "norm1", "norm2"), ("attention", "norm2", "norm1")):
        block = stubbed(submission, **{silent: (0.0, 0.0), heard: (1.0, 0.0), other: (0.0, 9.0)})
        x = loud_x(submission)
        answer = block.call(x)
        branch = "attention" if silent == "ffn" else "ffn"
        factor = STUBS[branch][0]
        agree(
            answer.output,
            x + factor * x,
            f"{answer.called} with {silent} = 0, {heard}(z) = z, {other}(z) = 9, {branch}(z) = {factor:g} z",
            f"The {branch} should read what {heard} gives, and {heard} should read the stream.",
        )


# -- config ----------------------------------------------------------------------------------------


def passed_on(submission, part, names, sizes, question):
    """Fail unless every `part` was built with the config's values."""
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
    return rows


@graded(1, "config", "the norms get norm_eps")
def test_norm_eps_is_passed_on(submission):
    """Both norms are built with the width and the eps of the config."""
    names = {"width": "d_model", "eps": "norm_eps"}
    if not passed_on(submission, "RMSNorm", names, {"norm_eps": 0.25}, "Which number of the config belongs to the norms?"):
        with_real_parts(submission)


@graded(2, "config", "the attention gets its heads and rope_theta")
def test_heads_and_theta_are_passed_on(submission):
    """The attention is built with the width, the number of heads and the theta of the config."""
    names = {"width": "d_model", "heads": "n_heads", "theta": "rope_theta"}
    sizes = {"rope_theta": 500.0, "n_heads": 3}
    if not passed_on(submission, "CausalSelfAttention", names, sizes, "Which numbers of the config belong to the attention?"):
        with_real_parts(submission)


@graded(1, "config", "the ffn gets d_ff")
def test_d_ff_is_passed_on(submission):
    """The feed-forward network is built with both widths of the config, and other sizes work."""
    for d_model, d_ff in ((24, 40), (16, 56)):
        block = build(submission, d_model=d_model, d_ff=d_ff)
        shapes = {row["name"]: list(row["tensor"].shape) for row in block.parameters()}
        came = shapes.get("ffn.down_proj.weight")
        if came != [d_model, d_ff]:
            raise Failure("Which numbers of the config belong to the ffn?", block.called, f"ffn.down_proj.weight {came}", f"[{d_model}, {d_ff}]")


def with_real_parts(submission):
    """A block that was not built from the given parts must compute what the real parts compute."""
    block, weights, _ = loud_block(submission)
    x = loud_x(submission)
    expected = oracle.block(x, weights, HEADS, SIZES["rope_theta"], SIZES["norm_eps"])
    answer = block.call(x)
    agree(answer.output, expected, answer.called, "The block is built from parts of its own: do they get the numbers of the config?")


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
    before = block(x)
    for position in range(TIME):
        changed = x.clone()
        changed[:, position] += 5
        answer = block.call(changed)
        if answer.output.shape != before.shape:
            raise Failure("The stream keeps its shape.", answer.called, f"shape {list(answer.output.shape)}")
        moved = differing(answer.output, before).any(dim=-1).any(dim=0)
        if moved[:position].any() or not moved[position]:
            raise Failure(
                "Only the attention lets positions speak to each other, and only about the past.",
                answer.called,
                f"adding 5 at position {position} moved the positions {torch.nonzero(moved).flatten().tolist()}",
                f"position {position} and later ones move",
            )


@graded(1, "behaviour", "other sizes and float64")
def test_other_sizes(submission):
    """One token, one sample, gaps in memory, and a model in double precision."""
    block, weights, expected = loud_block(submission)
    for shape in ((1, 1, 24), (1, 9, 24), (4, 2, 24)):
        x = loud_x(submission, *shape)
        answer = block.call(x, spread=True)
        agree(answer.output, expected(x, weights), answer.called, "Which size is written down in the code?")
    if expected is oracle.stand_in_block:
        x = loud_x(submission).double()
        answer = block.to("float64").call(x, name="x in float64")
        agree(answer.output, expected(x, weights), answer.called, "Nothing in the wiring is tied to float32.")


@graded(1, "behaviour", "the input stays, and the answer is the same each time")
def test_no_traces(submission):
    """The argument is left alone; train, eval and a second call give the same numbers."""
    block, weights, expected = loud_block(submission)
    x = loud_x(submission)
    for training in (True, False, False):
        answer = block.train(training).call(x)
        if answer.changed_input:
            raise Failure("x += ... writes into the caller's tensor. What does x = x + ... do?", answer.called, "x is changed after the call", "x as it was")
        if answer.used_randomness:
            raise Failure("Nothing here is random. Is there a dropout, or a layer built inside forward?", answer.called, "torch's random state moved")
        mode = "train" if training else "eval"
        agree(answer.output, expected(x, weights), answer.called, f"This was a call in {mode} mode; the numbers are the same each time.")


# -- gradients -------------------------------------------------------------------------------------


def gradients(submission):
    """The answer with its gradients, and the oracle's: of x and by parameter name."""
    block, weights, expected = loud_block(submission)
    x, cotangent = loud_x(submission), submission.draw(BATCH, TIME, 24)
    answer = block.call(x, cotangent=cotangent)
    x = x.double().requires_grad_()
    weights = {name: value.double().requires_grad_() for name, value in weights.items()}
    output = expected(x, weights)
    if answer.output.shape != output.shape:
        raise Failure("The stream keeps its shape.", answer.called, f"shape {list(answer.output.shape)}", f"shape {list(output.shape)}")
    output.backward(cotangent.double())
    return answer, x.grad, {name: value.grad for name, value in weights.items() if value.grad is not None}


@graded(2, "gradients", "the gradient of the input, by value")
def test_input_gradient(submission):
    """The direct road carries the gradient past both branches, and both branches add theirs."""
    answer, expected, _ = gradients(submission)
    agree(answer.input_gradient, expected, answer.called, "Is a branch, or the road itself, cut off from the gradient?", "gradient of x: ")


@graded(2, "gradients", "the gradient of every part, by value")
def test_parameter_gradients(submission):
    """Every part of the block learns, and by the right amount."""
    answer, _, expected = gradients(submission)
    for name, gradient in expected.items():
        agree(answer.parameter_gradient(name), gradient, answer.called, f"{name} would learn in a wrong direction.", f"gradient of {name}: ")


# -- the question ----------------------------------------------------------------------------------


@graded(0.5, "zero-branches", "both branches return zeros", about="y_zero")
def test_y_zero(submission):
    """Nothing is added to [3, 4]."""
    answered(submission, "y_zero", [3.0, 4.0], "x = [3, 4], and a branch adds [0, 0] to it.")


@graded(0.5, "zero-branches", "a branch that doubles", about="y_double")
def test_y_double(submission):
    """x + 2x."""
    answered(submission, "y_double", [9.0, 12.0], "The branch gives 2x, and the road still carries x: y = x + F(x).")


@graded(0.5, "zero-branches", "the slope with a branch that doubles", about="slope_double")
def test_slope_double(submission):
    """dy/dx = 1 + F'(x)."""
    answered(submission, "slope_double", 3.0, "y = x + F(x), so dy/dx = 1 + F'(x). What is F'(x) for F(x) = 2x?")


@graded(0.5, "zero-branches", "the slope with a branch that takes x away", about="slope_minus")
def test_slope_minus(submission):
    """The direct road is no guarantee."""
    answered(submission, "slope_minus", 0.0, "What is 1 + F'(x) for F(x) = -x?")
