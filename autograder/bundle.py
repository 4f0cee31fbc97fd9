"""What students of a class get: the release, the checks as a wheel, and a page on how to begin."""

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from autograder.release import IGNORED, Refused, holds_answers

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Begin here: {assignment}</title>
<style>body {{ font: 17px/1.5 system-ui, sans-serif; max-width: 42em; margin: 3em auto; padding: 0 1em }}
code {{ background: #8882; padding: .1em .3em; border-radius: 4px }}
pre {{ background: #8882; padding: .8em; border-radius: 4px; overflow-x: auto }}</style></head><body>
<h1>Begin here: {assignment}</h1>
<h2>1. Install, once</h2>
<p>You need Python 3.11, 3.12 or 3.13. Open a terminal in this folder and type:</p>
<pre>python -m venv .venv
.venv/bin/pip install {wheel}</pre>
<p>On Windows, write <code>.venv\\Scripts\\pip</code> in place of <code>.venv/bin/pip</code>, here and below.</p>
<h2>2. Work</h2>
<pre>.venv/bin/jupyter lab {assignment}</pre>
<p>The notebooks, in this order: {notebooks}. Each says what to write and for how many points. Run the check
cell under a task as often as you like: it tells what was called, what came and what was expected. Save before
you check in the terminal, which shows all notebooks at once:</p>
<pre>.venv/bin/pytest --pyargs autograder --submission {assignment}</pre>
<h2>3. Hand in</h2>
<p>If your class has a JupyterHub with an exchange, submit from its Assignments tab, or type
<code>nbgrader submit {assignment}</code>. Otherwise make a zip and upload or send it as your teacher asks:</p>
<pre>.venv/bin/course hand-in {assignment} --student YOUR_ID</pre>
<p>Unfinished work may be handed in: every part is graded on its own.</p>
</body></html>
"""


def build(root: Path, assignment: str, into: Path) -> Path:
    """Write `<assignment>.zip` into a folder; its path. Raises Refused when the release is missing or used."""
    release = root / "release" / assignment
    if not release.is_dir():
        raise Refused(f"There is no release/{assignment}. `course release` makes it.")
    answered = [path.name for path in release.glob("*.ipynb") if holds_answers(path)]
    if answered:
        raise Refused(f"{', '.join(answered)} in {release} holds answers; students would get them.")
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / assignment
        shutil.copytree(release, bundle / assignment, ignore=IGNORED)
        command = [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--wheel-dir",
            str(bundle),
            str(root),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Refused(f"The wheel could not be built:\n{done.stderr}")
        (wheel,) = bundle.glob("*.whl")
        names = ", ".join(path.name for path in _in_order(release))
        page = PAGE.format(assignment=assignment, wheel=wheel.name, notebooks=names)
        (bundle / "BEGIN_HERE.html").write_text(page, "utf-8")
        into.mkdir(parents=True, exist_ok=True)
        return Path(shutil.make_archive(str(into / assignment), "zip", folder, assignment))


def hand_in(folder: Path, student: str) -> Path:
    """Zip a student's folder for `nbgrader zip_collect`; the zip's path, beside the folder."""
    if not re.fullmatch(r"[A-Za-z0-9.-]+", student):
        raise Refused(f"{student!r} is no student id: letters, digits, dots and hyphens only.")
    notebooks = sorted(folder.glob("*.ipynb"))
    if not notebooks:
        raise Refused(f"There are no notebooks in {folder}.")
    name = f"{folder.resolve().name}_{student}"
    target = folder.resolve().parent / f"{name}.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in notebooks:
            archive.write(path, path.name)
    return target


def _in_order(release: Path) -> list[Path]:
    from autograder import bank

    order = bank.exercises()
    return sorted(
        release.glob("*.ipynb"), key=lambda path: order.index(path.stem) if path.stem in order else 99
    )
