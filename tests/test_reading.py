"""A file that is no notebook is refused with a sentence of its own, and never waited for."""

import json
import os

import pytest

from autograder.notebook import MOST_BYTES, Unreadable, read_notebook


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b'{"cells": [', "breaks off"),
        (b"\x00" * 100, "goes wrong"),
        (b"\xff\xfe{}", "not UTF-8"),
        (json.dumps({"nbformat": 3, "worksheets": [{"cells": []}]}).encode(), "old format 3"),
        (b"[]", "no list of cells"),
        (b'{"cells": [1]}', "no list of cells"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"cells": [], "x": ' + b"9" * 5000 + b"}", "impossible numbers"),
    ],
)
def test_a_broken_file_is_told_its_own_cause(tmp_path, data, words):
    path = tmp_path / "rmsnorm.ipynb"
    path.write_bytes(data)
    with pytest.raises(Unreadable, match=words):
        read_notebook(path)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "rmsnorm.ipynb")
    with pytest.raises(Unreadable, match="not an ordinary file"):
        read_notebook(tmp_path / "rmsnorm.ipynb")


def test_a_huge_file_is_refused(tmp_path):
    path = tmp_path / "rmsnorm.ipynb"
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(Unreadable, match="larger than"):
        read_notebook(path)


def test_a_mark_at_the_beginning_and_windows_line_ends_are_fine(tmp_path):
    path = tmp_path / "rmsnorm.ipynb"
    path.write_bytes(b'\xef\xbb\xbf{"cells":\r\n[]}')
    assert read_notebook(path) == {"cells": []}
