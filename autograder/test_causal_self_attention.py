"""Causal self-attention: project, split into heads, turn q and k by position, weigh the past, merge, project.

Each group assumes the ones before. With the output projection at zero, at position 0, and with q at zero,
whole parts of the computation drop out, so that a mistake in one part costs the group about that part.
The weights of each head are read from the unchanged submission: a few coordinates of x say "I am
position s", and the values are set to pass exactly these on.

All sizes differ (B 3, T 7, H 4, d 8, D 32) and the weights are loud (0.3): with equal sizes, one head or
attention that is nearly uniform, most wrong implementations look right.
"""

import math

import torch

from autograder import oracle
from autograder.bank import graded
from autograder.expect import agree, differing, finite
from autograder.failure import Failure

ASSIGNMENT, POSITION, CLASS = "transformer_block", 2, "CausalSelfAttention"
BATCH, TIME, HEADS, HEAD_WIDTH = 3, 7, 4, 8
WIDTH = HEADS * HEAD_WIDTH
THETA = 100.0
NAMES = ("q_proj.weight", "k_proj.weight", "v_proj.weight", "out_proj.weight")


def loud_weights(submission, width=WIDTH):
    return {name: submission.draw(width, width, size=0.3) for name in NAMES}


def built(submission, weights, heads=HEADS, theta=THETA):
    width = weights["q_proj.weight"].shape[0]
    return submission.build("CausalSelfAttention", width, heads, theta=theta).load(weights)


def loud_attention(submission, **changed):
    """An attention with loud weights, some of them replaced: `q_proj=...`; and the weights."""
    weights = loud_weights(submission) | {f"{name}.weight": value for name, value in changed.items()}
    return built(submission, weights), weights


def loud_x(submission, *shape):
    return submission.draw(*(shape or (BATCH, TIME, WIDTH)), mean=0.3)


def marked(content, time=TIME):
    """x of shape [1, T, D] whose last T coordinates say which position it is; `content` fills the others."""
    return torch.cat((content, torch.eye(time)), dim=-1)[None]  # [1, T, D]


def reading_weights(submission, time=TIME):
    """Weights that write every head's attention into the output, and q and k that see the content only."""
    weights = loud_weights(submission)
    for name in NAMES[:2]:
        weights[name][:, -time:] = 0  # q and k do not look at the marks
    value = torch.zeros(WIDTH, WIDTH)
    for head in range(HEADS):
        for position in range(time):
            value[head * HEAD_WIDTH + position, WIDTH - time + position] = 1
    return weights | {"v_proj.weight": value, "out_proj.weight": torch.eye(WIDTH)}


def read(attention, x):
    """The attention weights of every head, [H, T, T], and the text of the call."""
    answer = attention.call(x)
    time = x.shape[1]
    expect_shape(answer, x)
    return answer.output[0].unflatten(-1, (HEADS, HEAD_WIDTH))[..., :time].transpose(0, 1), answer.called


def expect_shape(answer, x):
    if answer.output.shape != x.shape:
        raise Failure(
            "Attention writes back into the stream it reads: the shape stays.",
            answer.called,
            f"shape {list(answer.output.shape)}",
            f"shape {list(x.shape)}",
        )


# -- interface -------------------------------------------------------------------------------------


@graded(1, "interface", "four projections without biases, and nothing else to learn")
def test_four_projections(submission):
    """q_proj, k_proj, v_proj and out_proj are separate nn.Linear(width, width) without biases."""
    attention = submission.build("CausalSelfAttention", 12, 2)
    rows = attention.parameters()
    shapes = {row["name"]: list(row["tensor"].shape) for row in rows}
    came = ", ".join(f"{name} {shape}" for name, shape in shapes.items()) or "no parameters at all"
    called = f"{attention.called}.named_parameters()"
    expected = ", ".join(f"{name} [12, 12]" for name in NAMES)
    if shapes != {name: [12, 12] for name in NAMES}:
        raise Failure(
            "The names and shapes are fixed, and modules in a plain list are not found.",
            called,
            came,
            expected,
        )
    if len({row["same"] for row in rows}) != 4:
        raise Failure(
            "Two names stand for one and the same weight, so they cannot learn different things.", called
        )
    if not all(row["trained"] for row in rows):
        raise Failure("All four are to be learned.", called, "some do not require a gradient")


@graded(1, "interface", "built and called as agreed")
def test_is_built_and_called_as_agreed(submission):
    """CausalSelfAttention(width, heads) and (width, heads, theta=...) take [B, T, D] and return [B, T, D]."""
    for attention in (
        submission.build("CausalSelfAttention", 12, 2),
        submission.build("CausalSelfAttention", 12, 3, theta=50.0),
    ):
        x = loud_x(submission, 2, 5, 12)
        expect_shape(attention.call(x), x)


# -- projections -----------------------------------------------------------------------------------


@graded(1, "projections", "everything leaves through the output projection")
def test_output_projection_is_last(submission):
    """With out_proj at zero, the output is zero."""
    attention, _ = loud_attention(submission, out_proj=torch.zeros(WIDTH, WIDTH))
    x = loud_x(submission)
    answer = attention.call(x)
    agree(
        answer.output,
        torch.zeros(x.shape),
        answer.called,
        "With out_proj.weight all zeros nothing can come out. What goes around out_proj, or is added after it?",
    )


@graded(2, "projections", "position 0 gets its own value")
def test_first_position_sees_itself(submission):
    """Position 0 has only itself to look at: the output there is out_proj(v_proj(x_0)), in every head."""
    attention, weights = loud_attention(submission)
    x = loud_x(submission)
    answer = attention.call(x)
    expect_shape(answer, x)
    expected = x[:, 0].double() @ weights["v_proj.weight"].double().T @ weights["out_proj.weight"].double().T
    agree(
        answer.output[:, 0],
        expected,
        answer.called,
        "At position 0 the only weight is 1, so q, k, the scale and RoPE play no part. "
        "Is each projection used once and in its place, and do the heads come back in order?",
        "position 0: ",
    )


@graded(1, "projections", "a sequence of one token")
def test_one_token(submission):
    """With T = 1, the output is out_proj(v_proj(x))."""
    attention, weights = loud_attention(submission)
    x = loud_x(submission, 2, 1, WIDTH)
    answer = attention.call(x)
    expected = x.double() @ weights["v_proj.weight"].double().T @ weights["out_proj.weight"].double().T
    agree(answer.output, expected, answer.called, "One token attends to itself with weight 1.")


# -- mask ------------------------------------------------------------------------------------------


@graded(2, "mask", "equal scores give the average of the past")
def test_equal_scores_give_running_means(submission):
    """With q_proj at zero all scores are 0, so every position averages the values up to itself."""
    attention, weights = loud_attention(submission, q_proj=torch.zeros(WIDTH, WIDTH))
    x = loud_x(submission)
    answer = attention.call(x)
    values = x.double() @ weights["v_proj.weight"].double().T
    means = values.cumsum(1) / torch.arange(1, TIME + 1)[:, None]
    agree(
        answer.output,
        means @ weights["out_proj.weight"].double().T,
        answer.called,
        "With q_proj.weight all zeros every visible position weighs the same: position i is the mean of the "
        "values 0 to i. Which positions are averaged, over which axis do the weights add up to 1, and is v left alone?",
    )


@graded(2, "mask", "no position hears the future")
def test_causal_at_every_position(submission):
    """Changing position p leaves all outputs before p as they were, and changes the output at p."""
    attention, _ = loud_attention(submission)
    x = loud_x(submission)
    before = attention.call(x)
    expect_shape(before, x)
    for position in range(TIME):
        changed = x.clone()
        changed[:, position] += 5
        answer = attention.call(changed)
        moved = differing(answer.output, before.output).any(dim=-1).any(dim=0)  # [T]
        if moved[:position].any():
            raise Failure(
                "An output moved although only a later token changed. What hides the future, and is it hidden "
                "before the softmax, in the right direction and for the right axis?",
                answer.called,
                f"adding 5 at position {position} moved position {int(torch.nonzero(moved)[0])}",
                f"positions 0 to {position - 1} stay",
            )
        if not moved[position]:
            raise Failure(
                "Every position looks at itself too.",
                answer.called,
                f"adding 5 at position {position} left the output at position {position} as it was",
                f"position {position} moves",
            )


@graded(1, "mask", "two tokens by hand")
def test_two_tokens_by_hand(submission):
    """Width 2, one head, identity weights, tokens [1, 0] and [0, 1]."""
    attention, _ = loud_attention(submission)
    attention.call(loud_x(submission))  # not judged here: two tokens are too few to tell mistakes apart
    weights = {name: torch.eye(2) for name in NAMES}
    attention = submission.build("CausalSelfAttention", 2, 1).load(weights)
    answer = attention.call(torch.eye(2)[None], name="[[[1, 0], [0, 1]]]")
    past, present = math.exp(-math.sin(1) / math.sqrt(2)), math.exp(1 / math.sqrt(2))
    share = past / (past + present)
    agree(
        answer.output,
        torch.tensor([[[1.0, 0.0], [share, 1 - share]]]),
        answer.called,
        "Position 0 keeps [1, 0]. At position 1, RoPE has turned q and k by 1 radian: the scores are "
        "-sin(1) / sqrt(2) = -0.595 and 1 / sqrt(2) = 0.707, and the softmax of the two gives the weights.",
    )


@graded(1, "mask", "large scores stay finite")
def test_large_scores_stay_finite(submission):
    """Large scores overflow exp in float32 unless the largest is subtracted first; low ones need a lower mask."""
    weights = {name: torch.eye(WIDTH) for name in NAMES}
    weights["q_proj.weight"] = weights["k_proj.weight"] = 12 * torch.eye(WIDTH)
    token = submission.draw(1, WIDTH)
    x = torch.stack((token, 0.01 * token)).repeat(1, 4, 1)  # a loud and a quiet sample of equal tokens
    answer = built(submission, weights).call(x)
    finite(
        answer.output,
        answer.called,
        "exp of a score in the hundreds is infinite. What does torch.softmax do about it?",
    )
    agree(
        answer.output,
        x,
        answer.called,
        "All four tokens of a sample are equal, so any average of them is the token itself.",
    )

    weights = reading_weights(submission)
    weights["q_proj.weight"] = 12 * torch.eye(WIDTH)
    weights["q_proj.weight"][WIDTH - TIME :] = 0  # the marks play no part in the scores
    weights["q_proj.weight"].view(HEADS, HEAD_WIDTH, WIDTH)[:, [0, 1, HEAD_WIDTH // 2]] = 0
    weights["k_proj.weight"] = -weights["q_proj.weight"]
    content = 1 + submission.draw(1, WIDTH - TIME, size=0.1)
    came, called = read(
        built(submission, weights, theta=1e24), marked(content.expand(TIME, -1))
    )  # all pairs stand
    averages = torch.ones(TIME, TIME).tril() / torch.arange(1, TIME + 1)[:, None]
    agree(
        came,
        averages.expand(HEADS, TIME, TIME),
        called,
        "Here all scores are equal and about -250, so every position averages its past. "
        "Is what hides the future still far below such a score?",
        "weights: ",
    )


# -- scores ----------------------------------------------------------------------------------------


@graded(2, "scores", "scores are divided by the root of a head's width")
def test_scale(submission):
    """The weights that are read out are the softmax of q·k / sqrt(d), with d = 8 here."""
    theta = 1e24  # all pairs but the first of each head stand still, so that RoPE plays no part here
    weights = reading_weights(submission)
    for name in NAMES[:2]:
        per_head = weights[name].view(HEADS, HEAD_WIDTH, WIDTH)
        per_head[:, [0, 1, HEAD_WIDTH // 2]] = 0
        weights[name] = 1.5 * weights[name]
    x = marked(submission.draw(TIME, WIDTH - TIME))
    came, called = read(built(submission, weights, theta=theta), x)
    agree(
        came,
        oracle.attention_weights(x, weights, HEADS, theta)[0],
        called,
        f"The attention weights [H, T, T] are too flat, too sharp, or not those of this head. Here D = {WIDTH}, "
        f"H = {HEADS} and d = {HEAD_WIDTH}: what are the scores divided by?",
        "weights: ",
    )


@graded(2, "scores", "every head attends on its own")
def test_heads_are_separate(submission):
    """With q at zero in all heads but one, that one has weights of its own and the others average."""
    for head in (0, 2):
        weights = reading_weights(submission)
        rows = torch.arange(WIDTH) // HEAD_WIDTH != head
        weights["q_proj.weight"][rows] = 0
        x = marked(submission.draw(TIME, WIDTH - TIME))
        came, called = read(built(submission, weights), x)
        others = [h for h in range(HEADS) if h != head]
        averages = torch.ones(TIME, TIME).tril() / torch.arange(1, TIME + 1)[:, None]
        agree(
            came[others],
            averages.expand(HEADS - 1, TIME, TIME),
            called,
            f"Only the rows of q_proj that belong to head {head} (features {head * HEAD_WIDTH} to "
            f"{(head + 1) * HEAD_WIDTH - 1}) are not zero, yet another head does not average its past.",
            f"weights of heads {others}: ",
        )
        if not differing(came[head], averages).any():
            raise Failure(
                "This head's q and k should decide its weights.",
                called,
                f"head {head} averages its past",
                "weights that depend on q and k",
            )


# -- RoPE ------------------------------------------------------------------------------------------


@graded(1, "rope", "scores depend on the distance, not on the place")
def test_scores_depend_on_the_distance(submission):
    """The same three tokens at positions 0 to 2 and at 4 to 6 weigh each other alike."""
    weights = reading_weights(submission)
    content = submission.draw(TIME, WIDTH - TIME)
    content[4:] = content[:3]
    came, called = read(built(submission, weights), marked(content))
    early = (came[:, 2, 0] / came[:, 2, 1]).log()
    late = (came[:, 6, 4] / came[:, 6, 5]).log()
    agree(
        late,
        early,
        called,
        "Shifting tokens together should not change how they weigh each other: the ratio of the weights 0 and 1 "
        "seen from 2 should be the ratio of 4 and 5 seen from 6. Are q and k both turned, by the same rule?",
        "log ratios of the heads: ",
    )


@graded(2, "rope", "the weights of every head at the default theta")
def test_weights_at_the_default_theta(submission):
    """The adjacent pair (2i, 2i+1) of q and k turns by position * 10000^(-2i/d)."""
    weights = reading_weights(submission)
    x = marked(submission.draw(TIME, WIDTH - TIME))
    attention = submission.build("CausalSelfAttention", WIDTH, HEADS).load(weights)
    came, called = read(attention, x)
    agree(
        came,
        oracle.attention_weights(x, weights, HEADS, 10000.0)[0],
        called,
        "The attention weights [H, T, T] differ. If the group “scores” passes, it is the turning: "
        "which features form a pair, how far does each turn, and are they q and k?",
        "weights: ",
    )


@graded(1, "rope", "the constructor's theta is the one that is used")
def test_theta_of_the_constructor_is_used(submission):
    """theta = 100 and theta = 3 turn the slow pairs faster than 10000 does."""
    for theta in (THETA, 3.0):
        weights = reading_weights(submission)
        x = marked(submission.draw(TIME, WIDTH - TIME))
        came, called = read(built(submission, weights, theta=theta), x)
        agree(
            came,
            oracle.attention_weights(x, weights, HEADS, theta)[0],
            called,
            f"Here theta is {theta:g}.",
            "weights: ",
        )


@graded(1, "rope", "the whole computation")
def test_everything_together(submission):
    """Loud weights everywhere, against torch's own scaled_dot_product_attention."""
    attention, weights = loud_attention(submission)
    x = loud_x(submission)
    answer = attention.call(x)
    agree(
        answer.output,
        oracle.attention(x, weights, HEADS, THETA),
        answer.called,
        "The groups above say which part differs.",
    )


# -- shapes ----------------------------------------------------------------------------------------


@graded(1, "shapes", "other sizes")
def test_other_sizes(submission):
    """One head, many heads of width 2, a sequence longer than the heads are wide, a batch of one."""
    for batch, time, heads, head_width in (
        (1, 1, 1, 2),
        (2, 3, 1, 6),
        (1, 9, 5, 2),
        (4, 5, 3, 4),
        (5, 4, 2, 10),
    ):
        width = heads * head_width
        weights = loud_weights(submission, width)
        x = loud_x(submission, batch, time, width)
        answer = built(submission, weights, heads).call(x)
        agree(
            answer.output,
            oracle.attention(x, weights, heads, THETA),
            answer.called,
            f"Right for some sizes, wrong for B = {batch}, T = {time}, H = {heads}, d = {head_width}: "
            "which size is written down, or taken from the wrong axis?",
        )


@graded(1, "shapes", "short, long and short again on one object")
def test_changing_length(submission):
    """A mask or a table of angles from an earlier call must not be used for another length."""
    attention, weights = loud_attention(submission)
    for time in (3, 70, 5, 1):
        x = loud_x(submission, 2, time, WIDTH)
        answer = attention.call(x)
        agree(
            answer.output,
            oracle.attention(x, weights, HEADS, THETA),
            answer.called,
            "The calls before this one, on the same object, had other lengths. "
            "What is kept from them, or made for one length only?",
        )


@graded(1, "shapes", "gaps in memory")
def test_strided_input(submission):
    """An input whose numbers do not lie side by side in memory."""
    attention, weights = loud_attention(submission)
    x = loud_x(submission)
    answer = attention.call(x, spread=True, name=f"x of shape {list(x.shape)}, not contiguous")
    agree(
        answer.output,
        oracle.attention(x, weights, HEADS, THETA),
        answer.called,
        "How a tensor lies in memory should not matter.",
    )


# -- independence ----------------------------------------------------------------------------------


@graded(1, "independence", "samples do not see each other")
def test_samples_are_independent(submission):
    """Changing one sample leaves the outputs of the others as they were."""
    attention, _ = loud_attention(submission)
    x = loud_x(submission)
    before = attention.call(x)
    expect_shape(before, x)
    for sample in range(BATCH):
        changed = x.clone()
        changed[sample] = changed[sample] * 2 + 1
        answer = attention.call(changed)
        moved = differing(answer.output, before.output).flatten(1).any(dim=1)
        moved[sample] = False
        if moved.any():
            raise Failure(
                "Attention runs along the positions of one sample. Which axis does yours run along?",
                answer.called,
                f"a change of sample {sample} moved sample {int(torch.nonzero(moved)[0])}",
                f"only sample {sample} moves",
            )


@graded(1, "independence", "the input stays as it was")
def test_input_is_left_alone(submission):
    """The caller still needs x: the residual connection adds it later."""
    attention, _ = loud_attention(submission)
    answer = attention.call(loud_x(submission))
    if answer.changed_input:
        raise Failure(
            "Which operation writes into x?", answer.called, "x is changed after the call", "x as it was"
        )


@graded(1, "independence", "the same input gives the same output")
def test_same_answer_twice(submission):
    """No randomness, no memory, no difference between train and eval."""
    attention, weights = loud_attention(submission)
    x = loud_x(submission)
    expected = oracle.attention(x, weights, HEADS, THETA)
    for training in (True, False, False):
        answer = attention.train(training).call(x)
        mode = "train" if training else "eval"
        agree(
            answer.output,
            expected,
            answer.called,
            f"This was a call in {mode} mode; the answer should be the same in both, each time.",
        )
        if answer.used_randomness:
            raise Failure(
                "Nothing here is random. Is there a dropout, or a layer built inside forward?",
                answer.called,
                "torch's random state moved",
            )


# -- gradients -------------------------------------------------------------------------------------


def gradients(submission):
    """The answer with its gradients, and the oracle's: of x and by parameter name."""
    attention, weights = loud_attention(submission)
    x, cotangent = loud_x(submission), submission.draw(BATCH, TIME, WIDTH)
    answer = attention.call(x, cotangent=cotangent)
    expect_shape(answer, x)
    x = x.double().requires_grad_()
    weights = {name: value.double().requires_grad_() for name, value in weights.items()}
    (oracle.attention(x, weights, HEADS, THETA) * cotangent).sum().backward()
    return answer, x.grad, {name: value.grad for name, value in weights.items()}


@graded(1, "gradients", "the gradient of the input, by value")
def test_input_gradient(submission):
    """x takes part in q, k and v, and the gradient comes back through all three."""
    answer, expected, _ = gradients(submission)
    agree(
        answer.input_gradient,
        expected,
        answer.called,
        "Is a part of the way cut off from the gradient?",
        "gradient of x: ",
    )


@graded(2, "gradients", "the gradients of the four projections, by value")
def test_projection_gradients(submission):
    """All four projections learn, and by the right amounts."""
    answer, _, expected = gradients(submission)
    for name, gradient in expected.items():
        agree(
            answer.parameter_gradient(name),
            gradient,
            answer.called,
            f"{name} would learn in a wrong direction.",
            f"gradient of {name}: ",
        )
