"""Plain values as bytes, for the pipe between the grader and a child: no pickle, closed tables, caps.

A value is None, a bool, an int, a float, a text, a tensor, or a list or dict (with text keys) of values.
On the pipe a value is one frame: its length as eight bytes, then its encoding.
"""

import struct
from typing import Any, BinaryIO

import torch

DTYPES = (
    torch.float32,
    torch.float64,
    torch.bfloat16,
    torch.float16,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
    torch.uint8,
    torch.bool,
)
MOST_BYTES = 64 * 2**20  # a frame
MOST_TEXT = 20_000  # bytes of one text
MOST_ITEMS = 10_000  # of one list or dict
MOST_VALUES = 100_000  # of one frame in all: a value of two bytes becomes an object of many
MOST_DEPTH = 8
MOST_AXES = 8


class WireError(ValueError):
    """The bytes are not a value, or the value may not travel."""


def encode(value: Any) -> bytes:
    """The bytes of a value. Raises WireError for a value that may not travel."""
    return _Writer().value(value, 0)


def decode(data: bytes) -> Any:
    """The value of the bytes. Raises WireError for anything that `encode` would not have written."""
    reader = _Reader(data)
    try:
        value = reader.value(0)
    except RuntimeError as error:  # torch has limits of its own for shapes
        raise WireError("a tensor is impossible") from error
    if reader.at != len(data):
        raise WireError("bytes are left over after the value")
    return value


def write_frame(pipe: BinaryIO, value: Any) -> None:
    data = encode(value)
    if len(data) > MOST_BYTES:
        raise WireError(f"a message of {len(data)} bytes is over the cap of {MOST_BYTES}")
    pipe.write(struct.pack("<Q", len(data)) + data)
    pipe.flush()


def read_frame(pipe: BinaryIO) -> Any:
    """The next value on the pipe. Raises EOFError when the other side is gone, WireError for bad bytes."""
    (length,) = struct.unpack("<Q", _read_exactly(pipe, 8))
    if length > MOST_BYTES:
        raise WireError(f"a message of {length} bytes is over the cap of {MOST_BYTES}")
    return decode(_read_exactly(pipe, length))


def _read_exactly(pipe: BinaryIO, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        more = pipe.read(count - len(data))
        if not more:
            raise EOFError
        data += more
    return bytes(data)


def _counted(text: str) -> bytes:
    data = text.encode("utf-8", "replace")[:MOST_TEXT]
    return struct.pack("<I", len(data)) + data


def _encode_tensor(tensor: torch.Tensor) -> bytes:
    plain = tensor.detach().resolve_conj().cpu().contiguous()
    if plain.dtype not in DTYPES:
        raise WireError(f"a tensor of {plain.dtype} may not travel")
    if plain.dim() > MOST_AXES:
        raise WireError(f"a tensor of {plain.dim()} axes may not travel")
    head = struct.pack("<BB", DTYPES.index(plain.dtype), plain.dim())
    dims = struct.pack(f"<{plain.dim()}q", *plain.shape)
    return head + dims + plain.reshape(-1).view(torch.uint8).numpy().tobytes()


class _Writer:
    def __init__(self) -> None:
        self.left = MOST_VALUES

    def value(self, value: Any, depth: int) -> bytes:
        self.left -= 1
        if depth > MOST_DEPTH:
            raise WireError("the value is nested too deeply")
        if self.left < 0 or (isinstance(value, list | tuple | dict) and len(value) > MOST_ITEMS):
            raise WireError("the value holds too many values")
        if value is None:
            return b"N"
        if isinstance(value, bool):
            return b"B\x01" if value else b"B\x00"
        if isinstance(value, int):
            if not -(2**63) <= value < 2**63:
                raise WireError("the whole number is too large")
            return b"I" + struct.pack("<q", value)
        if isinstance(value, float):
            return b"F" + struct.pack("<d", value)
        if isinstance(value, str):
            return b"S" + _counted(value)
        if isinstance(value, torch.Tensor):
            return b"T" + _encode_tensor(value)
        if isinstance(value, list | tuple):
            items = (self.value(item, depth + 1) for item in value)
            return b"L" + struct.pack("<I", len(value)) + b"".join(items)
        if isinstance(value, dict):
            items = (_counted(str(key)) + self.value(item, depth + 1) for key, item in value.items())
            return b"D" + struct.pack("<I", len(value)) + b"".join(items)
        raise WireError(f"a {type(value).__name__} may not travel")


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.left = data, 0, MOST_VALUES

    def take(self, count: int) -> bytes:
        if count < 0 or self.at + count > len(self.data):
            raise WireError("the bytes end too early")
        self.at += count
        return self.data[self.at - count : self.at]

    def unpack(self, form: str) -> tuple:
        return struct.unpack(form, self.take(struct.calcsize(form)))

    def text(self) -> str:
        (length,) = self.unpack("<I")
        if length > MOST_TEXT:
            raise WireError("a text is over its cap")
        try:
            return self.take(length).decode("utf-8", "ignore")
        except UnicodeError as error:
            raise WireError("a text is not UTF-8") from error

    def count(self) -> int:
        (count,) = self.unpack("<I")
        if count > MOST_ITEMS:
            raise WireError("a list is over its cap")
        return count

    def value(self, depth: int) -> Any:
        self.left -= 1
        if depth > MOST_DEPTH or self.left < 0:
            raise WireError("the value is nested too deeply, or holds too many values")
        tag = self.take(1)
        match tag:
            case b"N":
                return None
            case b"B":
                return self.take(1) != b"\x00"
            case b"I":
                return self.unpack("<q")[0]
            case b"F":
                return self.unpack("<d")[0]
            case b"S":
                return self.text()
            case b"T":
                return self.tensor()
            case b"L":
                return [self.value(depth + 1) for _ in range(self.count())]
            case b"D":
                return {self.text(): self.value(depth + 1) for _ in range(self.count())}
        raise WireError("an unknown tag")

    def tensor(self) -> torch.Tensor:
        index, axes = self.unpack("<BB")
        if index >= len(DTYPES) or axes > MOST_AXES:
            raise WireError("an unknown kind of tensor")
        dims = self.unpack(f"<{axes}q")
        dtype, count = DTYPES[index], 1
        for dim in dims:
            count *= dim
            if not 0 <= dim <= MOST_BYTES or count > MOST_BYTES:
                raise WireError("the tensor's shape is impossible")
        data = self.take(count * dtype.itemsize)
        if not count:
            return torch.empty(dims, dtype=dtype)
        if dtype is torch.bool:  # any byte but 0 and 1 would be an undefined bool
            return (torch.frombuffer(bytearray(data), dtype=torch.uint8) != 0).reshape(dims)
        return torch.frombuffer(bytearray(data), dtype=dtype).reshape(dims)
