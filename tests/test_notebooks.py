"""The notebooks in a real kernel: every solution runs from top to bottom, and validation tells stubs apart."""

import json

import pytest
from sample_class import ASSIGNMENT, NOTEBOOKS, ROOT, filled, solutions


@pytest.mark.parametrize("exercise", NOTEBOOKS)
def test_the_solution_runs_from_top_to_bottom_with_full_marks(tmp_path, exercise):
    """Demonstrations included, with the notebook's own door; nothing is written to stderr."""
    import nbformat
    from nbclient import NotebookClient
    from nbgrader.utils import determine_grade, is_grade

    (tmp_path / "tiny_lm").symlink_to(ROOT / "source" / ASSIGNMENT / "tiny_lm")
    for other in NOTEBOOKS:  # the last notebook reads the other two
        notebook = filled(ROOT / "release" / ASSIGNMENT / f"{other}.ipynb", solutions(other))
        (tmp_path / f"{other}.ipynb").write_text(json.dumps(notebook), "utf-8")
    notebook = nbformat.read(tmp_path / f"{exercise}.ipynb", as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            assert output.get("name") != "stderr", output["text"]
        if cell.cell_type == "code" and is_grade(cell):
            points, most = determine_grade(cell)
            assert points == most, cell.outputs
        if cell.id == "demo-own-parts":
            text = "".join(output.get("text", "") for output in cell.outputs)
            assert "41,088 parameters" in text and "difference to an independent implementation" in text


def test_validation_tells_the_solution_from_the_stub(tmp_path):
    """What JupyterLab's Validate button runs."""
    from nbgrader.validator import Validator

    path = tmp_path / "rmsnorm.ipynb"
    for part, answers in (("solution", solutions("rmsnorm")), ("stub", {})):
        notebook = filled(ROOT / "release" / ASSIGNMENT / path.name, answers)
        notebook["cells"] = [cell for cell in notebook["cells"] if not _is_demo(cell)]  # they only take time
        path.write_text(json.dumps(notebook), "utf-8")
        found = Validator(ignore_checksums=True).validate(str(path))
        assert bool(found.get("failed")) == (part == "stub"), found


def _is_demo(cell: dict) -> bool:
    return "-demo-" in cell["metadata"].get("nbgrader", {}).get("grade_id", "")
