"""Which check catches which wrong answer, and what other ways of checking would have caught.

python tests/catalogue.py     writes docs/catalogue.md from the rows under tests/wrong/ and tests/right/
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import peers
import torch

from autograder import bank
from autograder.child.host import Host
from autograder.loading import Work, checks_for, find_work, open_here
from autograder.submission import Submission

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "catalogue.md"
WRONG = sorted((HERE / "wrong").glob("*/*.py"))
RIGHT = sorted((HERE / "right").glob("*/*.py"))

# Why a check stays that never stands alone between a wrong answer and the points of its group.
STAYS = {
    "rmsnorm": {
        "test_three_four": "The one that a learner can redo on paper; it comes first and is read first.",
        "test_tenfold": "Shows at a glance what a norm is for: the size goes, the direction stays.",
        "test_scale_multiplies_each_coordinate": "Asks for the scale alone, on numbers done by hand.",
        "test_eps_stands_under_the_root": "Names the place of eps on numbers that can be redone.",
        "test_zero_vector": "The case that eps is there for, with a finite gradient.",
        "test_eps_of_the_constructor_is_used": "Tells an eps that is ignored from one in the wrong place.",
        "test_any_leading_shape": "Half right is half marked: a norm for batches only keeps the other points.",
        "test_square_input": "Two axes of one length hide a mixed-up axis; the message says so.",
        "test_odd_width_and_strided_input": "Names `view` on gaps in memory before other checks stumble on it.",
        "test_vectors_are_independent": "Says which vector moved another, where a value only says wrong.",
    },
    "causal_self_attention": {
        "test_output_projection_is_last": "The first of the staged probes: what does not pass here hides all else.",
        "test_one_token": "The shortest sequence, on which masks and squeezes fail in ways of their own.",
        "test_equal_scores_give_running_means": "Reads mask and softmax alone, whatever the scores are.",
        "test_causal_at_every_position": "Says from which position to which the future leaks.",
        "test_two_tokens_by_hand": "The one attention that a learner can redo on paper.",
        "test_heads_are_separate": "Half the group's points: the scale may be wrong and the heads right.",
        "test_scores_depend_on_the_distance": "Shows what RoPE is for, and holds for either layout of the pairs.",
        "test_weights_at_the_default_theta": "Reads the weights of every head, so that RoPE's mistakes get a name.",
        "test_theta_of_the_constructor_is_used": "Tells a theta that is ignored from a wrong frequency.",
        "test_everything_together": "The only one on loud weights in all four projections at once.",
        "test_strided_input": "Names `view` on gaps in memory, and keeps the other shapes' points.",
        "test_samples_are_independent": "Says which sample moved another, where a value only says wrong.",
        "test_input_is_left_alone": "The later checks use their input again: says why they would fail.",
        "test_same_answer_twice": "Dropout and state between calls, told as that and not as wrong numbers.",
        "test_projection_gradients": "Says which projection learns nothing.",
    },
    "transformer_block": {
        "test_silent_branches": "The direct path alone, bit for bit, as in the notebook's first example.",
        "test_ffn_branch": "One branch at a time: half right is half marked.",
        "test_what_each_part_receives": "Says what each part was given, which no output can show.",
        "test_values": "The only one in which all parts work at once on random numbers.",
        "test_causal_as_a_whole": "A leak may come from the block itself, as from a mean over positions.",
        "test_other_sizes": "Sizes written down instead of asked for.",
    },
}


@dataclass(frozen=True)
class Row:
    """A wrong answer.

    path: its file. group, slugs: what its first lines say of it. caught_by: the checks that it fails.
    lesson, allclose: whether the other ways of checking notice; None where the exercise has none.
    """

    path: Path
    group: str
    slugs: tuple[str, ...]
    caught_by: frozenset[str]
    lesson: bool | None
    allclose: bool | None

    @property
    def exercise(self) -> str:
        return self.path.parent.name


def facts(path: Path) -> dict[str, str]:
    """The `# key: value` lines at the head of a file."""
    lines = path.read_text("utf-8").splitlines()
    head = [line[2:] for line in lines[: lines.index("")] if line.startswith("# ")] if "" in lines else []
    return dict(line.split(": ", 1) for line in head if line.split(": ", 1)[0] in ("group", "slugs"))


def opened(path: Path) -> tuple[Work, Submission]:
    """The work of a file in the catalogue, and its submission in this process."""
    (work,) = [work for work in find_work(path) if work.exercise == path.parent.name]
    return work, open_here(work)


def row_of(path: Path) -> Row:
    """Run all checks on a wrong answer, without asking for the name of its mistake, and the other ways."""
    work, submission = opened(path)
    caught = {check.name for check in checks_for(work, submission) if not _passes(check, submission)}
    head = facts(path)
    lesson, allclose = (_notices(way.get(work.exercise), work) for way in (peers.LESSON, peers.ALLCLOSE))
    return Row(path, head["group"], tuple(head["slugs"].split()), frozenset(caught), lesson, allclose)


def _passes(check: bank.Check, submission: Submission) -> bool:
    try:
        submission.begin(f"{check.exercise}/{check.name}")
        check.run(submission)
    except Exception:
        return False
    return True


class _Asking(Host):
    """A host that is asked one question more: whether another way of checking is content."""

    def op_content(self, way: Callable[[Any], None], name: str) -> dict[str, Any]:
        torch.manual_seed(0)
        way(self.namespace[name])
        return {}


def _notices(way: Callable[[Any], None] | None, work: Work) -> bool | None:
    if way is None:
        return None
    module = bank.module_of(work.exercise)
    host = _Asking(given=str(bank.given_folder(module.ASSIGNMENT)))
    for cell in work.cells:
        host.answer("run_cell", {"label": cell.label, "source": cell.source})
    return "error" in host.answer("content", {"way": way, "name": module.CLASS})


def needs(exercise: str, rows: list[Row]) -> dict[str, str]:
    """Why each check is there: the wrong answers that nothing else in its group notices, or a sentence.

    A check of an answer to a question needs no wrong implementation.
    """
    reasons = {}
    for check in bank.checks(exercise):
        group = {other.name for other in bank.checks(exercise, check.group)}
        alone = [row for row in rows if row.group == check.group and row.caught_by & group == {check.name}]
        if check.about != bank.module_of(exercise).CLASS and not _caught(check, rows):
            reasons[check.name] = "Asks for an answer, not for a class."
        elif alone:
            few = ", ".join(row.path.stem for row in alone[:4]) + (" …" if len(alone) > 4 else "")
            reasons[check.name] = f"Alone in its group with {len(alone)}: {few}"
        else:
            reasons[check.name] = STAYS.get(exercise, {}).get(check.name, "")
    return reasons


def _caught(check: bank.Check, rows: list[Row]) -> int:
    """How many of the rows the check catches."""
    return sum(check.name in row.caught_by for row in rows)


def page(rows: list[Row]) -> str:
    """The whole of docs/catalogue.md. Right answers are run on the other ways alone: no check refuses one."""
    by_exercise = {name: [row for row in rows if row.exercise == name] for name in bank.exercises()}
    lines = [_HEAD, *_peers(by_exercise)]
    for exercise, own in by_exercise.items():
        lines += [f"\n## {exercise}\n", *_checks_table(exercise, own), *_matrix(exercise, own)]
    return "\n".join(lines) + "\n"


_HEAD = """# The catalogue: every wrong answer, and the checks that catch it

Written by `python tests/catalogue.py` from the programs under `tests/wrong/` and `tests/right/`; a test keeps it
in step. Every wrong answer loses points in the group of checks that is meant for it and is named, every right
one keeps all its points: that is what `tests/test_mistakes.py` asserts.

## What other ways of checking notice

The same wrong answers, given to the asserts of an ordinary lesson (one worked number, one moved position, one
shape and a finite gradient) and to one `allclose` (default weights, random input, atol 1e-4) against the right
function. Both are in `tests/peers.py`. Neither says which mistake it was.
"""


def _peers(by_exercise: dict[str, list[Row]]) -> Iterator[str]:
    yield "| exercise | answers | the lesson's asserts | a plain allclose | this course |"
    yield "|---|---|---|---|---|"
    for exercise, rows in by_exercise.items():
        if exercise not in peers.LESSON:
            continue
        caught = [sum(way) for way in zip(*map(_ways, rows), strict=True)]
        yield f"| {exercise} | {len(rows)} wrong, caught: | {' | '.join(map(str, caught))} |"
        right = [opened(path)[0] for path in RIGHT if path.parent.name == exercise]
        refused = [
            sum(bool(_notices(way[exercise], work)) for work in right)
            for way in (peers.LESSON, peers.ALLCLOSE)
        ]
        yield f"| | {len(right)} right, refused: | {' | '.join(map(str, refused))} | 0 |"


def _ways(row: Row) -> tuple[bool, bool, bool]:
    return bool(row.lesson), bool(row.allclose), bool(row.caught_by)


def _checks_table(exercise: str, rows: list[Row]) -> Iterator[str]:
    reasons = needs(exercise, rows)
    yield "| | check | group | catches | why it is there |"
    yield "|---|---|---|---|---|"
    for number, check in enumerate(bank.checks(exercise), start=1):
        yield f"| {number} | {check.title} | {check.group} | {_caught(check, rows)} | {reasons[check.name]} |"


def _matrix(exercise: str, rows: list[Row]) -> Iterator[str]:
    """A line for each way of being named: how many rows, and for each check how many of them it catches."""
    checks = {n: check for n, check in enumerate(bank.checks(exercise), start=1) if _caught(check, rows)}
    named: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        named[" ".join(row.slugs)].append(row)
    width = max(map(len, named), default=0)
    yield "\nMistake by check: how many programs with this name, and under each check how many of them it catches.\n"
    yield "```"
    yield f"{'':{width}}     " + "".join(f"{number:>3}" for number in checks)
    for slugs, group in sorted(named.items()):
        counts = [_caught(check, group) for check in checks.values()]
        yield f"{slugs:{width}} {len(group):>3} " + "".join(f"{count or '·':>3}" for count in counts)
    yield "```"


def all_rows() -> list[Row]:
    torch.set_num_threads(1)
    return [row_of(path) for path in WRONG]


if __name__ == "__main__":
    PAGE.write_text(page(all_rows()), "utf-8")
    print(f"{PAGE} is written.")
