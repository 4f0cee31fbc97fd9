"""A student's outputs reach the reader of the graded notebook as text and pixels, and nothing that acts."""

import base64

import pytest

from autograder.outputs import MOST_OUTPUTS, MOST_TEXT, NOTE, Keeper

PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(50)).decode()


def kept(*outputs: object) -> list[dict]:
    return Keeper().keep(list(outputs))


def shown(**data: object) -> dict:
    return {"output_type": "display_data", "data": {k.replace("_", "/", 1): v for k, v in data.items()}}


def test_text_and_pictures_stay():
    note, printed, picture = kept(
        {"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]},
        shown(image_png=PIXEL, text_plain="<Figure>"),
    )
    assert note["text"] == NOTE
    assert printed["text"] == "a\nb\n"
    assert picture["data"] == {"image/png": PIXEL, "text/plain": "<Figure>"}


@pytest.mark.parametrize(
    "kind", ["text/html", "application/javascript", "image/svg+xml", "text/latex", "text/markdown"]
)
def test_what_can_act_in_a_browser_goes(kind):
    hostile = {
        "output_type": "display_data",
        "data": {kind: "<script>alert(1)</script>", "text/plain": "seen"},
    }
    assert kept(hostile)[1]["data"] == {"text/plain": "seen"}
    assert kept({"output_type": "display_data", "data": {kind: "<script>"}}) == []


@pytest.mark.parametrize(
    "image", ['" onload="alert(1)', base64.b64encode(b"<svg onload=x>").decode(), "é", 7, None]
)
def test_only_a_real_picture_is_one(image):
    assert kept(shown(image_png=image)) == []


def test_an_error_is_told_in_plain_letters():
    error = {"output_type": "error", "ename": "ValueError", "evalue": "wrong", "traceback": ["\x1b[31m<b>"]}
    assert kept(error)[1]["text"] == "ValueError: wrong"


@pytest.mark.parametrize(
    "outputs",
    [
        None,
        "text",
        {"a": 1},
        [1, None, {}],
        [{"output_type": "stream"}],
        [{"output_type": "display_data", "data": 3}],
    ],
)
def test_whatever_stands_there_is_no_trouble(outputs):
    for output in Keeper().keep(outputs):
        assert output["output_type"] == "stream"


def test_everything_is_capped():
    many = kept(*[{"output_type": "stream", "text": "x" * 3 * MOST_TEXT}] * (MOST_OUTPUTS + 5))
    assert len(many) == MOST_OUTPUTS + 2
    assert all(len(output["text"]) < MOST_TEXT + 100 for output in many)
    keeper = Keeper()
    cells = [
        keeper.keep([{"output_type": "stream", "text": "x" * MOST_TEXT}] * MOST_OUTPUTS) for _ in range(100)
    ]
    assert cells[0] and not cells[-1]
