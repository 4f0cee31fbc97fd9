"""A notebook cell without what only IPython understands.

It runs where the submission runs: even reading a hostile cell as Python is nothing for the grader's process.
"""

import ast
import re

_WITH_BODY = ("%%time", "%%timeit", "%%capture", "%%prun")  # cell magics whose body is Python that runs
_RUNS = re.compile(r"%(?:time|prun)\s+(?!-)(.+)", re.DOTALL)  # line magics around a statement that runs
_ASSIGNED = re.compile(r"([\w.\[\]'\", ]+?=)\s*([%!])(.*)", re.DOTALL)
_QUOTE = re.compile("[rRbBuUfF]{0,2}('''|\"\"\"|'|\")")


def python_of(source: str) -> str:
    """The cell as Python. Text that is Python already stays as it is; the line numbers always stay."""
    if _is_python(source):
        return source
    lead = source[: len(source) - len(source.lstrip())]
    magic, _, body = source[len(lead) :].partition("\n")
    if magic.startswith("%%"):
        if magic.split()[0] not in _WITH_BODY:
            return ""
        source = f"{lead}\n{body}"
        if _is_python(source):
            return source
    return "".join(_plain(statement) for statement in _statements(source))


def _is_python(source: str) -> bool:
    try:
        compile(source, "<cell>", "exec", ast.PyCF_ONLY_AST)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True


def _statements(source: str) -> list[str]:
    """The text cut where a line ends outside of strings and brackets and goes on in no other way."""
    cuts, at, depth, start = [], 0, 0, 0
    while at < len(source):
        letter = source[at]
        quote = _QUOTE.match(source, at) if letter in "rRbBuUfF'\"" else None
        if quote and not (at and (source[at - 1].isalnum() or source[at - 1] == "_") and letter.isalpha()):
            at = _after_string(source, quote.end(), quote[1])
            continue
        if letter == "#":
            end = source.find("\n", at)
            at = len(source) if end < 0 else end
            continue
        if letter == "\\":
            at += 2
            continue
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth = max(depth - 1, 0)
        at += 1
        if letter == "\n" and not depth:
            cuts.append(source[start:at])
            start = at
    return [*cuts, source[start:]]


def _after_string(source: str, at: int, quote: str) -> int:
    """Where a string ends; a line that ends inside of a short one ends it too."""
    while at < len(source):
        if source[at] == "\\":
            at += 2
        elif source.startswith(quote, at):
            return at + len(quote)
        elif source[at] == "\n" and len(quote) == 1:
            return at
        else:
            at += 1
    return at


def _plain(statement: str) -> str:
    """One statement as Python; the same number of line ends."""
    text = statement.strip()
    indent = statement[: len(statement) - len(statement.lstrip(" \t"))]
    ends = "\n" * statement.count("\n")
    if runs := _RUNS.fullmatch(text):
        return f"{indent}{runs[1]}\n" if "\n" not in runs[1] else f"{indent}pass{ends}"
    if text.startswith(("%", "!", "?")) or (text.endswith("?") and not _is_python(text)):
        return f"{indent}pass{ends}"
    if assigned := _ASSIGNED.fullmatch(text):
        if assigned[2] == "%" and (runs := _RUNS.fullmatch("%" + assigned[3])):
            return f"{indent}{assigned[1]} {runs[1]}{ends}"
        return f"{indent}{assigned[1]} {'[]' if assigned[2] == '!' else 'None'}{ends}"
    return statement
