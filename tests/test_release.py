"""`release/` is what nbgrader makes of `source/`, gives nothing away, and never loses answers."""

import json
import shutil

import pytest
from conftest import read
from sample_class import ASSIGNMENT, NOTEBOOKS, ROOT, filled, solutions

from autograder.release import CONFIG, Refused, _files, nbgrader, regenerate

RELEASE = ROOT / "release" / ASSIGNMENT
SOURCE = ROOT / "source" / ASSIGNMENT


def test_generating_twice_gives_the_bytes_in_release(graded_course):
    made = graded_course / "release" / ASSIGNMENT
    assert _files(made) == _files(RELEASE)
    for name in _files(made):
        assert (made / name).read_bytes() == (RELEASE / name).read_bytes(), f"{name}: run `course release`"
    nbgrader(graded_course, "generate_assignment", ASSIGNMENT, "--force")
    for name in _files(made):
        assert (made / name).read_bytes() == (RELEASE / name).read_bytes(), name


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_the_release_gives_nothing_away(notebook):
    text = (RELEASE / f"{notebook}.ipynb").read_text("utf-8")
    for marker in ("BEGIN SOLUTION", "HIDDEN TESTS", "MARK SCHEME"):
        assert marker in (SOURCE / f"{notebook}.ipynb").read_text("utf-8") or marker != "BEGIN SOLUTION"
        assert marker not in text
    released = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    lines = [line.strip() for secret in secrets(notebook) for line in secret.splitlines()]
    for line in lines:
        if len(line) > 12 and not line.startswith("super()"):
            assert line not in released, line


def secrets(notebook: str) -> list[str]:
    """Everything between nbgrader's markers in a source notebook."""
    found, inside = [], False
    for cell in read(SOURCE / f"{notebook}.ipynb")["cells"]:
        for line in "".join(cell["source"]).split("\n"):
            if "### BEGIN " in line:
                inside = True
            elif "### END " in line:
                inside = False
            elif inside:
                found.append(line)
    assert found
    return found


def test_some_tests_are_hidden_and_there_is_a_mark_scheme():
    text = (SOURCE / "transformer_block.ipynb").read_text("utf-8")
    assert "### BEGIN HIDDEN TESTS" in text and "### BEGIN MARK SCHEME" in text


@pytest.mark.parametrize("folder", ["source", "release"])
@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_notebooks_are_kept_without_outputs_and_with_fixed_ids(folder, notebook):
    cells = read(ROOT / folder / ASSIGNMENT / f"{notebook}.ipynb")["cells"]
    ids = [cell["id"] for cell in cells]
    assert len(set(ids)) == len(ids)
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None, cell["id"]


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_given_code_cells_are_locked_short_and_of_a_known_kind(notebook):
    for cell in read(SOURCE / f"{notebook}.ipynb")["cells"]:
        facts = cell["metadata"].get("nbgrader")
        if cell["cell_type"] == "code":
            assert facts, (
                f"{cell['id']}: a given code cell without nbgrader's metadata would count as a student's own"
            )
            assert facts["grade_id"].startswith(f"{notebook}-")
            if not facts["solution"]:
                assert facts["locked"] and len(cell["source"]) <= 20, cell["id"]


@pytest.fixture
def copy(tmp_path):
    """A copy of what regenerating needs."""
    for folder in ("source", "release"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copy(ROOT / CONFIG, tmp_path / CONFIG)
    return tmp_path


@pytest.mark.parametrize("work", ["answer", "own cell", "written answer", "broken"])
def test_regenerating_refuses_to_overwrite_answers(copy, work):
    path = copy / "release" / ASSIGNMENT / "transformer_block.ipynb"
    notebook = read(path)
    if work == "answer":
        notebook = filled(path, solutions("transformer_block"))
    elif work == "own cell":
        notebook["cells"].append(
            {
                "cell_type": "code",
                "id": "mine",
                "metadata": {},
                "source": ["x = 1"],
                "outputs": [],
                "execution_count": None,
            }
        )
    elif work == "written answer":
        (cell,) = [cell for cell in notebook["cells"] if cell["id"].startswith("answer-")]
        cell["source"] = ["No, because ..."]
    text = json.dumps(notebook) if work != "broken" else path.read_text("utf-8")[:5000]
    path.write_text(text, "utf-8")
    with pytest.raises(Refused, match=r"transformer_block\.ipynb"):
        regenerate(copy, ASSIGNMENT)
    assert path.read_text("utf-8") == text


def test_regenerating_brings_an_untouched_release_in_step(copy):
    (copy / "release" / ASSIGNMENT / "rmsnorm.ipynb").unlink()
    (copy / "release" / ASSIGNMENT / "left_over.py").write_text("")
    assert regenerate(copy, ASSIGNMENT) == ["left_over.py", "rmsnorm.ipynb"]
    assert _files(copy / "release" / ASSIGNMENT) == _files(RELEASE)
