"""`pytest autograder` as a learner types it."""

import json
import subprocess
import sys

import pytest
from sample_class import ASSIGNMENT, NOTEBOOKS, ROOT, filled, sample, solutions

RELEASE = ROOT / "release" / ASSIGNMENT


def run(*arguments, cwd=ROOT):
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=240, check=False)


def write(folder, answers=solutions, notebooks=NOTEBOOKS):
    for name in notebooks:
        (folder / f"{name}.ipynb").write_text(
            json.dumps(filled(RELEASE / f"{name}.ipynb", answers(name))), "utf-8"
        )
    return folder


def test_what_stands_in_release_is_not_started_and_says_where_to_begin():
    done = run("autograder")
    assert done.returncode == 1
    assert "FAILURES" not in done.stdout, "no wall of red for an untouched notebook"
    assert "not started" in done.stdout
    assert "Next: open release/transformer_block/rmsnorm.ipynb and write RMSNorm." in done.stdout


def test_full_marks_are_a_success_and_the_report_tells_everything(tmp_path):
    done = run("autograder", "--submission", write(tmp_path), "--report", tmp_path / "report.json")
    assert done.returncode == 0, done.stdout
    rows = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert sum(row["points"] for row in rows) == sum(row["max_points"] for row in rows) == 80
    keys = {"exercise", "group", "name", "title", "points", "max_points", "status", "message", "mistakes"}
    assert all(set(row) == keys for row in rows)
    assert {row["status"] for row in rows} == {"passed"}


def test_a_mistake_is_told_and_the_other_exercises_are_graded(tmp_path):
    folder = write(tmp_path, lambda name: solutions(name) | (sample("lin") if name == "rmsnorm" else {}))
    done = run("autograder", "--submission", folder, "--report", tmp_path / "report.json")
    assert done.returncode == 1
    assert "called    RMSNorm(2)([3, 4])" in done.stdout
    assert done.stdout.index("the course") > done.stdout.index("FAILURES"), "the table comes last"
    rows = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert {row["exercise"] for row in rows if row["status"] != "passed"} == {"rmsnorm"}


def test_a_single_notebook_and_a_renamed_one(tmp_path):
    write(tmp_path, notebooks=["rmsnorm"])
    renamed = (tmp_path / "rmsnorm.ipynb").rename(tmp_path / "rmsnorm (1).ipynb")
    done = run("autograder", "--submission", renamed)
    assert done.returncode == 0, done.stdout
    assert "causal_self_attention" not in done.stdout.split("the course")[1]


def test_a_python_file_is_checked_for_what_it_defines(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "import torch\nfrom torch import Tensor, nn\n" + solutions("rmsnorm")["rmsnorm-class"], "utf-8"
    )
    done = run("autograder", "--submission", path)
    assert done.returncode == 0, done.stdout
    assert "20 of 20" in done.stdout


def test_an_exercise_that_does_not_load_does_not_hide_the_others(tmp_path):
    write(tmp_path)
    path = tmp_path / "causal_self_attention.ipynb"
    notebook = json.loads(path.read_text("utf-8"))
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "causal_self_attention-class":
            cell["source"] = ["class CausalSelfAttention(nn.Module:\n", "    pass"]
    path.write_text(json.dumps(notebook), "utf-8")
    done = run("autograder", "--submission", tmp_path, "--report", tmp_path / "report.json")
    rows = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert {row["exercise"] for row in rows if row["status"] == "error"} == {"causal_self_attention"}
    message = next(row["message"] for row in rows if row["status"] == "error")
    assert "SyntaxError" in message and "class CausalSelfAttention(nn.Module:" in message
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("missing.ipynb", None, "There is no "),
        ("rmsnorm.txt", "", "is neither a notebook"),
        ("empty.py", "", "defines none of RMSNorm"),
        ("broken.py", "def f(:\n", "SyntaxError"),
        ("other.ipynb", "{}", "has no list of cells"),
        ("other.ipynb", '{"cells": []}', "has no check cells of this course"),
        ("other.ipynb", '{"cells": [', "is not a notebook: its JSON breaks off"),
        ("folder", None, "There is no notebook of the course"),
    ],
)
def test_bad_input_gets_a_sentence_and_no_traceback(tmp_path, name, content, sentence):
    path = tmp_path / name
    if name == "folder":
        path.mkdir()
    elif content is not None:
        path.write_text(content, "utf-8")
    done = run("autograder", "--submission", path)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    said = done.stdout + done.stderr
    assert sentence in said and "Traceback" not in said and "INTERNALERROR" not in said


def test_a_submission_folder_cannot_bring_its_own_pytest_files(tmp_path):
    write(tmp_path, notebooks=["rmsnorm"], answers=lambda name: {})
    (tmp_path / "conftest.py").write_text("raise SystemExit('conftest of the submission')", "utf-8")
    done = run("autograder", "--submission", tmp_path)
    assert "conftest of the submission" not in done.stdout + done.stderr
    assert done.returncode == 1


def test_the_checks_are_found_by_the_package_name(tmp_path):
    write(tmp_path)
    done = run("--pyargs", "autograder", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Everything passes" in done.stdout
