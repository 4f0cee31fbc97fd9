"""What only IPython understands is left out; Python is never touched."""

import pytest

from autograder.child.magics import python_of


@pytest.mark.parametrize(
    "source",
    [
        "y = (a\n    % b)\n",
        'text = """\n!x\n%y\n?z\n"""\n',
        "total = 7 \\\n    % 4\n",
        "# %magic\nx = 1  # what?\n",
        "x = '50%'\n",
        "def f(:\n",
        "x = [1,\n  2\n",
        "",
    ],
)
def test_python_stays_as_it_is(source):
    assert python_of(source) == source


@pytest.mark.parametrize(
    ("source", "python"),
    [
        ("%matplotlib inline\n!pip list\nx = 1\n  ", "pass\npass\nx = 1\n  "),
        ("RMSNorm?\nx = 1", "pass\nx = 1"),
        ("??RMSNorm", "pass"),
        ("files = !ls\nx = 1", "files = []\nx = 1"),
        ("here = %pwd\n", "here = None\n"),
        ("y = %time f(2)\n", "y = f(2)\n"),
        ("%time y = f(2)\n", "y = f(2)\n"),
        ("%timeit f(2)\n", "pass\n"),
        ("if x:\n    !ls\n", "if x:\n    pass\n"),
        ("%%time\nx = 1\n!ls\n", "\nx = 1\npass\n"),
        ("\n%%capture out\nx = 1\n", "\n\nx = 1\n"),
        ("%%bash\nls\n", ""),
        ("%%html\n<b>", ""),
        ('!ls\ny = (a\n  % b)\nt = """\n!x\n"""\n', 'pass\ny = (a\n  % b)\nt = """\n!x\n"""\n'),
        ("!ls \\\n  -l\nx = 1\n", "pass\n\nx = 1\n"),
        ("!echo \"don't\nx = 'a'\n", "pass\nx = 'a'\n"),
    ],
)
def test_what_only_ipython_understands_is_left_out(source, python):
    assert python_of(source) == python
    assert python.count("\n") in (0, source.count("\n"))


@pytest.mark.parametrize(
    "source", ["(" * 5000, "-" * 100_000 + "1", "x = '\0'", "'" * 7, "\\", "%" * 99, "?", "\ud800"]
)
def test_any_text_is_answered(source):
    assert isinstance(python_of(source), str)
