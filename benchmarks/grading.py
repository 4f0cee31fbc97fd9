"""What it costs to grade a class: stock nbgrader, this course one by one and on several workers, and the floor.

    python benchmarks/grading.py            10, 100 and 500 submissions
    python benchmarks/grading.py 10 40      other sizes

A submission is one notebook; the students hand in the three notebooks in turn, right, wrong, half finished and
untouched in turn. Stock nbgrader is measured at the smallest size and extrapolated. The floor is the same cells
and checks in one warm process, without a wall and without nbgrader.
"""

import itertools
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from sample_class import ASSIGNMENT, NOTEBOOKS, filled, sample, solutions  # noqa: E402

from autograder.release import CONFIG, environment, new_course  # noqa: E402

WORKERS = 2
AUTOGRADE = ["nbgrader", "autograde", ASSIGNMENT]
STOCK_CONFIG = (
    "c = get_config()\nc.CourseDirectory.course_id = 'stock'\nc.ExecutePreprocessor.timeout = 300\n"
)
FLOOR = """
import time
from pathlib import Path
from autograder import bank
from autograder.loading import find_work, open_here
from autograder.runner import run_all
began = time.monotonic()
for path in sorted(Path("submitted").glob("*/*/*.ipynb")):
    (work,) = find_work(path)
    run_all(bank.checks(work.exercise), open_here(work))
print(time.monotonic() - began)
"""


def answers(number: int, notebook: str) -> dict[str, str]:
    kind = number // len(NOTEBOOKS) % 4
    if kind == 3:
        return {}
    return solutions(notebook) | (sample(("", "lin", "mara")[kind]) if kind else {})


def class_of(size: int, folder: Path, config: str = "") -> Path:
    """A course with so many submissions, nothing graded."""
    new_course(ROOT, ASSIGNMENT, folder)
    if config:
        (folder / CONFIG).write_text(config)
    for number in range(size):
        notebook = NOTEBOOKS[number % len(NOTEBOOKS)]
        submission = folder / "submitted" / f"s{number:04}" / ASSIGNMENT
        submission.mkdir(parents=True)
        work = filled(folder / "release" / ASSIGNMENT / f"{notebook}.ipynb", answers(number, notebook))
        (submission / f"{notebook}.ipynb").write_text(json.dumps(work))
    return folder


def measured(size: int, command: list[str], config: str = "") -> float:
    """Seconds that the command takes on a class of this size."""
    with tempfile.TemporaryDirectory() as name:
        folder = class_of(size, Path(name), config)
        began = time.monotonic()
        done = subprocess.run(
            command, cwd=folder, env=environment(), capture_output=True, text=True, check=False
        )
        seconds = time.monotonic() - began
        if done.returncode:
            raise SystemExit(done.stderr[-2000:])
        return float(done.stdout) if command[0] == sys.executable else seconds


def slope(times: dict[int, float]) -> tuple[float, float]:
    """Seconds for one more submission, between the smallest and the largest size, and for starting up."""
    sizes = sorted(times)
    each = (times[sizes[-1]] - times[sizes[0]]) / (sizes[-1] - sizes[0])
    return each, times[sizes[0]] - sizes[0] * each


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or [10, 100, 500]
    small = sizes[0]
    ways = {
        "this course, one by one": AUTOGRADE,
        f"this course, {WORKERS} workers": ["course", "grade", ASSIGNMENT, "--workers", str(WORKERS)],
        "the floor": [sys.executable, "-c", FLOOR],
    }
    stock = {size: measured(size, AUTOGRADE, STOCK_CONFIG) for size in (1, small)}
    stock_each, stock_start = slope(stock)
    print(
        f"{'':<26}" + "".join(f"{size:>12}" for size in sizes) + f"{'each':>10}{'start-up':>10}{'ratio':>8}"
    )
    extrapolated = [
        f"{stock_start + size * stock_each:.1f} s{'*' if size != small else ''}" for size in sizes
    ]
    print(
        f"{'stock nbgrader':<26}"
        + "".join(f"{text:>12}" for text in extrapolated)
        + f"{stock_each:>8.2f} s{stock_start:>8.1f} s{1:>8}"
    )
    for way, command in ways.items():
        times = {size: measured(size, command) for size in sizes}
        each, start = slope(times)
        print(
            f"{way:<26}"
            + "".join(f"{times[size]:>10.1f} s" for size in sizes)
            + f"{each:>8.2f} s{max(start, 0):>8.1f} s{stock_each / each:>8.1f}"
        )
        for one, two in itertools.pairwise(sizes):
            between = (times[two] - times[one]) / (two - one)
            print(f"{'':<26}  from {one} to {two}: {between:.3f} s each")
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(
        f"* extrapolated. ratio: stock's cost of one more submission to this one's. Largest process: {largest:.0f} MiB."
    )


if __name__ == "__main__":
    main()
