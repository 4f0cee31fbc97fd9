"""docs/catalogue.md holds what the catalogue's programs do today, and every check in it has its reason."""

import pytest
from catalogue import PAGE, WRONG, all_rows, needs, page

from autograder import bank

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def rows():
    return all_rows()


def test_the_page_is_in_step(rows):
    assert PAGE.read_text("utf-8") == page(rows), "run `python tests/catalogue.py`"


def test_every_check_is_needed_by_a_wrong_answer_or_says_why_it_stays(rows):
    for exercise in bank.exercises():
        reasons = needs(exercise, [row for row in rows if row.exercise == exercise])
        assert {name for name, reason in reasons.items() if not reason} == set()


def test_every_exercise_has_its_catalogue():
    for exercise in bank.exercises():
        assert [path for path in WRONG if path.parent.name == exercise], exercise
