"""The one bank of checks: functions in `test_<exercise>.py`, each with points, a group and a title."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent


@dataclass(frozen=True)
class Check:
    """A check. `about` is the name in the submission that it asks for; `shows` is its docstring."""

    exercise: str
    name: str
    group: str
    points: float
    title: str
    shows: str
    about: str
    run: Callable


def graded(points: float, group: str, title: str, about: str = "") -> Callable[[Callable], Callable]:
    """Make a function a check. `about` is the name it asks for, the exercise's class where it is left out."""

    def mark(function: Callable) -> Callable:
        function.graded = {"points": float(points), "group": group, "title": title, "about": about}
        return function

    return mark


def exercises() -> list[str]:
    """The exercises in the order in which they are taught."""
    modules = [importlib.import_module(f"autograder.{path.stem}") for path in ROOT.glob("test_*.py")]
    return [module.__name__.removeprefix("autograder.test_") for module in sorted(modules, key=_position)]


def _position(module: object) -> tuple[str, int]:
    return module.ASSIGNMENT, module.POSITION


def module_of(exercise: str) -> object:
    """The module of an exercise's checks. Raises KeyError when there is no such exercise."""
    if not (ROOT / f"test_{exercise}.py").is_file():
        raise KeyError(exercise)
    return importlib.import_module(f"autograder.test_{exercise}")


def checks(exercise: str, group: str | None = None) -> list[Check]:
    """The checks of an exercise, or of one of its groups, in the order in which they stand in the file."""
    module = module_of(exercise)
    found = [
        as_check(exercise, function)
        for function in vars(module).values()
        if getattr(function, "__module__", None) == module.__name__ and hasattr(function, "graded")
    ]
    return [check for check in found if group in (None, check.group)]


def as_check(exercise: str, function: Callable) -> Check:
    facts = dict(function.graded)
    facts["about"] = facts["about"] or module_of(exercise).CLASS
    return Check(
        exercise=exercise, name=function.__name__, shows=function.__doc__ or "", run=function, **facts
    )


def split_grade_id(grade_id: str) -> tuple[str, str] | None:
    """`rmsnorm-eps` as its exercise and its group; None when no check belongs to it."""
    exercise, _, group = grade_id.partition("-")
    if not group or not (ROOT / f"test_{exercise}.py").is_file():
        return None
    return (exercise, group) if checks(exercise, group) else None


def given_folder(assignment: str) -> Path:
    """The course's own copy of an assignment's helpers: beside this file in the wheel, else in `source/`."""
    packed = ROOT / "given" / assignment
    return packed if packed.is_dir() else ROOT.parent / "source" / assignment
