"""Programs put together at random: right ones keep their points, wrong ones lose some, single ones are named."""

import pytest
from compositions import many, told

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "program", list(many(45)), ids=lambda program: f"{program.exercise}-{len(program.wrong)}"
)
def test_a_composition_is_accepted_or_caught_and_named(program):
    answer = told(program)
    assert answer.caught == bool(program.wrong), program.wrong
    if len(program.wrong) == 1:
        assert answer.named and not answer.astray, (program.wrong, answer.named)
