"""The `course` command: the bundle that students get, and the zip that comes back."""

import shutil
import subprocess
import sys
import venv
import zipfile

import pytest
from sample_class import ASSIGNMENT, NOTEBOOKS, ROOT, write_class

from autograder.commands import main
from autograder.release import nbgrader


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """The student bundle, unpacked."""
    from autograder.bundle import build

    folder = tmp_path_factory.mktemp("bundle")
    archive = build(ROOT, ASSIGNMENT, folder)
    with zipfile.ZipFile(archive) as zipped:
        zipped.extractall(folder)
    return folder / ASSIGNMENT


def test_the_bundle_holds_the_release_the_checks_and_a_page(bundle):
    (wheel,) = bundle.glob("*.whl")
    assert wheel.name in (bundle / "BEGIN_HERE.html").read_text("utf-8")
    assert {path.stem for path in (bundle / ASSIGNMENT).glob("*.ipynb")} == set(NOTEBOOKS)
    assert (bundle / ASSIGNMENT / "tiny_lm" / "rope.py").is_file()


def test_the_bundle_holds_no_solution(bundle):
    (wheel,) = bundle.glob("*.whl")
    with zipfile.ZipFile(wheel) as zipped:
        names = zipped.namelist()
        assert "autograder/given/transformer_block/tiny_lm/rope.py" in names
        assert not [
            name for name in names if name.endswith(".ipynb") or "samples" in name or "/source/" in name
        ]


@pytest.mark.slow
def test_the_wheel_alone_checks_a_students_folder(bundle, tmp_path):
    """Installed from the wheel into an environment of its own; torch and pytest are borrowed from this one."""
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    (wheel,) = bundle.glob("*.whl")
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run(install, check=True, capture_output=True, timeout=240)
    (site,) = (tmp_path / "venv").rglob("site-packages")
    borrowed = next(path for path in sys.path if path.endswith("site-packages"))
    # behind the wheel's own folder, and without the editable install of this environment
    (site / "borrowed.pth").write_text(borrowed + "\n")
    done = subprocess.run(
        [
            python,
            "-m",
            "pytest",
            "--pyargs",
            "autograder",
            "--submission",
            ASSIGNMENT,
            "-p",
            "no:cacheprovider",
        ],
        cwd=bundle,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert "not started" in done.stdout, done.stdout + done.stderr
    assert "Next: open transformer_block/rmsnorm.ipynb and write RMSNorm." in done.stdout


def test_a_hand_in_zip_is_collected_and_graded(graded_course, tmp_path):
    """From the student's folder through zip_collect to `submitted/`."""
    course = tmp_path / "course"
    course.mkdir()
    for name in ("source", "release"):
        shutil.copytree(graded_course / name, course / name)
    shutil.copy(graded_course / "nbgrader_config.py", course)
    write_class(course)
    work = course / "submitted" / "ada" / ASSIGNMENT
    home = tmp_path / "home"
    shutil.copytree(work, home / ASSIGNMENT)
    shutil.rmtree(course / "submitted")
    assert main(["hand-in", str(home / ASSIGNMENT), "--student", "ada.l-1"]) == 0
    archive = course / "downloaded" / ASSIGNMENT / "archive"
    archive.mkdir(parents=True)
    shutil.copy(home / f"{ASSIGNMENT}_ada.l-1.zip", archive)
    nbgrader(course, "zip_collect", ASSIGNMENT)
    collected = course / "submitted" / "ada.l-1" / ASSIGNMENT
    assert {path.stem for path in collected.glob("*.ipynb")} == set(NOTEBOOKS)
    for path in collected.glob("*.ipynb"):
        assert path.read_bytes() == (home / ASSIGNMENT / path.name).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["hand-in", "nowhere", "--student", "ada"], "There are no notebooks in nowhere"),
        (["hand-in", ".", "--student", "a/b"], "is no student id"),
        (["bundle", "no_such_assignment"], "There is no release/no_such_assignment"),
        (["release"], "There is no source/"),
    ],
)
def test_a_refusal_is_a_sentence(tmp_path, monkeypatch, capsys, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 1
    assert sentence in capsys.readouterr().err
