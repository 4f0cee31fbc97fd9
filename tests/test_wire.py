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


@pytest.mark.parametrize("dims", [(0, 2**62, 2**62), (0, 2**63 - 1), (2**62, 0), (-1, 0), (0, -1)])
def test_an_impossible_shape_is_refused_even_when_it_holds_nothing(dims):
    head = b"T" + struct.pack("<BB", 0, len(dims)) + struct.pack(f"<{len(dims)}q", *dims)
    with pytest.raises(wire.WireError):
        wire.decode(head)


def test_a_frame_of_small_values_does_not_grow_without_end():
    many = b"L" + struct.pack("<I", 10_000) + b"N" * 10_000
    with pytest.raises(wire.WireError, match="too many"):
        wire.decode(b"L" + struct.pack("<I", 100) + many * 100)


@pytest.mark.parametrize("value", [[0] * 10_001, {str(i): i for i in range(10_001)}, [[0] * 10_000] * 10])
def test_what_would_be_refused_on_arrival_is_not_sent(value):
    with pytest.raises(wire.WireError, match="too many"):
        wire.encode(value)


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


MODULES = {"pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}
WORDS = {"eval", "exec", "compile", "__import__", "allow_pickle", "memmap"}
LOADERS = {
    "torch": {"load", "save", "hub", "jit", "package"},
    "np": {"load", "save", "object_"},
    "numpy": {"load", "save", "object_"},
}
# Where the submission's own cells run, inside its own process.
MAY = {
    "child/host.py": {"exec", "compile"},
    "child/magics.py": {"compile"},
    "child/parts.py": {"__import__"},
}


def hazards(source: str) -> set[str]:
    """What in a source file could turn bytes into objects or text into code."""
    return {hazard for node in ast.walk(ast.parse(source)) for hazard in _hazards_of(node)}


def _hazards_of(node: ast.AST) -> set[str]:
    match node:
        case ast.Import(names=names):
            return {alias.name.split(".")[0] for alias in names} & MODULES
        case ast.ImportFrom(module=module, names=names):
            whole, imported = (module or "").split(".")[0], {alias.name for alias in names}
            return ({whole} & MODULES) | (imported & (LOADERS.get(whole, set()) | MODULES))
        case ast.keyword(arg="dtype", value=ast.Name(id="object") | ast.Constant(value="object" | "O")):
            return {"dtype=object"}
        case ast.keyword(arg=str(word)) | ast.Name(id=word) if word in WORDS:
            return {word}
        case ast.Attribute(value=ast.Name(id=owner), attr=name) if name in LOADERS.get(owner, ()):
            return {f"{owner}.{name}"}
    return set()


@pytest.mark.parametrize(
    "path",
    sorted(Path(wire.__file__).parent.parent.rglob("*.py")),
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_nothing_makes_objects_of_bytes_or_code_of_text(path):
    allowed = MAY.get(path.relative_to(ROOT / "autograder").as_posix(), set())
    assert hazards(path.read_text("utf-8")) <= allowed


def test_the_search_finds_what_it_looks_for():
    assert hazards("import pickle") == {"pickle"}
    assert hazards("from cloudpickle import loads") == {"cloudpickle"}
    assert hazards("from torch import load") == {"load"}
    assert hazards("import torch\ntorch.load(f)") == {"torch.load"}
    assert hazards("np.load(f, allow_pickle=True)") == {"np.load", "allow_pickle"}
    assert hazards("np.array(x, dtype=object)") == {"dtype=object"}
    assert hazards("eval(text)") == {"eval"}
    assert hazards("__import__(name)") == {"__import__"}
    assert hazards("module.eval()") == set()
    assert hazards("re.compile(text)") == set()
