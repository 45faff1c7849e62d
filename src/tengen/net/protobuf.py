"""Protobuf, as much of it as network files need: a message is a row of fields, each with a number and a content.

>>> [(field, bytes(content)) for field, content in fields(number_field(1, 300) + message(2, b"text"))]
[(2, b'text')]
"""

from collections.abc import Iterator
from itertools import count

__all__ = ["fields", "message", "number_field", "tag", "varint"]

BYTES = 2  # the wire type of texts, messages and arrays
SIZES = {1: 8, 5: 4}  # of the wire types for numbers of a fixed size


def message(field: int, content: bytes) -> bytes:
    """A field that holds bytes, a text or another message."""
    return tag(field) + varint(len(content)) + content


def number_field(field: int, value: int) -> bytes:
    """A field that holds a whole number."""
    return tag(field, 0) + varint(value)


def tag(field: int, kind: int = BYTES) -> bytes:
    """The beginning of a field."""
    return varint(field << 3 | kind)


def varint(value: int) -> bytes:
    """Seven bits a byte, lowest first, all but the last marked.

    >>> varint(5), varint(300)
    (b'\\x05', b'\\xac\\x02')
    """
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def fields(data: bytes | memoryview, most: int = 100) -> Iterator[tuple[int, memoryview]]:
    """The fields of a message that hold bytes, as (number, content). Raises ValueError, also for more than `most`
    fields: each costs a step here, and a file could hold millions."""
    data, at = memoryview(data), 0
    for done in count():
        if at == len(data):
            return
        if done == most:
            raise ValueError("too many fields")
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            _, at = _varint(data, at)
            continue
        if kind != BYTES and kind not in SIZES:
            raise ValueError("not a field")
        size, at = _varint(data, at) if kind == BYTES else (SIZES[kind], at)
        if at + size > len(data):
            raise ValueError("cut short")
        if kind == BYTES:
            yield key >> 3, data[at : at + size]
        at += size


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise ValueError("cut short")
        value |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
    raise ValueError("not a number")
