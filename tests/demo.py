"""The main job on a small class: generate, grade, give feedback, and show what came of it."""

import shutil
import sys

from sample_class import ASSIGNMENT, NOTEBOOKS, ROOT, write_class

from autograder.release import CONFIG, nbgrader, new_course

COURSE = ROOT / "demo"
READ_AS = {
    "ada": "everything right",
    "lin": "one mistake in each",
    "mara": "half finished",
    "noor": "untouched",
}


def main() -> None:
    if COURSE.exists():
        shutil.rmtree(COURSE)
    COURSE.mkdir()
    step("Generating the release in a course of its own")
    new_course(ROOT, ASSIGNMENT, COURSE)
    with (COURSE / CONFIG).open("a") as config:
        config.write("c.TrustedGrader.unwalled = True  # the demo grades its own samples\n")
    write_class(COURSE)
    step("Grading five students with `nbgrader autograde`")
    nbgrader(COURSE, "autograde", ASSIGNMENT)
    step("Writing the feedback pages with `nbgrader generate_feedback`")
    nbgrader(COURSE, "generate_feedback", ASSIGNMENT)
    show_marks()
    print(
        f"\nFeedback pages: {(COURSE / 'feedback').relative_to(ROOT)}/<student>/{ASSIGNMENT}/<notebook>.html"
    )
    print(f"Look around:    cd {COURSE.relative_to(ROOT)} and type any nbgrader command")


def step(text: str) -> None:
    print(f"{text} …", flush=True)


def show_marks() -> None:
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{COURSE / 'gradebook.db'}") as gradebook:
        students = sorted(gradebook.students, key=lambda student: student.id)
        print(f"\n{'student':<8}" + "".join(f"{name:>24}" for name in NOTEBOOKS) + f"{'sum':>10}")
        for student in students:
            submission = gradebook.find_submission(ASSIGNMENT, student.id)
            row = {notebook.name: notebook for notebook in submission.notebooks}
            marks = "".join(f"{_mark(row[name]):>24}" for name in NOTEBOOKS)
            print(
                f"{student.id:<8}{marks}{submission.score:>10g}  {READ_AS.get(student.id, 'one broken notebook')}"
            )
    print("\nThe question at the end of transformer_block (4 points) waits for a human in the formgrader.\n")
    for student in students:
        for name in NOTEBOOKS:
            for line in reasons(student.id, name):
                print(f"{student.id:<6} {name:<22} {line}")


def _mark(notebook: object) -> str:
    return f"{notebook.score:g} of {notebook.max_score:g}"


def reasons(student: str, notebook: str) -> list[str]:
    """The first failed check of a graded notebook, or why it was not graded."""
    import json

    path = COURSE / "autograded" / student / ASSIGNMENT / f"{notebook}.ipynb"
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        facts = cell["metadata"].get("nbgrader", {})
        if not facts.get("grade") or not cell.get("outputs"):
            continue
        lines = "".join(cell["outputs"][0]["data"]["text/plain"]).split("\n")
        failed = [line for line in lines if line.startswith("✗")]
        if failed:
            named = [line.strip() for line in lines if line.strip().startswith("Likely:")]
            return [failed[0], *(f"  {line}" for line in named[:1])]
        if not lines[0].endswith("points"):
            return [lines[0]]
    return []


if __name__ == "__main__":
    sys.exit(main())
