"""What is earned and what is next: under the last check, and remembered between runs."""

import json

import pytest
from conftest import read, work_of
from sample_class import NOTEBOOKS, ROOT, sample, solutions
from test_notebook_door import notebook, points

from autograder import afterwards, bank, progress
from autograder.loading import open_here
from autograder.notebook import grade_id
from autograder.runner import run_all


@pytest.fixture(autouse=True)
def empty_memory(tmp_path, monkeypatch):
    """A memory of its own, and a folder to work in."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    course = tmp_path / "course" / "transformer_block"
    course.mkdir(parents=True)
    monkeypatch.chdir(course)
    return course


def results(exercise, answers=None):
    return run_all(bank.checks(exercise), open_here(work_of(exercise, answers)))


@pytest.mark.parametrize("exercise", bank.exercises())
def test_the_last_group_of_the_file_is_the_last_check_of_the_notebook(exercise):
    path = ROOT / "release" / bank.module_of(exercise).ASSIGNMENT / f"{exercise}.ipynb"
    named = [bank.split_grade_id(grade_id(cell)) for cell in read(path)["cells"]]
    groups = [name[1] for name in named if name]
    assert afterwards.is_last(exercise, groups[-1])
    assert groups == list(dict.fromkeys(check.group for check in bank.checks(exercise)))


def test_only_the_last_check_sums_up(capsys):
    namespace = notebook("\n".join(solutions("rmsnorm").values()))
    assert points(namespace, "rmsnorm-eps") == 4.0
    assert "Next" not in capsys.readouterr().out
    assert points(namespace, "rmsnorm-question") == 2.0
    said = capsys.readouterr().out
    assert "rmsnorm: all 24 points" in said and "Usually:" in said
    assert "Next: causal_self_attention.ipynb." in said


def test_who_is_not_done_gets_the_next_step_and_no_solution():
    found = results("rmsnorm", solutions("rmsnorm") | sample("mara"))
    for told in (afterwards.text(found, progress.Path()), afterwards.page(found, progress.Path())):
        assert "Next: eps, “eps is added to the mean of the squares, under the root”." in told
        assert "Usually" not in told and "reciprocal" not in told


@pytest.mark.parametrize("exercise", bank.exercises())
def test_the_look_back_is_words_and_no_code(exercise):
    words = getattr(bank.module_of(exercise), "AFTERWORD", ())
    assert len(words) == 2 or exercise not in NOTEBOOKS
    for text in words:
        assert 100 < len(text) < 500 and "\n" not in text and "self." not in text and "=" not in text


def test_progress_is_kept_by_check_and_by_folder(empty_memory):
    right, wrong = results("rmsnorm"), results("rmsnorm", solutions("rmsnorm") | sample("mara"))
    eps = [result for result in right if result.check.group == "eps"]
    assert progress.remember(empty_memory, wrong) is None
    before = progress.remember(empty_memory, eps)
    assert before.earned == sum(result.points for result in wrong) == 12.0
    now = progress.recall(empty_memory, "rmsnorm")
    assert (now.earned, now.most) == (16.0, 24.0), "what else was known is kept"
    other = empty_memory.parent / "elsewhere"
    assert progress.recall(other, "rmsnorm") is None
    assert [standing.exercise for standing in progress.recall_beside([other])] == ["rmsnorm"]
    assert not list(progress.recall_beside([empty_memory.parent]))


def test_the_next_exercise_is_the_first_that_is_not_complete(empty_memory):
    progress.remember(empty_memory, results("causal_self_attention"))
    told = afterwards.text(results("rmsnorm"), empty_memory)
    assert told.endswith("Next: transformer_block.ipynb.")
    progress.remember(
        empty_memory, results("transformer_block", solutions("transformer_block") | sample("lin"))
    )
    told = afterwards.text(results("rmsnorm"), empty_memory)
    assert "Next: transformer_block.ipynb, 11 of 26 points so far." in told


@pytest.mark.parametrize("content", ["", "{", "[]", '{"folder": 1}', '"x"'])
def test_a_memory_that_cannot_be_read_is_none(empty_memory, content):
    progress.remember(empty_memory, results("rmsnorm", {}))
    (path,) = (empty_memory.parent.parent / "state").rglob("*.json")
    assert json.loads(path.read_text("utf-8"))["exercise"] == "rmsnorm"
    path.write_text(content, "utf-8")
    assert progress.recall_all() == [] and progress.recall(empty_memory, "rmsnorm") is None


def test_where_nothing_can_be_written_nothing_is_kept(empty_memory, monkeypatch):
    (empty_memory / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(empty_memory / "file"))
    assert progress.remember(empty_memory, results("rmsnorm", {})) is None
    assert progress.recall_all() == []
