"""What a student's cells showed, made harmless for whoever reads the graded notebook.

Only text and pixel images pass: HTML, JavaScript, SVG, LaTeX, Markdown and widgets can act in the reader's
browser, and every such output carries a text beside it. Everything is capped.
"""

import base64
import binascii
from typing import Any

from nbformat.notebooknode import NotebookNode

from autograder.notebook import joined

NOTE = "The author's own output, as it was handed in:\n"
MOST_OUTPUTS = 20  # of one cell
MOST_TEXT = 10_000  # characters of one output
MOST_IMAGE_BYTES = 2**20  # of one image
MOST_OF_ALL = 8 * 2**20  # characters of a notebook's outputs together
_MORE = "\n… (more was handed in than is kept here)"
_IMAGES = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}


class Keeper:
    """Keeps the outputs of one notebook's cells, within one allowance for all of them."""

    def __init__(self) -> None:
        self.left = MOST_OF_ALL

    def keep(self, outputs: Any) -> list[NotebookNode]:
        """The harmless part of a code cell's outputs, whatever they are; a note comes first."""
        if not isinstance(outputs, list):
            return []
        found: list[NotebookNode] = []
        for output in outputs[:MOST_OUTPUTS]:
            kept = _kept(output) if isinstance(output, dict) else None
            size = len(str(kept or ""))
            if kept is not None and size <= self.left:
                self.left -= size
                found.append(kept)
        if len(outputs) > MOST_OUTPUTS:
            found.append(_stream("stdout", _MORE.lstrip("\n")))
        return [_stream("stdout", NOTE), *found] if found else []


def _kept(output: dict[str, Any]) -> NotebookNode | None:
    match output.get("output_type"):
        case "stream":
            return _stream("stdout", _text(output.get("text")))
        case "error":
            return _stream("stdout", f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}")
        case "display_data" | "execute_result":
            data = output.get("data")
            return _shown(data) if isinstance(data, dict) else None
    return None


def _shown(data: dict[str, Any]) -> NotebookNode | None:
    kept = {kind: image for kind in _IMAGES if (image := _image(data.get(kind), kind))}
    if data.get("text/plain"):
        kept["text/plain"] = _text(data["text/plain"])
    if not kept:
        return None
    return NotebookNode(output_type="display_data", data=NotebookNode(kept), metadata=NotebookNode())


def _image(value: Any, kind: str) -> str:
    """The image in plain base64, or nothing: it goes into a page as it is, so every letter counts."""
    text = joined(value) if isinstance(value, str | list) else ""
    if len(text) > MOST_IMAGE_BYTES * 3 // 2:
        return ""
    try:
        image = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return ""
    if len(image) > MOST_IMAGE_BYTES or not image.startswith(_IMAGES[kind]):
        return ""
    return base64.b64encode(image).decode()


def _text(value: Any) -> str:
    text = joined(value) if isinstance(value, str | list) else ""
    text = text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + _MORE
    return text.encode("utf-8", "replace").decode("utf-8")


def _stream(name: str, text: str) -> NotebookNode:
    return NotebookNode(output_type="stream", name=name, text=text)
