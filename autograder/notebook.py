"""Reading submissions as plain JSON or Python text: no nbformat, which costs as much time as torch."""

import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST_BYTES = 50 * 2**20


class Unreadable(Exception):
    """A submission that cannot be read; the text is a sentence for its author."""


@dataclass(frozen=True)
class Cell:
    """A code cell. `label` names it in messages; `role` is setup, solution, own, grade or demo."""

    label: str
    source: str
    role: str


def read_notebook(path: Path) -> dict[str, Any]:
    """The notebook's JSON with a list of cells. Raises Unreadable."""
    try:
        data = _bytes_of(path)
        if not data.strip():
            raise Unreadable(f"{path} is empty. Hand in a copy that opens in JupyterLab.")
        notebook = json.loads(data.decode("utf-8-sig"))
    except OSError as error:
        raise Unreadable(f"{path} could not be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Unreadable(f"{path} is not UTF-8 text, so it is not a notebook.") from error
    except json.JSONDecodeError as error:
        raise Unreadable(
            f"{path} is not a notebook: its JSON breaks off or goes wrong at line {error.lineno}. "
            "Save it again from JupyterLab, or hand in a copy that opens there."
        ) from error
    except (RecursionError, ValueError) as error:
        raise Unreadable(
            f"{path} is not a notebook: its JSON is nested too deeply or has impossible numbers."
        ) from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if cells is None and isinstance(notebook, dict) and "worksheets" in notebook:
        raise Unreadable(
            f"{path} is a notebook of the old format {notebook.get('nbformat', 3)!s:.8}. "
            "Open it in JupyterLab and save it again."
        )
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise Unreadable(f"{path} has no list of cells. Is it a notebook of format 4?")
    return notebook


def _bytes_of(path: Path) -> bytes:
    """What is in the file. A pipe or a device is never waited for, and no more is read than may be there."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Unreadable(f"{path} is not an ordinary file.")
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise Unreadable(
            f"{path} is larger than {MOST_BYTES // 2**20} MiB. Clear its outputs and save it again."
        )
    return data


def code_cells(notebook: dict[str, Any]) -> list[Cell]:
    """The code cells of a notebook in order, each with its role."""
    found = []
    for number, cell in enumerate(notebook["cells"], start=1):
        if cell.get("cell_type") == "code":
            label = grade_id(cell) or f"cell {number}"
            found.append(Cell(label, joined(cell.get("source", "")), role(cell)))
    return found


def to_run(cells: list[Cell]) -> list[Cell]:
    """What a submission consists of: the setup, the answers and the author's own cells."""
    return [cell for cell in cells if cell.role in ("setup", "solution", "own")]


def nbgrader_of(cell: dict[str, Any]) -> dict[str, Any]:
    metadata = cell.get("metadata")
    facts = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return facts if isinstance(facts, dict) else {}


def grade_id(cell: dict[str, Any]) -> str:
    """The cell's nbgrader id, empty for a cell that has none."""
    name = nbgrader_of(cell).get("grade_id")
    return name if isinstance(name, str) else ""


def role(cell: dict[str, Any]) -> str:
    facts = nbgrader_of(cell)
    if facts.get("solution"):
        return "solution"
    if facts.get("grade"):
        return "grade"
    if facts.get("locked"):
        return "setup" if grade_id(cell).endswith("-setup") else "demo"
    return "own"


def joined(source: Any) -> str:
    """A cell's text, which JSON holds as one string or as a list of lines."""
    return "".join(str(line) for line in source) if isinstance(source, list) else str(source)
