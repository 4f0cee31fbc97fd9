"""The `course` command: what the instructor and the student need beside nbgrader and pytest."""

import argparse
import sys
from pathlib import Path


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="course", description="The course's own commands.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    release = commands.add_parser(
        "release", help="bring release/ in step with source/; refuses when answers would be lost"
    )
    release.set_defaults(run=_release)

    bundle = commands.add_parser("bundle", help="build the zip that students get")
    bundle.add_argument("assignment")
    bundle.set_defaults(run=_bundle)

    hand_in = commands.add_parser("hand-in", help="zip your work so that it can be collected")
    hand_in.add_argument("folder", type=Path, help="the assignment's folder with your notebooks")
    hand_in.add_argument("--student", required=True, help="your student id")
    hand_in.set_defaults(run=_hand_in)

    grade = commands.add_parser("grade", help="grade a whole class at once; 1 when somebody is left")
    grade.add_argument("assignment")
    grade.add_argument("--student", action="append", help="only this student, anew; may be repeated")
    grade.add_argument("--exercise", action="append", help="only this exercise, anew; may be repeated")
    grade.add_argument(
        "--workers", type=int, default=0, help="worker processes; as many as cores if left out"
    )
    grade.add_argument(
        "--scheduler", default="", help="address of a dask scheduler, over TLS or on this machine"
    )
    grade.set_defaults(run=_grade)

    doctor = commands.add_parser(
        "doctor", help="show whether this machine can grade for marks; 1 when it cannot"
    )
    doctor.set_defaults(run=_doctor)

    options = parser.parse_args(arguments)
    from autograder.release import Refused

    try:
        options.run(options)
    except Refused as refusal:
        print(refusal, file=sys.stderr)
        return 1
    return 0


def _release(options: argparse.Namespace) -> None:
    from autograder.release import Refused, assignments, regenerate

    root = Path.cwd()
    if not (root / "source").is_dir():
        raise Refused(f"There is no source/ in {root}. Run this in the course's folder.")
    for assignment in assignments(root):
        changed = regenerate(root, assignment)
        print(f"release/{assignment}: " + (", ".join(changed) if changed else "in step with the source"))


def _bundle(options: argparse.Namespace) -> None:
    from autograder.bundle import build

    print(build(Path.cwd(), options.assignment, Path("bundle")))


def _hand_in(options: argparse.Namespace) -> None:
    from autograder.bundle import hand_in

    print(f"Hand in {hand_in(options.folder, options.student)}")


def _grade(options: argparse.Namespace) -> None:
    from autograder.classroom import grade_class, progress_line, summary
    from autograder.release import Refused

    outcome = grade_class(
        options.assignment,
        students=options.student,
        exercises=options.exercise,
        scheduler=options.scheduler,
        workers=options.workers,
        progress=progress_line,
    )
    print(summary(outcome))
    if outcome.left:
        raise Refused(f"{len(outcome.left)} of {len(outcome.marks) or len(outcome.left)} students are left.")


def _doctor(options: argparse.Namespace) -> None:
    from autograder.doctor import examine
    from autograder.release import Refused

    lines, refusal = examine()
    print("\n".join(lines))
    if refusal:
        raise Refused(refusal)


if __name__ == "__main__":
    sys.exit(main())
