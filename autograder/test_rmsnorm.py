"""RMSNorm: y_i = scale_i * x_i / sqrt(mean_j(x_j^2) + eps), for every vector on its own.

The checks use loud numbers: eps 0.5 where eps matters, scales of both signs, x with a mean that is not
zero and vectors of very different size. With eps 1e-5, scale 1 and quiet numbers, a quarter of all wrong
implementations look right.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps

import torch

from autograder import oracle
from autograder.bank import graded
from autograder.expect import agree, answered, decided, differing, finite
from autograder.failure import Failure, NotAttempted, show

ASSIGNMENT, POSITION, CLASS = "transformer_block", 1, "RMSNorm"
AFTERWORD = (
    "The constructor keeps eps and a parameter of ones. The forward pass is one line: the mean of the squares over "
    "the last axis, that axis kept with length 1, plus eps, and its reciprocal root (torch has one) multiplies x "
    "and then the scale.",
    "torch.nn.functional.rms_norm is the same in one call and faster. Models that compute in bfloat16 measure in "
    "float32 and go back, as squares of small numbers lose digits. Gemma stores the scale minus one, so that "
    "weight decay pulls it towards leaving the size alone.",
)
EPS = 0.5


def loud_norm(submission, width, eps=EPS):
    """A norm with a scale of both signs, and that scale."""
    scale = submission.draw(width, size=0.2, mean=1.0) * torch.tensor([1.0, -1.0]).repeat(width)[:width]
    return submission.build("RMSNorm", width, eps=eps).load({"scale": scale}), scale


def loud_x(submission, *shape):
    """Vectors with a mean that is not zero; those of the first sample are small beside sqrt(eps)."""
    x = submission.draw(*shape, size=2.0, mean=1.5)
    if len(shape) > 1:
        x[0] *= 0.1
    return x


def told_apart(check: Callable) -> Callable:
    """Ask more when the check has failed. It changes no verdict, only who is named for it.

    For [3, 4] a sum, a division by n - 1 and a length all give the same numbers; elsewhere they do not.
    """

    @wraps(check)
    def asking(submission):
        try:
            check(submission)
        except NotAttempted:
            raise
        except Failure:
            ask_more(submission)
            raise

    return asking


def ask_more(submission):
    """Questions to which hardly two kinds of mistakes give the same answers."""
    with suppress(Failure):
        norm = submission.build("RMSNorm", 3)
        for size in (1e-3, 1e-6):
            norm.call(torch.tensor([1.0, -0.4, 0.2]) * size)
    with suppress(Failure):
        norm, _ = loud_norm(submission, 5)
        for shape in ((5,), (2, 3, 5), (3, 3, 3, 5)):
            with suppress(Failure):
                norm.call(loud_x(submission, *shape))
        for x in (torch.zeros(5), loud_x(submission, 5) * 0.01):
            norm.call(x)
        norm.call(loud_x(submission, 3, 1, 5), cotangent=torch.arange(5.0).expand(3, 1, 5))


# -- interface -------------------------------------------------------------------------------------


@graded(0.5, "interface", "one learned factor per coordinate")
def test_scale_is_the_only_parameter(submission):
    """RMSNorm(5) has one parameter, `scale`, of shape (5,)."""
    norm = submission.build("RMSNorm", 5)
    rows = norm.parameters()
    came = ", ".join(f"{row['name']} {list(row['tensor'].shape)}" for row in rows) or "no parameters"
    if [row["name"] for row in rows] != ["scale"] or list(rows[0]["tensor"].shape) != [5]:
        sentence = "A plain tensor is no parameter: only an nn.Parameter is trained and saved."
        raise Failure(sentence, f"{norm.called}.named_parameters()", came, "scale [5] alone")
    if not rows[0]["trained"]:
        raise Failure("scale is to be learned.", f"{norm.called}.scale.requires_grad", "False", "True")


@graded(0.5, "interface", "all factors are one at the start")
@told_apart
def test_scale_starts_at_ones(submission):
    """The parameter `scale` of a new norm is ones."""
    norm = submission.build("RMSNorm", 5)
    scale = {row["name"]: row["tensor"] for row in norm.parameters()}.get("scale")
    if scale is None:
        raise Failure("Which parameter holds the factors?", f"{norm.called}.scale", "no parameter", "ones")
    agree(scale.float(), torch.ones(5), f"{norm.called}.scale", "A new norm changes no proportions.")


@graded(1, "interface", "built and called as agreed")
@told_apart
def test_is_built_and_called_as_agreed(submission):
    """RMSNorm(width) and RMSNorm(width, eps=...) can be built, and one tensor in gives one tensor out."""
    for norm in (submission.build("RMSNorm", 3), submission.build("RMSNorm", 3, eps=0.1)):
        answer = norm.call(torch.tensor([1.0, 2.0, 4.0]))
        if answer.output.shape != (3,):
            raise Failure(
                "A vector goes in, a vector of the same width comes out.",
                answer.called,
                f"shape {list(answer.output.shape)}",
                "shape [3]",
            )


# -- values ----------------------------------------------------------------------------------------


@graded(1, "values", "[3, 4] becomes [0.8485, 1.1314]")
@told_apart
def test_three_four(submission):
    """Squares 9 and 16, mean 12.5, root 3.5355; each coordinate is divided by it."""
    x = torch.tensor([3.0, 4.0])
    answer = submission.build("RMSNorm", 2).call(x)
    expected = torch.tensor([0.8485278, 1.1313704])
    agree(answer.output, expected, answer.called, "Squares 9 and 16, their mean 12.5, its root 3.5355.")


@graded(1, "values", "ten times the input gives the same output")
@told_apart
def test_tenfold(submission):
    """The size of the vector is divided out: [30, 40] gives what [3, 4] gives, and keeps the ratio 3 : 4."""
    answer = submission.build("RMSNorm", 2).call(torch.tensor([30.0, 40.0]))
    expected = torch.tensor([0.8485281, 1.1313709])
    agree(
        answer.output,
        expected,
        answer.called,
        "[30, 40] points where [3, 4] points, so it ends where that ends.",
    )


@graded(1, "values", "the scale multiplies each coordinate")
@told_apart
def test_scale_multiplies_each_coordinate(submission):
    """scale_i multiplies coordinate i, negative factors included."""
    scale = torch.tensor([0.5, -2.0, 3.0])
    answer = submission.build("RMSNorm", 3).load({"scale": scale}).call(torch.tensor([1.0, 2.0, 2.0]))
    expected = oracle.rms_norm(torch.tensor([1.0, 2.0, 2.0]), scale, 1e-5)
    agree(
        answer.output,
        expected,
        answer.called,
        f"With scale = {show(scale)}, coordinate i is multiplied by scale[i].",
    )


@graded(1, "values", "every number of a batch")
@told_apart
def test_a_batch(submission):
    """A whole batch against torch's own rms_norm."""
    norm, scale = loud_norm(submission, 7, eps=1e-5)
    x = submission.draw(3, 4, 7, size=2.0, mean=1.5)
    x[0] *= 0.3  # smaller than 1, and large enough that the place of eps is the next group's business
    answer = norm.call(x)
    agree(
        answer.output,
        oracle.rms_norm(x, scale, 1e-5),
        answer.called,
        "Each vector is divided by its own root mean square.",
    )


# -- eps -------------------------------------------------------------------------------------------


@graded(1, "eps", "eps is added to the mean of the squares, under the root")
@told_apart
def test_eps_stands_under_the_root(submission):
    """With eps = 0.5 the place where eps is added can be seen."""
    norm, scale = loud_norm(submission, 3)
    x = torch.tensor([0.3, 0.4, -1.2])
    answer = norm.call(x)
    agree(
        answer.output,
        oracle.rms_norm(x, scale, EPS),
        answer.called,
        f"The mean of the squares is {x.square().mean():.4g}; which number is the root taken of?",
    )


@graded(1, "eps", "the zero vector gives zeros")
@told_apart
def test_zero_vector(submission):
    """sqrt(0 + eps) is not zero, so 0 / sqrt(eps) is 0 and its gradient is finite."""
    norm = submission.build("RMSNorm", 4)
    answer = norm.call(torch.zeros(4), cotangent=torch.ones(4))
    finite(answer.output, answer.called, "0 / 0 is not a number: what keeps the denominator away from zero?")
    agree(answer.output, torch.zeros(4), answer.called, "Nothing in, nothing out.")
    finite(answer.input_gradient, answer.called, "The slope at zero should be a number too.", "gradient ")


@graded(1, "eps", "the constructor's eps is the one that is used")
@told_apart
def test_eps_of_the_constructor_is_used(submission):
    """Two norms with different eps give different answers, each the right one."""
    x = submission.draw(6, size=0.05)
    for eps in (0.01, 2.0):
        norm, scale = loud_norm(submission, 6, eps=eps)
        answer = norm.call(x)
        agree(
            answer.output,
            oracle.rms_norm(x, scale, eps),
            answer.called,
            f"Here eps is {eps:g}, as the call says.",
        )


@graded(1, "eps", "the default eps is 1e-5")
@told_apart
def test_default_eps(submission):
    """A vector of size 1e-3 shows the default: its mean of squares is smaller than eps."""
    norm = submission.build("RMSNorm", 3)
    x = torch.tensor([1e-3, -2e-3, 1.5e-3])
    answer = norm.call(x)
    agree(
        answer.output,
        oracle.rms_norm(x, torch.ones(3), 1e-5),
        answer.called,
        "RMSNorm(3) stands for eps = 1e-5.",
    )


# -- shapes ----------------------------------------------------------------------------------------


@graded(1, "shapes", "one vector, a sequence, a batch and more")
@told_apart
def test_any_leading_shape(submission):
    """[D], [T, D], [B, T, D] and [A, B, T, D] keep their shape, and every vector is treated alike."""
    norm, scale = loud_norm(submission, 6)
    for shape in ((6,), (5, 6), (2, 5, 6), (2, 3, 4, 6), (1, 1, 6)):
        x = loud_x(submission, *shape)
        answer = norm.call(x)
        agree(
            answer.output,
            oracle.rms_norm(x, scale, EPS),
            answer.called,
            "The last axis is the vector; all before it are just many vectors.",
        )


@graded(0.5, "shapes", "as many positions as coordinates")
@told_apart
def test_square_input(submission):
    """With T = D an axis can be mistaken for another without an error."""
    norm, scale = loud_norm(submission, 5)
    for shape in ((5, 5), (5, 5, 5)):
        x = loud_x(submission, *shape)
        answer = norm.call(x)
        agree(
            answer.output,
            oracle.rms_norm(x, scale, EPS),
            answer.called,
            "The mean runs over the last axis, and each vector keeps its own denominator.",
        )


@graded(0.5, "shapes", "odd widths and gaps in memory")
@told_apart
def test_odd_width_and_strided_input(submission):
    """Width 1 and width 13, and an input whose numbers do not lie side by side in memory."""
    for width in (1, 13):
        norm, scale = loud_norm(submission, width)
        x = loud_x(submission, 3, width)
        answer = norm.call(x, spread=True, name=f"x of shape {[3, width]}, not contiguous")
        agree(
            answer.output,
            oracle.rms_norm(x, scale, EPS),
            answer.called,
            "How a tensor lies in memory should not matter.",
        )


@graded(1, "shapes", "float64 and bfloat16")
@told_apart
def test_other_dtypes(submission):
    """A model in another precision works and gives the same numbers, as far as the precision goes."""
    x = loud_x(submission, 3, 4, 6)
    for dtype in ("float64", "bfloat16"):
        norm, scale = loud_norm(submission, 6)
        cast = x.to(getattr(torch, dtype))
        scale = scale.to(getattr(torch, dtype))
        answer = norm.to(dtype).call(cast, name=f"x of shape [3, 4, 6] in {dtype}")
        expected = oracle.rms_norm(cast, scale, EPS)
        came = answer.output
        if came.is_floating_point():  # a result in a higher precision is as precise as its input
            came = came.to(getattr(torch, dtype))
        agree(came, expected, answer.called, "Nothing in a norm is tied to float32.")


# -- independence ----------------------------------------------------------------------------------


@graded(1, "independence", "samples and positions do not see each other")
@told_apart
def test_vectors_are_independent(submission):
    """Changing one vector leaves the outputs of all others as they were."""
    norm, _ = loud_norm(submission, 4)
    x = loud_x(submission, 3, 5, 4)
    before = norm(x)
    for sample, position in ((0, 0), (1, 2), (2, 4)):
        changed = x.clone()
        changed[sample, position] = changed[sample, position] * 7 + 3
        answer = norm.call(changed)
        if answer.output.shape != x.shape:
            raise Failure(
                "The shape stays.",
                answer.called,
                f"shape {list(answer.output.shape)}",
                f"shape {list(x.shape)}",
            )
        moved = differing(answer.output, before).any(dim=-1)
        moved[sample, position] = False
        if moved.any():
            other = torch.nonzero(moved)[0].tolist()
            raise Failure(
                "Each vector has its own denominator: which axis is the mean taken over?",
                answer.called,
                f"after a change of sample {sample}, position {position}, "
                f"the output of sample {other[0]}, position {other[1]} moved",
                "only the output of the changed vector moves",
            )


@graded(1, "independence", "the input stays as it was")
@told_apart
def test_input_is_left_alone(submission):
    """The caller still needs x: the residual connection adds it later."""
    norm, _ = loud_norm(submission, 4)
    answer = norm.call(loud_x(submission, 2, 3, 4))
    if answer.changed_input:
        raise Failure(
            "Which operation writes into x? Names that end in _ and operators like *= do.",
            answer.called,
            "x is changed after the call",
            "x as it was",
        )


@graded(1, "independence", "the same input gives the same output")
@told_apart
def test_same_answer_twice(submission):
    """No memory between calls, no randomness, no difference between train and eval."""
    norm, scale = loud_norm(submission, 5)
    x = loud_x(submission, 2, 3, 5)
    expected = oracle.rms_norm(x, scale, EPS)
    for turn, z in (("the first call", x), ("a call with 5 x", 5 * x), ("a call with x again", x)):
        answer = norm.call(z)
        wanted = oracle.rms_norm(z, scale, EPS)
        agree(
            answer.output,
            wanted,
            answer.called,
            f"This was {turn} on the same object. What does it keep from the call before?",
        )
    for training in (True, False):
        answer = norm.train(training).call(x)
        mode = "train" if training else "eval"
        agree(answer.output, expected, answer.called, f"In {mode} mode the numbers are the same.")
        if answer.used_randomness:
            raise Failure("A norm has nothing random in it.", answer.called, "torch's random state moved")


# -- gradients -------------------------------------------------------------------------------------


def gradients(x, scale, cotangent):
    x, scale = x.double().requires_grad_(), scale.double().requires_grad_()
    (oracle.rms_norm(x, scale, EPS) * cotangent).sum().backward()
    return x.grad, scale.grad


@graded(2, "gradients", "the gradient of the input, by value")
@told_apart
def test_input_gradient(submission):
    """The denominator depends on x too, so it takes part in the gradient."""
    norm, scale = loud_norm(submission, 5)
    x, cotangent = submission.draw(2, 3, 5, mean=0.5), submission.draw(2, 3, 5)
    answer = norm.call(x, cotangent=cotangent)
    expected, _ = gradients(x, scale, cotangent)
    agree(
        answer.input_gradient,
        expected,
        answer.called,
        "The root mean square moves when x moves: does the gradient know?",
        "gradient of x: ",
    )


@graded(2, "gradients", "the gradient of the scale, by value")
@told_apart
def test_scale_gradient(submission):
    """Each factor learns from its own coordinate, summed over all vectors."""
    norm, scale = loud_norm(submission, 5)
    x, cotangent = submission.draw(2, 3, 5, mean=0.5), submission.draw(2, 3, 5)
    answer = norm.call(x, cotangent=cotangent)
    _, expected = gradients(x, scale, cotangent)
    agree(
        answer.parameter_gradient("scale"),
        expected,
        answer.called,
        "scale[i] should feel every vector's coordinate i.",
        "gradient of scale: ",
    )


# -- whose output is this? -------------------------------------------------------------------------

WHOSE = {
    "A": ("subtracts-mean", "Add up the four numbers of A. For which norm is that always zero?"),
    "B": (
        "sum-not-mean",
        "B is too short by the same factor everywhere. Four numbers, and a factor of about two?",
    ),
    "C": ("eps-outside-root", "Divide 1 by C's first number: is it sqrt(12.5) + 0.5 or sqrt(12.5 + 0.5)?"),
    "D": ("no-root", "Divide 1 by D's first number: whose square or whose root is that?"),
}
CHOICES = {
    "subtracts-mean": "a norm that subtracts the mean gives numbers that add up to zero",
    "sum-not-mean": "a sum in place of the mean makes the root twice as large, and the output half as long",
    "eps-outside-root": "eps added after the root divides by sqrt(12.5) + 0.5 = 4.0355",
    "no-root": "without the root the divisor is 12.5 + 0.5 = 13",
    "eps-missing": "without eps the divisor is sqrt(12.5) = 3.5355",
    "scale-missing": "a missing scale shows nothing while every factor is one",
}


def named(submission, letter):
    whose = submission.value("whose")
    right, question = WHOSE[letter]
    came = whose.get(letter) if isinstance(whose, dict) else whose
    if came == right:
        return
    if came not in CHOICES:
        raise Failure(
            "Choose one of: " + ", ".join(CHOICES) + ".", f'whose["{letter}"]', repr(came), "one of the names"
        )
    raise Failure(
        f"{CHOICES[came][0].upper()}{CHOICES[came][1:]}. {question}", f'whose["{letter}"]', repr(came)
    )


@graded(0.5, "quiz", "output A", about="whose")
def test_whose_is_a(submission):
    """A mistake can be told from its numbers."""
    named(submission, "A")


@graded(0.5, "quiz", "output B", about="whose")
def test_whose_is_b(submission):
    """A mistake can be told from its numbers."""
    named(submission, "B")


@graded(0.5, "quiz", "output C", about="whose")
def test_whose_is_c(submission):
    """A mistake can be told from its numbers."""
    named(submission, "C")


@graded(0.5, "quiz", "output D", about="whose")
def test_whose_is_d(submission):
    """A mistake can be told from its numbers."""
    named(submission, "D")


# -- the question ----------------------------------------------------------------------------------


@graded(0.5, "question", "the root mean square of [30, 40]", about="rms_before")
def test_rms_before(submission):
    """Ten times [3, 4] is ten times as large."""
    answered(submission, "rms_before", 35.355339, "Square 30 and 40, take the mean, take the root.")


@graded(0.25, "question", "ten times, without eps", about="changes_times_ten")
def test_changes_times_ten(submission):
    """A common factor stands above and below the line."""
    decided(submission, "changes_times_ten", False, "What happens to a factor of ten in x / rms(x)?")


@graded(0.5, "question", "the root mean square of [13, 14]", about="rms_after")
def test_rms_after(submission):
    """Adding the same number to all coordinates is no change of size alone."""
    answered(submission, "rms_after", 13.509256, "[3, 4] plus 10 in both places: square, mean, root.")


@graded(0.5, "question", "[13, 14] normalised", about="normalised_after")
def test_normalised_after(submission):
    """The proportions of [13, 14] are not those of [3, 4]."""
    answered(
        submission,
        "normalised_after",
        [0.962303, 1.036327],
        "Divide 13 and 14 by the root mean square just found.",
    )


@graded(0.25, "question", "plus ten", about="changes_plus_ten")
def test_changes_plus_ten(submission):
    """RMSNorm does not subtract the mean, so a shift is seen."""
    decided(submission, "changes_plus_ten", True, "Compare the result for [13, 14] with the one for [3, 4].")
