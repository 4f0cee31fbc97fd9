"""Without a wall, grading for marks refuses; these tests run on every Linux machine, with or without one."""

import os
import sys

import pytest
from sample_class import ASSIGNMENT

from autograder import bank, wall
from autograder.commands import main
from autograder.confined import Children

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there the sentence is another")
GIVEN = str(bank.given_folder(ASSIGNMENT))


def test_without_bubblewrap_marks_are_refused(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(wall.NoWall, match=r"bubblewrap is missing.*apt install bubblewrap"):
        Children().start(GIVEN)


def test_a_bubblewrap_that_does_not_work_is_refused(monkeypatch, tmp_path):
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(wall.NoWall, match="No permissions to create new namespace"):
        Children().start(GIVEN)


def test_doctor_says_so_and_fails(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["doctor"]) == 1
    said = capsys.readouterr()
    assert "bubblewrap  missing" in said.out and "marks are refused" in said.out
    assert "apt install bubblewrap" in said.err
