"""A verdict as people see it: a page for notebooks and browsers, and the same as plain text.

The page needs nothing from elsewhere and runs nothing; hints open by themselves because they are `<details>`.
It takes its colours from JupyterLab or VS Code where they are, else from the system's light or dark setting.
Whatever comes from a submission is text here, never markup.
"""

import re
from collections.abc import Iterator
from html import escape

from autograder.failure import Places
from autograder.mistakes import Mistake
from autograder.runner import Result

MOST_ON_THE_MAP = 2048  # numbers of an answer whose places are drawn
_NUMBER = re.compile(r"-?\b(?:nan|inf|\d+(?:\.\d+)?(?:e[-+]?\d+)?)\b")

STYLE = """<style>
.course-verdict {
  --text: var(--jp-content-font-color1, var(--vscode-foreground, #1f2328));
  --quiet: var(--jp-content-font-color2, var(--vscode-descriptionForeground, #59636e));
  --right: var(--jp-success-color1, #1a7f37); --wrong: var(--jp-error-color1, #cf222e);
  --ask: var(--jp-brand-color1, var(--vscode-textLink-foreground, #0969da));
  color: var(--text); font: 14px/1.45 var(--jp-content-font-family, system-ui, sans-serif); max-width: 52em;
  padding: 2px 0;
}
@media (prefers-color-scheme: dark) { .course-verdict {
  --text: var(--jp-content-font-color1, var(--vscode-foreground, #e6edf3));
  --quiet: var(--jp-content-font-color2, var(--vscode-descriptionForeground, #9198a1));
  --right: var(--jp-success-color1, #3fb950); --wrong: var(--jp-error-color1, #f85149);
  --ask: var(--jp-brand-color1, var(--vscode-textLink-foreground, #4493f8));
} }
.course-verdict p { margin: .3em 0 }
.course-verdict code, .course-verdict mark { font: 13px/1.45 var(--jp-code-font-family, ui-monospace, monospace) }
.course-verdict code { background: none; color: inherit; padding: 0; white-space: pre-wrap; overflow-wrap: anywhere }
.course-verdict .sum { display: flex; align-items: center; gap: .8em; margin: .2em 0 .5em; font-weight: 600 }
.course-verdict .bar { width: 8em; height: 6px; border-radius: 3px; overflow: hidden;
  background: rgba(128, 128, 128, .3) }
.course-verdict .bar span { display: block; height: 100%; background: var(--right) }
.course-verdict .check { border-left: 3px solid var(--right); margin: 3px 0; padding: 1px 0 1px 10px }
.course-verdict .check.open { border-color: var(--wrong); margin: 8px 0 }
.course-verdict .head { display: flex; gap: .5em }
.course-verdict .open > .head { font-weight: 600 }
.course-verdict .head .title { flex: 1 }
.course-verdict .head .mark { color: var(--right) }
.course-verdict .open > .head .mark { color: var(--wrong) }
.course-verdict .points, .course-verdict dt, .course-verdict .note { color: var(--quiet) }
.course-verdict dl { display: grid; grid-template-columns: max-content 1fr; gap: 1px 1em; margin: .3em 0;
  align-items: baseline }
.course-verdict dt, .course-verdict dd { margin: 0; float: none; width: auto; font-weight: normal }
.course-verdict mark { color: inherit; background: rgba(248, 81, 73, .25); border-radius: 3px;
  box-shadow: 0 0 0 1px var(--wrong) }
.course-verdict mark.expected { background: rgba(63, 185, 80, .25); box-shadow: 0 0 0 1px var(--right) }
.course-verdict .likely { background: rgba(128, 128, 128, .12); border-radius: 6px; margin: .5em 0;
  padding: .3em .8em }
.course-verdict summary { cursor: pointer; color: var(--ask) }
.course-verdict details p { margin-left: 1.1em }
.course-verdict svg { display: block; margin: .3em 0; max-width: 100% }
</style>"""


def text(results: list[Result]) -> str:
    """The results of a group as plain text."""
    waiting = _not_started(results)
    if waiting:
        return waiting
    lines = [f"{_earned(results)} points"]
    for result, again in _told_once(results):
        mark = "✓" if result.status == "passed" else "✗"
        lines.append(f"{mark} {result.check.title}  ({result.points:g}/{result.check.points:g})")
        if result.status != "passed":
            same = f"Likely the same: {again.title}." if again else ""
            message = "\n".join(filter(None, [result.told, same])) if again else result.message
            lines += ["    " + line for line in message.split("\n")]
    return "\n".join(lines)


def page(results: list[Result]) -> str:
    """The results of a group as HTML."""
    waiting = _not_started(results)
    if waiting:
        return message(waiting)
    return framed(_sum(results) + "".join(_check(result, again) for result, again in _told_once(results)))


def message(told: str) -> str:
    """A plain message in the same dress, such as why a notebook could not be read."""
    return framed(f"<p><code>{escape(told)}</code></p>")


def notes(lines: list[str]) -> str:
    """What is said in small letters below a verdict, which brought the style."""
    told = "".join(f'<p class="note">{escape(line)}</p>' for line in lines)
    return f'<div class="course-verdict">{told}</div>'


def framed(body: str) -> str:
    return f'{STYLE}<div class="course-verdict">{body}</div>'


def _not_started(results: list[Result]) -> str:
    if any(result.status != "not_attempted" for result in results):
        return ""
    most = sum(result.check.points for result in results)
    return f"Not started yet ({most:g} points): {results[0].sentence}"


def _earned(results: list[Result]) -> str:
    earned, most = sum(r.points for r in results), sum(r.check.points for r in results)
    return f"{earned:g} of {most:g}"


def _told_once(results: list[Result]) -> Iterator[tuple[Result, Mistake | None]]:
    """Each result, and the mistake that needs no more words as an earlier failure has told all about it."""
    told: set[str] = set()
    for result in results:
        own = {mistake.slug for mistake in result.mistakes}
        yield result, result.mistakes[0] if own and told >= own else None
        told |= own


def _sum(results: list[Result]) -> str:
    earned, most = sum(r.points for r in results), sum(r.check.points for r in results)
    share = 100 * earned / most if most else 0
    bar = f'<span class="bar" aria-hidden="true"><span style="width: {share:.0f}%"></span></span>'
    return f'<div class="sum">{_earned(results)} points{bar}</div>'


def _check(result: Result, again: Mistake | None) -> str:
    passed = result.status == "passed"
    head = (
        f'<div class="head"><span class="mark">{"✓" if passed else "✗"}</span>'
        f'<span class="title">{escape(result.check.title)}</span>'
        f'<span class="points">{result.points:g}/{result.check.points:g}</span></div>'
    )
    if passed:
        return f'<div class="check">{head}</div>'
    told = f"<p>{escape(result.sentence)}</p>" if result.sentence else ""
    likely = f"<p>Likely the same: {escape(again.title)}.</p>" if again else "".join(_likely(result))
    return f'<div class="check open">{head}{_facts(result)}{told}{likely}</div>'


def _facts(result: Result) -> str:
    """What was called, came and was expected, with the numbers marked that differ."""
    rows = []
    for name, value in result.rows:
        marked = name in ("came", "expected") and result.places is not None
        shown = _with_marks(value, result.places, name) if marked else escape(value)
        rows.append(f"<dt>{name}</dt><dd><code>{shown}</code></dd>")
    drawn = _map(result.places)
    rows += [f"<dt>in red</dt><dd>{drawn}</dd>"] if drawn else []
    return f"<dl>{''.join(rows)}</dl>" if rows else ""


def _with_marks(value: str, places: Places, name: str) -> str:
    """The numbers of a tensor are the last ones in the text; those at wrong places are marked."""
    numbers, count = list(_NUMBER.finditer(value)), _count(places)
    if len(numbers) < count or "shape" in value:
        return escape(value)
    numbers = numbers[len(numbers) - count :]
    shown, end = "", 0
    for place in places.wrong:
        start = numbers[place].start()
        shown += escape(value[end:start]) + f'<mark class="{name}">{escape(numbers[place].group())}</mark>'
        end = numbers[place].end()
    return shown + escape(value[end:])


def _count(places: Places) -> int:
    count = 1
    for size in places.shape:
        count *= size
    return count


def _map(places: Places | None) -> str:
    """The wrong places of a larger tensor as a picture: a row for each vector, a block for each matrix."""
    count = _count(places) if places else 0
    if places is None or len(places.shape) < 2 or not 16 < count <= MOST_ON_THE_MAP:
        return ""
    if len(places.wrong) == count:
        return ""  # nothing to be seen
    rows, columns = places.shape[-2:]
    blocks = count // (rows * columns)
    width, height = blocks * (columns + 1) - 1, rows
    squares = "".join(f"M{block * (columns + 1)} 0h{columns}v{rows}h-{columns}z" for block in range(blocks))
    wrong = "".join(f"M{x} {y}h1v1h-1z" for x, y in (_square(place, rows, columns) for place in places.wrong))
    size = min(10, max(3, 600 // max(width, 1)))
    told = f"{len(places.wrong)} of {count} numbers differ; they are drawn in red"
    return (
        f'<svg role="img" aria-label="{told}" viewBox="0 0 {width} {height}" width="{width * size}"'
        f' height="{height * size}" shape-rendering="crispEdges"><title>{told}</title>'
        f'<path d="{squares}" fill="rgba(128, 128, 128, .3)"/><path d="{wrong}" fill="#e5534b"/></svg>'
    )


def _square(place: int, rows: int, columns: int) -> tuple[int, int]:
    block, rest = divmod(place, rows * columns)
    row, column = divmod(rest, columns)
    return block * (columns + 1) + column, row


def _likely(result: Result) -> Iterator[str]:
    """A box for each mistake that is named: what it is, then a question, what follows, where to read."""
    second = {mistake for explanation in result.explanations for mistake in explanation[1:]}
    for number, mistake in enumerate(result.mistakes):
        lead = "Likely" if not number else "And" if mistake in second else "Or, with the same numbers"
        formula = f"<p>Computed: <code>{escape(mistake.formula)}</code></p>" if mistake.formula else ""
        section = f"<p>See “{escape(mistake.section)}” in the notebook.</p>" if mistake.section else ""
        tiers = [
            ("A question", f"<p>{escape(mistake.hint)}</p>"),
            ("What follows from it", f"<p>{escape(mistake.explanation)}</p>"),
            ("What was computed, and where to read", formula + section),
        ]
        opened = "".join(
            f"<details><summary>{name}</summary>{told}</details>" for name, told in tiers if told
        )
        yield f'<div class="likely"><p>{lead}: <b>{escape(mistake.title)}</b></p>{opened}</div>'
