"""The notebook's door to the checks."""

import sys
from pathlib import Path
from typing import Any

import torch
from torch import nn

from autograder import afterwards, bank, oracle, page, progress
from autograder.child.host import Host
from autograder.expect import differing
from autograder.loading import Work, find_work, open_here
from autograder.notebook import Unreadable
from autograder.runner import clamped, run_all
from autograder.submission import Submission


def check(grade_id: str) -> float:
    """Run a group of checks, such as "rmsnorm-eps", on what the notebook defines now.

    Shows what was called, what came and what was expected; returns the points, a plain float that
    nbgrader records as they are.
    """
    named = bank.split_grade_id(grade_id)
    if named is None:
        raise ValueError(f"There are no checks called {grade_id!r}.")
    exercise, group = named
    host = Host(namespace=sys._getframe(1).f_globals)
    checks = bank.checks(exercise, group)
    with torch.random.fork_rng(devices=[]):
        submission = Submission(host.answer, "this notebook")
        results = run_all(checks, submission)
        show(page.text(results), page.page(results))
        if afterwards.is_last(exercise, group):
            others = [check for check in bank.checks(exercise) if check not in checks]
            everything = [*run_all(others, submission), *results]
            progress.remember(Path(), everything)
            show(afterwards.text(everything, Path()), afterwards.page(everything, Path()))
        else:
            progress.remember(Path(), results)
    return clamped(sum(r.points for r in results), sum(c.points for c in checks))


def show(text: str, html: str) -> None:
    """Show a page where there is a notebook around, and its text elsewhere."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and ipython.get_ipython() is not None:
        ipython.display.display({"text/plain": text, "text/html": html}, raw=True)
    else:
        print(text)


def assemble(block: type[nn.Module], folder: str = ".") -> nn.Module | None:
    """Build the reader's TransformerBlock from the reader's own parts, and compare it.

    block: the class of this notebook. The parts are read from rmsnorm.ipynb and
    causal_self_attention.ipynb in `folder`. Prints the comparison with an independent implementation on
    the same weights, or which notebook is not ready; returns the assembled block, or None.
    """
    parts: dict[str, Any] = {}
    for exercise in ("rmsnorm", "causal_self_attention"):
        name = bank.module_of(exercise).CLASS
        try:
            (work,) = find_work(Path(folder) / f"{exercise}.ipynb")
        except Unreadable as error:
            print(error)
            return None
        part = _class_of(work, name)
        if part is None:
            print(f"{work.where} does not define {name} yet. Finish it, save it, and run this cell again.")
            return None
        parts[name] = part
    return _compared(block, parts)


def _class_of(work: Work, name: str) -> Any:
    """The class as the notebook's cells define it; None when they do not, or when it is still a stub."""
    if work.problem or not open_here(work).defines(name):
        return None
    host = Host(given=None)
    for cell in work.cells:
        host.answer("run_cell", {"label": cell.label, "source": cell.source})
    part = host.namespace.get(name)
    try:
        part(8) if name == "RMSNorm" else part(8, 2)
    except Exception:
        return None
    return part


def _compared(block: type[nn.Module], parts: dict[str, Any]) -> nn.Module | None:
    import importlib

    config = importlib.import_module("tiny_lm").ModelConfig()
    scope = block.__init__.__globals__
    before = {name: scope.get(name) for name in parts}
    scope.update(parts)
    try:
        own = block(config)
        x = torch.randn(2, 7, config.d_model, generator=torch.Generator().manual_seed(0))
        with torch.no_grad():
            came = own(x)
    except NotImplementedError:
        print("A part is still to be written: the checks of its notebook say which.")
        return None
    finally:
        scope.update(before)
    weights = dict(own.named_parameters())
    expected = oracle.block(x, weights, config.n_heads, config.rope_theta, config.norm_eps)
    count = sum(parameter.numel() for parameter in own.parameters())
    print(f"Your block has {count:,} parameters.")
    if came.shape != expected.shape:
        print(
            f"It returns shape {list(came.shape)} where the independent implementation returns {list(expected.shape)}."
        )
        return own
    gap = (came - expected).abs().max().item()
    print(f"The largest difference to an independent implementation with the same weights is {gap:.2g}.")
    if differing(came, expected).any():
        print("That is more than rounding: the checks of the three notebooks say which part differs.")
    return own
