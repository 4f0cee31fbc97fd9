"""The verdict as a page: what it shows, what it hides until asked, and that it is only ever text."""

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest
import torch
from conftest import work_of
from sample_class import sample, solutions

from autograder import bank, page
from autograder.expect import agree
from autograder.failure import Failure, Places, places
from autograder.loading import open_here
from autograder.mistakes.rmsnorm import MISTAKES
from autograder.runner import Result, run_all, run_for_marks


@pytest.fixture(scope="module")
def layer_norm():
    """The results of a LayerNorm for the group on values."""
    work = work_of("rmsnorm", solutions("rmsnorm") | sample("lin"))
    return run_all(bank.checks("rmsnorm", "values"), open_here(work))


def words(html: str) -> str:
    """What a reader sees with everything opened."""
    return " ".join(unescape(re.sub("<[^>]+>", " ", html.replace(page.STYLE, ""))).split())


def test_the_page_and_its_twin_tell_the_same(layer_norm):
    told, shown = page.text(layer_norm), words(page.page(layer_norm))
    result, mistake = layer_norm[0], layer_norm[0].mistakes[0]
    for fact in (result.check.title, result.sentence, mistake.title, mistake.hint, mistake.explanation):
        assert fact in told and fact in shown
    for part in (mistake.formula, mistake.section, "RMSNorm(2)([3, 4])", "2 of 2 numbers differ"):
        assert part in told and part in shown
    assert told.startswith("0 of 4 points") and shown.startswith("0 of 4 points")


def test_the_mistake_is_named_and_the_hints_open_one_by_one(layer_norm):
    html = page.page(layer_norm)
    outside = words(re.sub("<details>.*?</details>", "", html, flags=re.S))
    mistake = layer_norm[0].mistakes[0]
    assert mistake.title in outside
    for hidden in (mistake.hint, mistake.explanation, mistake.formula, mistake.section):
        assert hidden not in outside
    first, second, third = re.findall("<details>(.*?)</details>", html, flags=re.S)
    assert mistake.hint in words(first)
    assert mistake.explanation in words(second)
    assert mistake.formula in words(third)


def test_a_mistake_is_explained_once(layer_norm):
    html = page.page(layer_norm)
    assert sum(bool(result.mistakes) for result in layer_norm) == 4
    assert html.count("<details>") == 3 and html.count("Likely the same") == 3


def failed(came, expected):
    """The result of comparing two tensors that differ."""
    with pytest.raises(Failure) as caught:
        agree(torch.tensor(came), torch.tensor(expected), "f(x)", "Why?", "row 7: ")
    failure = caught.value
    (check, *_) = bank.checks("rmsnorm")
    return Result(check, "failed", failure.sentence, rows=failure.rows, places=failure.places)


def test_only_the_numbers_that_differ_are_marked():
    html = page.page([failed([[1.0, 2.0], [-3.5, 4e9]], [[1.0, 2.5], [-3.5, 4.0]])])
    assert re.findall("<mark[^>]*>(.*?)</mark>", html) == ["2", "4e+09", "2.5", "4"]
    assert "row 7: [[1, " in html


def test_nan_and_inf_are_marked_like_numbers():
    html = page.page([failed([float("nan"), -float("inf"), 1.0], [0.0, 2.0, 1.0])])
    assert re.findall("<mark[^>]*>(.*?)</mark>", html) == ["nan", "-inf", "0", "2"]


def test_the_wrong_places_of_a_large_tensor_are_drawn():
    came = torch.zeros(2, 3, 4)
    came[1, 2, 3] = came[0, 1, 0] = 1.0
    html = page.page([failed(came.tolist(), torch.zeros(2, 3, 4).tolist())])
    assert 'd="M0 1h1v1h-1zM8 2h1v1h-1z"' in html, "block 0, row 1, column 0; block 1 begins at 5"
    assert "2 of 24 numbers differ" in html


def test_places_are_those_of_the_flattened_tensor():
    assert places(torch.tensor([[False, True], [True, False]])) == Places((2, 2), (1, 2))


class Tags(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes = set(), []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs


HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)">\'"&</code></dl>'


def test_whatever_a_submission_says_is_text():
    (check, *_) = bank.checks("rmsnorm")
    rows = (("called", HOSTILE), ("came", HOSTILE + "[1, 2]"), ("expected", "[1, 3]"), ("where", HOSTILE))
    result = Result(
        replace(check, title=HOSTILE), "error", HOSTILE, ((MISTAKES[0],),), rows, Places((2,), (1,))
    )
    for html in (page.page([result]), page.message(HOSTILE), page.notes([HOSTILE])):
        found = Tags(html)
        assert not found.tags & {"script", "img"}
        assert not [name for name, _ in found.attributes if name.startswith("on") or name in ("src", "href")]
        assert HOSTILE in unescape(html).replace('<mark class="came">', "")


def test_the_page_needs_nothing_from_elsewhere(layer_norm):
    html = page.page(layer_norm)
    assert not Tags(html).tags & {"script", "link", "img", "iframe", "object"}
    assert "http" not in html and "url(" not in html and "@import" not in html


def test_a_hidden_failure_shows_no_number_and_no_call():
    """Right on the known inputs only: neither inputs nor expected values of the secret ones are on the page."""
    from test_nbgrader import HARD_CODED

    from autograder.submission import Submission

    seen = Submission(lambda op, arguments: {}, "")
    seen.begin("rmsnorm/test_a_batch")
    seen.draw(7)
    first = 0.3 * float(seen.draw(3, 4, 7, size=2.0, mean=1.5)[0, 0, 0])
    code = solutions("rmsnorm")["rmsnorm-class"] + HARD_CODED.replace("FIRST", repr(first))
    known = open_here(work_of("rmsnorm", solutions("rmsnorm") | {"rmsnorm-class": code}))
    checks = [check for check in bank.checks("rmsnorm") if check.name == "test_a_batch"]
    html = page.page(run_for_marks(checks, known, known.with_seed("a secret")))
    assert "Right on the numbers that you can see" in html
    assert "<dl>" not in html and "<mark" not in html and "<svg" not in html and "<details>" not in html


def test_before_the_answer_is_written_the_page_says_so():
    results = run_all(bank.checks("rmsnorm", "eps"), open_here(work_of("rmsnorm", {})))
    assert "Not started yet (4 points): This is still to be written." in words(page.page(results))
