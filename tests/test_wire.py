"""The wire carries plain values unchanged and refuses everything else."""

import ast
import struct
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_class import ROOT

from autograder.child import wire

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=50),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_plain_values_come_back_as_they_were(value):
    try:
        data = wire.encode(value)
    except wire.WireError:
        return  # nested more deeply than the wire allows
    expected = _without_surrogates(value)
    assert wire.decode(data) == expected


def _without_surrogates(value):
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value


@pytest.mark.parametrize("dtype", wire.DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3, 4)])
def test_tensors_come_back_as_they_were(dtype, shape):
    tensor = (torch.randn(shape) * 3).to(dtype)
    back = wire.decode(wire.encode(tensor))
    assert back.dtype == dtype and back.shape == tensor.shape and torch.equal(back, tensor)


def test_a_view_travels_as_its_values():
    tensor = torch.arange(12.0).reshape(3, 4).T[::2]
    assert torch.equal(wire.decode(wire.encode(tensor)), tensor)


@settings(max_examples=500)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_refused(data):
    with suppress(wire.WireError):
        wire.decode(data)


@settings(max_examples=300)
@given(VALUES, st.data())
def test_a_damaged_message_is_a_value_or_refused(value, data):
    try:
        message = bytearray(wire.encode([value, torch.arange(3.0)]))
    except wire.WireError:
        return
    message[data.draw(st.integers(0, len(message) - 1))] = data.draw(st.integers(0, 255))
    with suppress(wire.WireError):
        wire.decode(bytes(message))


def test_a_shape_that_does_not_fit_its_bytes_is_refused():
    head = b"T" + struct.pack("<BB", 0, 2) + struct.pack("<2q", 2**31, 2**31)
    with pytest.raises(wire.WireError):
        wire.decode(head)


def test_objects_do_not_travel():
    for value in (object(), {1, 2}, b"bytes", 2**70, torch.zeros(2, dtype=torch.complex64)):
        with pytest.raises(wire.WireError):
            wire.encode(value)


def test_a_frame_over_the_cap_is_refused_before_it_is_read():
    with pytest.raises(wire.WireError):
        wire.read_frame(BytesIO(struct.pack("<Q", wire.MOST_BYTES + 1)))


def test_a_pipe_that_closes_is_an_end_of_file():
    with pytest.raises(EOFError):
        wire.read_frame(BytesIO(b"\x05\x00"))


HAZARDS = {
    "pickle",
    "cPickle",
    "cloudpickle",
    "dill",
    "joblib",
    "marshal",
    "shelve",
    "eval",
    "allow_pickle",
    "memmap",
}
LOADERS = {
    "torch": {"load", "save", "hub", "jit", "package"},
    "np": {"load", "save"},
    "numpy": {"load", "save"},
}
MAY_EXEC = {"host.py"}  # where the submission's own cells run, inside its own process


def hazards(source: str) -> set[str]:
    """What in a source file could turn bytes into objects or text into code."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names} & HAZARDS
        elif isinstance(node, ast.ImportFrom):
            found |= {(node.module or "").split(".")[0], *(alias.name for alias in node.names)} & HAZARDS
        elif isinstance(node, ast.keyword) and node.arg in HAZARDS:
            found.add(node.arg)
        elif isinstance(node, ast.Name) and node.id in HAZARDS | {"exec"}:
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            loads = node.attr in LOADERS.get(node.value.id, ())
            found |= {f"{node.value.id}.{node.attr}"} if loads else set()
    return found


@pytest.mark.parametrize(
    "path",
    sorted(Path(wire.__file__).parent.parent.rglob("*.py")),
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_nothing_makes_objects_of_bytes_or_code_of_text(path):
    allowed = {"exec"} if path.name in MAY_EXEC and path.parent.name == "child" else set()
    assert hazards(path.read_text("utf-8")) <= allowed


def test_the_search_finds_what_it_looks_for():
    assert hazards("import pickle") == {"pickle"}
    assert hazards("from cloudpickle import loads") == {"cloudpickle"}
    assert hazards("import torch\ntorch.load(f)") == {"torch.load"}
    assert hazards("np.load(f, allow_pickle=True)") == {"np.load", "allow_pickle"}
    assert hazards("eval(text)") == {"eval"}
    assert hazards("module.eval()") == set()
