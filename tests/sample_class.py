"""A small class of students, written into the `submitted/` folder of a course.

ada     everything right: the instructor's solution
lin     one typical mistake in each exercise: LayerNorm, no causal mask, Post-Norm
mara    half finished: eps outside the root in the first notebook, nothing in the other two
noor    untouched
olga    all right, but one notebook is cut off in the middle
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
SAMPLES = Path(__file__).parent / "samples"
ASSIGNMENT = "transformer_block"
NOTEBOOKS = ("rmsnorm", "causal_self_attention", "transformer_block")


def solutions(notebook: str, assignment: str = ASSIGNMENT) -> dict[str, str]:
    """The instructor's text of every solution cell, by its id."""
    cells = json.loads((ROOT / "source" / assignment / f"{notebook}.ipynb").read_text("utf-8"))["cells"]
    return {
        cell["metadata"]["nbgrader"]["grade_id"]: "".join(cell["source"])
        for cell in cells
        if cell["metadata"].get("nbgrader", {}).get("solution")
    }


def sample(student: str) -> dict[str, str]:
    """The answers that are written out under `samples/<student>/`, by the id of the cell."""
    return {path.stem: path.read_text("utf-8") for path in sorted((SAMPLES / student).glob("*.py"))}


def filled(release: Path, answers: dict[str, str]) -> dict:
    """A release notebook with answers in its solution cells."""
    notebook = json.loads(release.read_text("utf-8"))
    for cell in notebook["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if name in answers:
            cell["source"] = answers[name].splitlines(keepends=True)
    return notebook


def hand_in(course: Path, student: str, answers: Callable[[str], dict[str, str]]) -> Path:
    """Write a student's three notebooks; `answers` gives the answers for a notebook's name."""
    folder = course / "submitted" / student / ASSIGNMENT
    folder.mkdir(parents=True)
    release = course / "release" / ASSIGNMENT
    shutil.copytree(release / "tiny_lm", folder / "tiny_lm")
    for name in NOTEBOOKS:
        notebook = filled(release / f"{name}.ipynb", answers(name))
        (folder / f"{name}.ipynb").write_text(json.dumps(notebook, indent=1), "utf-8")
    return folder


def write_class(course: Path) -> None:
    """All five students. The course's release must be there."""
    hand_in(course, "ada", solutions)
    hand_in(course, "lin", lambda name: solutions(name) | sample("lin"))
    hand_in(course, "mara", lambda name: solutions(name) | sample("mara") if name == "rmsnorm" else {})
    hand_in(course, "noor", lambda name: {})
    broken = hand_in(course, "olga", solutions) / "causal_self_attention.ipynb"
    broken.write_text(broken.read_text("utf-8")[:20_000], "utf-8")
