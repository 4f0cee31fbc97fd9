"""What an exception usually means in code of this course: its cause as a sentence, and a question.

The models of `mistakes` go first: one of them may raise the very same error and name the place. Where none
does, the text of the exception tells the kind of mistake.
"""

import re
from typing import Any

from autograder.mistakes import Mistake

_SIZES = r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)"

# slug, type of the exception, pattern of its text, title, explanation (with the groups of the pattern), question
_CAUSES = [
    (
        "super-init-missing",
        "AttributeError",
        r"cannot assign (module|parameters?) before Module.__init__\(\) call",
        "super().__init__() is missing",
        "An nn.Module must be set up before anything can be registered in it.",
        "What is the first line of every __init__ of an nn.Module?",
    ),
    (
        "view-of-non-contiguous",
        "RuntimeError",
        r"view size is not compatible with input tensor's size and stride",
        "view on a tensor whose numbers do not lie side by side",
        "transpose and slicing only change how the same memory is read; view cannot merge axes that lie apart.",
        "Which operation before the view reorders axes, and what does reshape do differently?",
    ),
    (
        "shapes-do-not-broadcast",
        "RuntimeError",
        _SIZES,
        "two shapes that do not fit",
        "One tensor has size {0}, the other size {1} at axis {2}. A missing keepdim=True takes an axis away, "
        "and a missing or doubled transpose exchanges two.",
        "Write the shapes of both sides next to the line: which axis should stay with size 1?",
    ),
    (
        "widths-do-not-fit",
        "RuntimeError",
        r"mat1 and mat2 shapes cannot be multiplied \(([\dx]+) and ([\dx]+)\)",
        "a matrix product of widths that do not fit",
        "The shapes are {0} and {1}: the second number of the one must be the first number of the other.",
        "Which width does this layer expect, and which does the tensor have at this place?",
    ),
    (
        "widths-do-not-fit",
        "RuntimeError",
        r"Expected size for first two dimensions of batch2 tensor to be: \[([\d, ]+)\] but got: \[([\d, ]+)\]",
        "a matrix product of shapes that do not fit",
        "The second factor should begin with [{0}] and begins with [{1}].",
        "Which two axes does @ multiply over, and is one of the factors still to be transposed?",
    ),
    (
        "sizes-written-down",
        "RuntimeError",
        r"shape '\[([-\d, ]+)\]' is invalid for input of size (\d+)",
        "a reshape to sizes that the tensor does not have",
        "[{0}] has not room for exactly {1} numbers.",
        "Which of these sizes is written down in the code instead of being read from x.shape?",
    ),
    (
        "axis-that-is-not-there",
        "IndexError",
        r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got (-?\d+)\)",
        "an axis that this tensor does not have",
        "Axis {2} was asked for; here the axes go from {0} to {1}. A single vector has only one axis.",
        "Counted from the end, which axis holds the features?",
    ),
    (
        "input-changed-in-place",
        "RuntimeError",
        r"a (leaf Variable that requires grad|view of a leaf Variable that requires grad) is being used in an in-place",
        "the input is written to",
        "The caller's x would be changed, and its gradient lost.",
        "Which operation writes into x: one whose name ends in _, or an operator like +=?",
    ),
    (
        "input-changed-in-place",
        "RuntimeError",
        r"has been modified by an inplace operation",
        "a tensor that the gradient needs is overwritten",
        "The backward pass needs the old numbers, and they are gone.",
        "Which operation writes into an existing tensor instead of making a new one?",
    ),
    (
        "dtype-written-down",
        "RuntimeError",
        r"(expected (scalar type|m1 and m2|mat1 and mat2)|must have the same dtype|same dtype)",
        "tensors of different dtypes meet",
        "A mask, a table or a constant has a dtype of its own, and the input has another.",
        "Which tensor is made in the code, and from where could it take its dtype?",
    ),
    (
        "device-written-down",
        "(RuntimeError|AssertionError)",
        r"(CUDA|cuda|MPS|same device|NVIDIA)",
        "a device is written down in the code",
        "The checks run where there may be no GPU; a module works wherever its input is.",
        "From which tensor can a new tensor take its device?",
    ),
    (
        "forward-missing",
        "NotImplementedError",
        r'missing the required "forward" function',
        "there is no forward",
        "Calling a module calls its forward.",
        "Is the method called forward, and is it indented to stand inside the class?",
    ),
    (
        "two-values-taken-for-one",
        "(TypeError|AttributeError)",
        r"('tuple' object|not tuple|must be Tensor, not tuple|expected Tensor as element)",
        "a tuple where a tensor should be",
        "Some helpers return two tensors: attention_2d gives context and weights, apply_rope gives q and k.",
        "Which call on this line returns more than one thing?",
    ),
    (
        "number-of-axes-assumed",
        "ValueError",
        r"(not enough|too many) values to unpack",
        "another number of axes than the code takes apart",
        "A shape was taken apart into a fixed number of names.",
        "Which shapes are promised in the card at the top, and does this line work for each of them?",
    ),
    (
        "attribute-never-set",
        "AttributeError",
        r"'(\w+)' object has no attribute '(\w+)'",
        "an attribute that was never set",
        "{0} has no {1}: it was not stored in __init__, or under another name.",
        "Where is self.{1} given its value?",
    ),
    (
        "name-from-elsewhere",
        "(NameError|UnboundLocalError)",
        r"name '(\w+)' is not defined",
        "a name that is not defined here",
        "{0} is neither an argument nor defined in the setup, the answer cells or cells of your own; what the "
        "demonstrations define does not count.",
        "Is {0} an argument under another name, an attribute that needs self., or a missing import?",
    ),
    (
        "signature-differs",
        "TypeError",
        r"(__init__|forward)\(\) (takes|missing|got)",
        "the arguments are not those agreed on",
        "The names and the order of the arguments are fixed, so that others can call your class.",
        "Compare the def line with the card at the top: which argument is missing, extra or named differently?",
    ),
    (
        "not-a-module",
        "TypeError",
        r"should be a subclass of nn.Module",
        "the class is no nn.Module",
        "Parameters and parts are only found in a subclass of nn.Module.",
        "What stands in the brackets after the class's name?",
    ),
    (
        "many-numbers-taken-for-one",
        "(RuntimeError|TypeError|ValueError)",
        r"(Boolean value of Tensor with more than one|cannot be converted to Scalar|only one element tensors)",
        "many numbers where Python expects one",
        "if, float() and math functions take a single number; a tensor of many vectors has many.",
        "Which torch function does the same for every element at once?",
    ),
    (
        "gradient-taken-to-numpy",
        "RuntimeError",
        r"Can't call numpy\(\) on Tensor that requires grad",
        "the computation leaves torch",
        "NumPy knows no gradients, so nothing before this line could learn.",
        "Which torch function does what the NumPy one does?",
    ),
    (
        "calls-itself",
        "RecursionError",
        r"",
        "it calls itself without end",
        "A forward that calls self(x) calls itself; so does a property that reads itself.",
        "Which call on this line leads back to this line?",
    ),
    (
        "never-ends",
        "TimeLimit",
        r"",
        "it does not end",
        "A loop goes on and on, or the work grows much faster than the input.",
        "What makes the loop stop, and does each round bring it closer to that?",
    ),
    (
        "package-not-there",
        "ModuleNotFoundError",
        r"No module named '([\w.]+)'",
        "a package that is not installed here",
        "{0} is not part of the course's environment.",
        "Which function of torch does the same?",
    ),
    (
        "syntax",
        "(SyntaxError|IndentationError|TabError)",
        r"",
        "Python cannot read this cell",
        "Nothing of a cell is run when one line of it cannot be read.",
        "Look at the line and the one before it: is a bracket, a colon or an indentation missing?",
    ),
    (
        "ends-the-process",
        "(ProcessEnded|SystemExit)",
        r"",
        "it ends the whole program",
        "exit, os._exit, or more memory than there is ends everything that runs.",
        "Is there a call that leaves the program, or a tensor that grows with every call?",
    ),
]


def cause(error: dict[str, Any]) -> list[Mistake]:
    """The usual cause of an exception as the host describes it: one mistake, or none that is known."""
    kind, text = str(error.get("type", "")), str(error.get("text", ""))
    for slug, types, pattern, title, explanation, hint in _CAUSES:
        found = re.search(pattern, text)
        if found and re.fullmatch(types, kind):
            groups = found.groups()
            explanation, hint = explanation.format(*groups), hint.format(*groups)
            return [Mistake(slug, title, hint, explanation, "", "", "", options={})]
    return []
